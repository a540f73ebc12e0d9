"""Instructions about punctuation: `punctuation:*`."""

from engine.checkers.registry import Check


def no_comma() -> Check:
    """Ask that there be no comma."""
    return lambda text: "," not in text
