"""Where a study's judgments come from, in words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.store.study_files import StudyInfo

SIMULATED = {
    "simulated": "Simulated: a program drew all judgments of this study. They say nothing about real models.",
    "mixed": "Partly simulated: a program drew some judgments of this study.",
}
"""The warning on a study with simulated judgments, by its provenance."""


def provenance_words(info: "StudyInfo") -> str:
    """Return where the judgments come from: `imported and api` where a run was added to what was imported.

    The code in `study.json` is that of the runs alone, as imported judgments have no row there.
    """
    return "imported and api" if info.provenance == "api" and info.imports else info.provenance
