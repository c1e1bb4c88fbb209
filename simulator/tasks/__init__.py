"""Kinds of games, each with the columns that answer its question."""
