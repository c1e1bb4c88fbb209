"""Games that a learner plays action by action, many at a time: by `leap`, or by compiled functions."""
