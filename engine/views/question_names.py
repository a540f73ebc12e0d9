"""What a question is called: its id or, where an import made the id of the text, the text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.messages import conversation
from engine.phrases import shortened

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

LONGEST = 90
"""Most characters of a text that stands for a question's id."""


def question_names(study: "MeasuredStudy") -> Mapping[str, str]:
    """Return the name of each question of a study by its id, read once."""
    names: Mapping[str, str] = study.remember("question names", lambda: _read(study))
    return names


def _read(study: "MeasuredStudy") -> dict[str, str]:
    from engine.importers.reading.format import MADE_ID  # with all that reads files

    names = {str(name): str(name) for name in study.index.instances.to_pylist()}
    made_ids = [name for name in names if MADE_ID.fullmatch(name)]
    if made_ids:
        rows = study.files.table(
            "instances", ("instance_id", "prompt"), {"instance_id": made_ids}
        ).to_pylist()
        names |= {row["instance_id"]: text for row in rows if (text := question_text(row["prompt"], LONGEST))}
    return names


def question_text(prompt: str | None, most: int) -> str:
    """Return a prompt's last message in one line, cut; nothing if the prompt is not stored."""
    messages = conversation(prompt)
    return shortened(" ".join(messages[-1].text.split()), most) if messages else ""
