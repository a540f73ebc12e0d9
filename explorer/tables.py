"""A measure's rows as a table to be read: as `engine.readable` makes it, for reports too."""

from engine.readable import Row, cell, declarations, difference, heading, plainly, readable

__all__ = ["Row", "cell", "declarations", "difference", "heading", "plainly", "readable"]
