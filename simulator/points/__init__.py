"""One combination of a scenario's swept values, and what its names stand for."""
