"""Studies of pairs."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
from scipy.special import expit

from engine.simulation.study_tables import constant, text_column

from .judges import AUTHOR, USUAL, Bools, Floats, Ints, Judges, drawn

BETTER = 0.5
"""The spread of the models' mean quality."""


@dataclass(frozen=True)
class PairStudies:
    """Every judge is shown the same third of an instance's pairs, each resolved over its two orders.

    A response's quality is the sum of its model's mean, evenly spread, and a normal part. The log-odds of a
    vote for one of two responses are the differences in quality and in the judge's liking, plus a part of the
    pair that all judges share; `ties` is the share of tied votes. A person decides by quality alone, with a
    tie for small differences; `gold` False stores none of these. `author_quality` is the author's mean
    quality, None: as spread.
    """

    judges: Judges = USUAL
    instances: int = 100
    shown_share: float = 1 / 3
    ties: float = 0.1
    shared: float = 0.5
    gold: bool = True
    author_quality: float | None = None

    def draw(self, rng: np.random.Generator) -> "PairVotes":
        """Draw a study."""
        judges = self.judges
        one, two = np.array(list(combinations(range(judges.models), 2))).T
        mean = BETTER * np.linspace(-1, 1, judges.models)[np.random.default_rng(3).permutation(judges.models)]
        if self.author_quality is not None:
            mean[AUTHOR] = self.author_quality
        quality = mean[:, None] + rng.standard_normal((judges.models, self.instances))
        better = quality[one] - quality[two]
        liking = judges.liking(rng)
        likes = (liking[:, one] - liking[:, two])[..., None]
        seen = better + self.shared * rng.standard_normal(better.shape)
        log_odds = judges.sight[:, None, None] * seen + likes
        tied = rng.random(log_odds.shape) < self.ties
        vote = np.where(tied, 0, np.where(drawn(log_odds, rng), 1, -1))
        people = better + 0.5 * rng.standard_normal(better.shape)
        gold = np.where(abs(people) < 0.15, 0, np.sign(people)).astype(np.int64)
        expected = (1 - self.ties) * (2 * expit(log_odds) - 1)
        shown = rng.random(better.shape) < self.shown_share
        return PairVotes(self, one, two, shown, vote, gold, expected, liking)

    def expected_gap(self, rng: np.random.Generator) -> float:
        """Return the author's `vote_outside` in a study of very many instances."""
        study = PairStudies(**{**vars(self), "instances": 4000, "judges": self.judges.without_tastes}).draw(
            rng
        )
        gaps = []
        for pair in np.nonzero(study.one == AUTHOR)[0]:  # the author comes first, so it is always `one`
            opponent, relatives = study.two[pair], self.judges.relatives
            if relatives[AUTHOR, opponent]:
                continue
            outside = ~relatives[AUTHOR] & ~relatives[opponent]
            gaps.append(study.expected[AUTHOR, pair] - study.expected[outside, pair].mean(axis=0))
        return float(np.concatenate(gaps).mean() / 2)


@dataclass(frozen=True, eq=False)
class PairVotes:
    """One study: pairs (`one`, `two`), which were shown (pairs, instances), votes by judge, 1 for `one`.

    `added` is what each judge adds for each generator.
    """

    studies: PairStudies
    one: Ints
    two: Ints
    shown: Bools
    vote: Ints
    gold: Ints
    expected: Floats
    added: Floats

    def tables(self) -> dict[str, pa.Table]:
        """Return the study's tables."""
        names = self.studies.judges.names
        judges, n = len(names), self.shown.shape[1]
        judge, pair, instance = np.nonzero(np.broadcast_to(self.shown, (judges, *self.shown.shape)))
        words = ["opponent", "tie", "generator"]
        judgments = {
            "run_id": constant("run", len(judge)),
            "judge": text_column(judge, names),
            "paradigm": constant("pairwise", len(judge)),
            "status": constant("ok", len(judge)),
            **self._sides(pair, instance),
            "choice": text_column(self.vote[judge, pair, instance] + 1, words),
        }
        pair, instance = np.nonzero(self.shown)
        people = {
            **self._sides(pair, instance),
            "source": constant("human:one", len(pair)),
            "outcome": self.gold[pair, instance],
        }
        tables = {
            "models": pa.table({"model": names, "family": self.studies.judges.families}),
            "instances": pa.table({"instance_id": [f"i{number:04d}" for number in range(n)]}),
            "judgments": pa.table(judgments),
        }
        return tables | ({"preferences": pa.table(people)} if self.studies.gold else {})

    def _sides(self, pair: Ints, instance: Ints) -> dict[str, pa.Array]:
        names = self.studies.judges.names
        ids = [f"i{number:04d}" for number in range(self.shown.shape[1])]
        return {
            "instance_id": text_column(instance, ids),
            "generator": text_column(self.one[pair], names),
            "opponent": text_column(self.two[pair], names),
        }
