"""Names and codes in a reader's words: those of `engine.wording`, which reports speak too."""

from engine.wording import MEASURES, SHOWN, TITLES, applied, left_out, title

__all__ = ["MEASURES", "SHOWN", "TITLES", "applied", "left_out", "title"]
