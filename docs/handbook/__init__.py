"""Pages of the handbook that are made of classes, scenarios and reference results when the site is built."""
