"""Adversaries of sketches, which choose the updates of a stream: fixed streams, attacks and their controls."""
