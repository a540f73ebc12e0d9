"""What a run leaves out and what it cannot show, in sentences without a full stop."""

import json
from collections.abc import Iterator, Mapping, Sequence

from engine.phrases import join_names, quantity


def gap_words(gaps: Mapping[str, int]) -> Iterator[str]:
    """Yield how many answers are left out, as the study has no text of them; `gaps` are by generator."""
    if total := sum(gaps.values()):
        verb = "is" if total == 1 else "are"
        each = ", ".join(f"{name}: {count:,}" for name, count in gaps.items())
        yield f"{quantity(total, 'answer')} of which the study has no text {verb} left out ({each})"


def answerless_words(judges: Sequence[str], generators: Sequence[str]) -> Iterator[str]:
    """Yield which judges answer no question themselves, so that none can be said to favour itself."""
    names = [name for name in judges if name not in generators]
    if not names:
        return
    one = len(names) == 1
    favour, they, own, them = (
        ("favours itself", "it has", "its", "it")
        if one
        else ("favour themselves", "they have", "their", "them")
    )
    field, models = "generators", json.dumps([*generators, *names], ensure_ascii=False)
    yield (
        f"whether {join_names(names)} {favour} cannot be said, as {they} no answers of {own} own among those "
        f"judged; to have {them} answer too, write: {field} = {models}"
    )
