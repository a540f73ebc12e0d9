"""A run of one's own questions and models, and its configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from engine.collect.configuration.named_models import NamedModels
from engine.importers.own_questions.question_checks import Questions
from engine.paradigms import Paradigm


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """Questions in a file that models answer, and then judge: all pairs in both orders, and the criteria."""

    study: str
    file: Path
    questions: Questions
    models: NamedModels
    columns: Mapping[str, str] = field(default_factory=dict)
    sample: int | None = None
    max_usd: float | None = None

    @property
    def paradigms(self) -> list[Paradigm]:
        return ["pairwise", "single_rubric"] if self.questions.rubrics else ["pairwise"]

    @property
    def size(self) -> int:
        """How many questions take part."""
        total = len(self.questions.instances)
        return total if self.sample is None else min(self.sample, total)

    def configuration(self, folder: Path) -> str:
        """Return the run's configuration, to stand in a folder; `spb run` on it makes the same run."""
        file = self.file.absolute()
        data = file.relative_to(folder) if file.is_relative_to(folder) else file
        document: dict[str, Any] = {"study": self.study, "data": data.as_posix()}
        if self.columns:
            document["columns"] = dict(self.columns)
        names = list(self.models.tables)
        document |= {"generators": names, "judges": names, "paradigms": self.paradigms}
        if self.sample is not None:
            document["sample"] = {"n": self.sample}
        if self.max_usd is not None:
            document["run"] = {"max_usd": self.max_usd}
        document["models"] = self.models.tables
        return tomli_w.dumps(document)
