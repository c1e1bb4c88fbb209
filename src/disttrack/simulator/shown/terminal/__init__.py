"""Tables and progress in the terminal."""
