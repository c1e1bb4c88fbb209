"""The language of claims: expressions over the results, statistics, and the verdict."""
