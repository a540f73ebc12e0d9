"""What a judge was sent, put together again from what the study holds."""

from typing import TYPE_CHECKING

from engine.drill.item import Said

if TYPE_CHECKING:
    from engine.arrays import StudyArrays
    from engine.plan import Rebuilt


def prompt(study: "StudyArrays", said: Said) -> "Rebuilt":
    """Return the messages behind what a judge said, or the reason why they cannot be told."""
    from engine.plan import Library, rebuild

    return rebuild(Library(study.files, said.call["instance_id"]), said.call)
