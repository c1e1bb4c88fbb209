"""Pages about results: one HTML page a result, and the table of all claims."""
