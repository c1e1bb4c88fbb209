"""Protocols as real processes: a server and its sites over TCP, the classes those of the simulator.

It needs the extra `live`.
"""
