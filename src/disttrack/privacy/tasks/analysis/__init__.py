"""Adaptive data analysis: queries to a sample by an analyst that reacts, sample sizes, the worst of many."""
