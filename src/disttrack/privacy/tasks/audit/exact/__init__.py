"""Exact privacy losses, measured on the running code instead of estimated from many runs.

A mechanism gets scripted noise, or coins that take each value once; so it is measured as a
function of its noise, and the distribution of the noise determines the loss.
"""
