"""Points, the combinations of a scenario's swept values, and the kinds that they name."""
