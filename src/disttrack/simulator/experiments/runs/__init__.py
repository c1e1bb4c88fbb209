"""Running a scenario: points times trials on many cores, with nothing played twice."""
