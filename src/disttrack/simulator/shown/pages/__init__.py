"""The shell that all HTML pages have in common: pieces of markup, the look, light and dark, tables that sort."""
