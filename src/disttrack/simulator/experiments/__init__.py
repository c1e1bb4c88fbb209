"""Experiments: scenarios, their runs, results, and claims."""
