"""Studies of direct assessments."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.special import expit

from engine.simulation.study_tables import constant, text_column

from .judges import AUTHOR, USUAL, Floats, Judges

STEPS = 10
"""Scores are multiples of a tenth."""


@dataclass(frozen=True)
class ScoreStudies:
    """Every judge scores every response once; no reference is stored.

    The log-odds of a score are the sum of the response's quality, which all judges see, the judge's leniency
    and liking, and noise. `author_quality` is the author's mean quality, None: as spread.
    """

    judges: Judges = USUAL
    instances: int = 100
    quality: float = 0.8
    noise: float = 0.6
    author_quality: float | None = None

    def draw(self, rng: np.random.Generator) -> "Scores":
        """Draw a study."""
        judges = self.judges
        mean = np.linspace(-0.5, 0.5, judges.models)[np.random.default_rng(3).permutation(judges.models)]
        if self.author_quality is not None:
            mean[AUTHOR] = self.author_quality
        quality = mean[:, None] + self.quality * rng.standard_normal((judges.models, self.instances))
        liking = judges.liking(rng)
        log_odds = judges.sight[:, None, None] * quality + judges.leniency[:, None, None] + liking[..., None]
        log_odds = log_odds + self.noise * rng.standard_normal(log_odds.shape)
        return Scores(self, np.round(STEPS * expit(log_odds)) / STEPS, liking)

    def expected_bonus(self, rng: np.random.Generator) -> float:
        """Return the author's `bonus_outside` in a study of very many instances."""
        relatives = self.judges.relatives
        mean = (
            ScoreStudies(**{**vars(self), "instances": 20_000, "judges": self.judges.without_tastes})
            .draw(rng)
            .values.mean(axis=2)
        )
        gaps = [
            mean[AUTHOR, generator] - mean[~relatives[AUTHOR] & ~relatives[generator], generator].mean()
            for generator in range(self.judges.models)
        ]
        return float(100 * (gaps[AUTHOR] - np.array(gaps)[~relatives[AUTHOR]].mean()))


@dataclass(frozen=True, eq=False)
class Scores:
    """One study: scores by judge, generator and instance, and what each judge adds for each generator."""

    studies: ScoreStudies
    values: Floats
    added: Floats

    def tables(self) -> dict[str, pa.Table]:
        """Return the study's tables."""
        judges, n = self.studies.judges, self.values.shape[-1]
        judge, generator, instance = (each.ravel() for each in np.indices(self.values.shape))
        ids = [f"i{number:04d}" for number in range(n)]
        judgments = {
            "run_id": constant("run", len(judge)),
            "judge": text_column(judge, judges.names),
            "paradigm": constant("direct_assessment", len(judge)),
            "status": constant("ok", len(judge)),
            "instance_id": text_column(instance, ids),
            "generator": text_column(generator, judges.names),
            "score": self.values.ravel(),
        }
        return {
            "models": pa.table({"model": judges.names, "family": judges.families}),
            "instances": pa.table({"instance_id": ids}),
            "judgments": pa.table(judgments),
        }
