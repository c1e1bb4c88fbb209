"""Exact privacy losses, read off the running code instead of from many runs of it.

A mechanism is given noise that is written down beforehand, or coins that fall each way once; so it is seen as a
function of its noise, and the distribution of the noise does the rest.
"""
