"""Games of content: the engines `step` and `leap` for trackers of items, and the problems that judge them."""
