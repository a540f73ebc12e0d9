"""Instructions about the beginning and the end: `startend:*`."""

from engine.checkers.counting import Text
from engine.checkers.registry import Check


def end_checker(end_phrase: Text) -> Check:
    """Ask for the phrase at the end, within quotation marks or not; case does not count."""
    wanted = end_phrase.strip().lower()
    return lambda text: text.strip().strip('"').lower().endswith(wanted)


def quotation() -> Check:
    """Ask that the whole stand in double quotation marks."""
    return lambda text: len(bare := text.strip()) > 1 and bare[0] == bare[-1] == '"'
