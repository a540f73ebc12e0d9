"""What a run leaves out and what it cannot show, in sentences without a full stop."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.phrases import join_names, quantity


def gap_words(gaps: Mapping[str, int]) -> Iterator[str]:
    """Yield how many answers are left out, as the study has no text of them; `gaps` are by generator."""
    if total := sum(gaps.values()):
        verb = "is" if total == 1 else "are"
        each = ", ".join(f"{name}: {count:,}" for name, count in gaps.items())
        yield f"{quantity(total, 'answer')} of which the study has no text {verb} left out ({each})"


@dataclass(frozen=True, slots=True)
class AnswersToCome:
    """What the answers of some judges, which the study lacks, would lack too if the run collected them.

    `alone` are those that no judge of another family judges, `unreferenced` those without the reference that
    other answers of the study have.
    """

    judges: tuple[str, ...]
    alone: tuple[str, ...] = ()
    unreferenced: tuple[str, ...] = ()

    def lacks(self, judging: Sequence[str]) -> str:
        """Return what they lack, as a clause of the sentence on them, and what to do; empty if nothing."""
        lacks, remedies = [], []
        if self.alone:
            lacks.append(f"judged by {join_names(judging)} alone")
            remedies.append("add judges of other families to `judges`")
        if self.unreferenced:
            lacks.append("without a reference, which the other answers have")
            remedies.append(
                "give these answers a reference (people's labels: `spb label`; a committee of judges: "
                "`spb reference committee`)"
            )
        return f"{' and '.join(lacks)}: for a conclusion {' and '.join(remedies)}" if lacks else ""


def answerless_words(answers: AnswersToCome, judging: Sequence[str], generators: Sequence[str]) -> str:
    """Return which judges answer no question themselves, and how they would; empty if there is none."""
    names = answers.judges
    if not names:
        return ""
    one = len(names) == 1
    favour, they, own, them = (
        ("favours itself", "it has", "its", "it")
        if one
        else ("favour themselves", "they have", "their", "them")
    )
    field, models = "generators", json.dumps([*generators, *names], ensure_ascii=False)
    why = (
        f"whether {join_names(names)} {favour} cannot be said, as {they} no answers of {own} own among those "
        "judged"
    )
    lacks = answers.lacks(judging)
    caution = f"; new ones would be {lacks}" if lacks else ""
    return f"{why}{caution}; to have {them} answer too, write: {field} = {models}"


def inconclusive_words(answers: AnswersToCome, judging: Sequence[str]) -> str:
    """Return which judges' own answers allow no conclusion although they are judged; empty if none."""
    names = [each for each in answers.judges if each in (*answers.alone, *answers.unreferenced)]
    lacks = answers.lacks(judging)
    if not lacks:
        return ""
    one = len(names) == 1
    favours, own = ("favours itself", "its") if one else ("favour themselves", "their")
    return f"whether {join_names(names)} {favours} cannot be concluded, as {own} answers are {lacks}"
