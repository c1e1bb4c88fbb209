"""What notebooks show: games, results and scenarios as small tables, and how far a run is."""
