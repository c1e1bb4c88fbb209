"""Tasks of content: a tracker of items against an adversary that chooses the items too."""
