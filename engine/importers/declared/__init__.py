"""Formats as declarations: where each value is, what it means, and the reader that follows from that.

A declaration is a TOML file, one of `formats/` or a user's own; code is needed only where a tool computes.
"""
