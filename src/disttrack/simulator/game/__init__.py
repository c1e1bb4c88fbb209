"""One game: two sides, channels, engines, and the verdict over all steps."""
