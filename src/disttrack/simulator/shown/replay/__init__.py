"""A game to be looked at: its record, its rows on a clock, the page that plays it, the drawing of some of its steps."""
