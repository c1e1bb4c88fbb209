"""Answers to statistical queries of a sample that analysts choose adaptively."""
