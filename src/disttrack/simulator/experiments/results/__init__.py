"""The tables of a results folder: writing them and reading them back."""
