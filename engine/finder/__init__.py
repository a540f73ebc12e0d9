"""The slice finder: all slices of a study's rubric verdicts, held against the rest and ranked.

May import what measures may: arrays, masks, statistics. Nothing here reads files or draws.
"""

from engine.finder.declared import FIND
from engine.finder.result import found
from engine.finder.search import Found, FoundSlice, find_slices

__all__ = ["FIND", "Found", "FoundSlice", "find_slices", "found"]
