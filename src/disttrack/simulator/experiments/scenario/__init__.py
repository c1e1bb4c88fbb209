"""What a scenario file says: reading, checking, sweeping."""
