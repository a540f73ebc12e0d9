"""Which kinds of judgments a study has beside those that its conclusions rest on, and how to see theirs."""

from typing import TYPE_CHECKING

from engine.measures.scorecard.deciding_source import other_sources
from engine.phrases import join_names
from engine.wording import NameInMemory, Sentence, Wording, command_line, in_python
from engine.words.plain_names import paradigm_name

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


def rests_on(decided: str, others: list[str]) -> str:
    """Return which judgments conclusions rest on, and which `others` could decide: a clause for a colon."""
    also = join_names([*map(paradigm_name, others)])
    return f"These conclusions rest on {paradigm_name(decided)} judgments; the study also has {also}"


def other_conclusions(study: "MeasuredStudy", decided: str | None) -> list[str]:
    """Return the sentence on that, with the call that concludes from the first of the others; or none.

    `decided` is the paradigm that decides, None where none does. Of a study in memory it is said in Python.
    """
    others = [] if decided is None else other_sources(study, decided)
    if decided is None or not others:
        return []
    command = command_line("judges", study.name, "--paradigm", others[0])
    call = Wording(command, f'judges(paradigm="{others[0]}")')
    sentence = Sentence(f"{rests_on(decided, others)}: see `", call, "`.")
    return [in_python(sentence) if isinstance(study.name, NameInMemory) else sentence]
