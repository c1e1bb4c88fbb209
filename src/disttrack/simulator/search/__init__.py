"""The search for the worst policy against a protocol."""
