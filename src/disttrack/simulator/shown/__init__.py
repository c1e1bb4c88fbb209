"""What is shown of games and results: figures, pages, replays, notebooks, the terminal."""
