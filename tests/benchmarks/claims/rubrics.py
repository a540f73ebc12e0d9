"""Studies of rubric verdicts."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.special import expit, logit, ndtri

from engine.simulation.study_tables import constant, text_column

from .judges import AUTHOR, USUAL, Bools, Floats, Ints, Judges, drawn

CREDIT, PASS = 0.3, 0.9
"""The share of failed criteria that a judge credits, and of met ones that it passes."""
FAILING = 0.4
THEMES, WEAKNESS = 8, 1.5
"""What a judge adds for every response on its family's weak themes, in log-odds."""
ERRORS, OWN_ERRORS = 6, 0.7
"""Kinds of error inside a criterion, and the share of a model's errors that are of its family's two."""
COPY = 1
COMMITTEE = (0, 1, 2)


@dataclass(frozen=True)
class RubricStudies:
    """Each of `models` x `instances` responses is judged by every judge on `rubrics` criteria.

    A response fails a criterion with chance .4, more often on hard instances. A failure is credited with
    log-odds logit(.3) + leniency + liking + the failure's subtlety + the judge's mood on the response.
    `blinding` is added to these for each unit of the instance's hardness; `strong`: the author fails 12 %, on
    the hard instances. `weak_themes`: each family has two of eight themes on which its models fail 75 % (25 %
    elsewhere), and its judges add 1.5 for everybody's responses. `weak_errors`: there are six kinds of error
    inside a criterion; 70 % of a model's are of its family's two, for which its judges add 1.5, whoever
    answers. `copied`: the second model's answers are the author's, and all verdicts on them too. `missing` is
    the share of unfavourable verdicts on own failures that are missing, of all judges or, if
    `missing_of_author`, of the author's only; `dropped`: they have no row. `mislabelled` is the share of met
    criteria that the reference calls failed. `committee`: the reference is the majority of three judges, the
    first two of one family, and no other is stored. `reference` False stores none.
    """

    judges: Judges = USUAL
    instances: int = 100
    rubrics: int = 4
    blinding: float = 0.0
    strong: bool = False
    weak_themes: bool = False
    weak_errors: bool = False
    copied: bool = False
    missing: float = 0.0
    missing_of_author: bool = False
    dropped: bool = False
    mislabelled: float = 0.0
    committee: bool = False
    reference: bool = True

    subtlety: float = 0.8
    mood: float = 0.3

    def draw(self, rng: np.random.Generator) -> "RubricVerdicts":
        """Draw a study."""
        judges, hard = self.judges, rng.standard_normal(self.instances)
        failing = np.full(judges.models, FAILING)
        if self.strong:
            failing[AUTHOR] = 0.12
        cells = (judges.models, self.instances, self.rubrics)
        weight = 0.6 if self.blinding else 0.3
        latent = weight * hard[:, None] - np.sqrt(1 - weight**2) * rng.standard_normal(cells)
        failed = latent > -ndtri(failing)[:, None, None]
        liking = judges.liking(rng)
        log_odds = (
            judges.leniency[:, None, None, None]
            + liking[..., None, None]
            + self.subtlety * judges.sight[:, None, None, None] * rng.standard_normal(cells)
            + self.mood * rng.standard_normal((judges.models, *cells[:2], 1))
        )
        credit = logit(CREDIT) * 1.15 + self.blinding * hard[:, None]  # 1.15: the mean over subtleties is .3
        if self.weak_themes:
            weak = self._weak(rng)
            failed = rng.random(cells) < np.where(weak, 0.75, 0.25)[..., None]
            blindness = np.broadcast_to((WEAKNESS * weak)[:, None, :, None], log_odds.shape)
        elif self.weak_errors:
            blindness = WEAKNESS * self._missed(failed, rng)
        else:
            blindness = np.zeros((1, 1, 1, 1))
        log_odds = log_odds + blindness
        chance = log_odds + np.where(failed, credit, logit(PASS))
        favourable = drawn(chance, rng)
        if self.copied:
            failed[COPY], favourable[:, COPY] = failed[AUTHOR], favourable[:, AUTHOR]
            liking[:, COPY] = liking[:, AUTHOR]
        own = np.eye(judges.models, dtype=bool)[..., None, None]
        if self.missing_of_author:
            own = own & (np.arange(judges.models) == AUTHOR)[:, None, None, None]
        absent = own & failed & ~favourable & (rng.random(favourable.shape) < self.missing)
        if self.committee:
            reference_failed = favourable[list(COMMITTEE)].sum(axis=0) < 2
        else:
            reference_failed = failed | (~failed & (rng.random(cells) < self.mislabelled))
        on_failed = (blindness * failed).sum(axis=(2, 3)) / np.maximum(failed.sum(axis=(1, 2)), 1)
        return RubricVerdicts(self, reference_failed, favourable, ~absent, expit(chance), liking + on_failed)

    def _weak(self, rng: np.random.Generator) -> Bools:
        """Draw each family's weak themes; return where each model is weak, shape (models, instances)."""
        family = np.arange(self.judges.models) // self.judges.family_size
        of_family = rng.random((family[-1] + 1, THEMES)).argsort(axis=1) < 2
        return np.asarray(of_family[family][:, np.arange(self.instances) % THEMES])

    def _missed(self, failed: Bools, rng: np.random.Generator) -> Bools:
        """Draw each family's two kinds of error and those of all failures; return which each judge misses."""
        family = np.arange(self.judges.models) // self.judges.family_size
        weak = (rng.random((family[-1] + 1, ERRORS)).argsort(axis=1) < 2)[family]
        shares = np.where(weak, OWN_ERRORS / 2, (1 - OWN_ERRORS) / (ERRORS - 2)).cumsum(axis=1)
        error = (rng.random(failed.shape)[..., None] > shares[:, None, None, :-1]).sum(axis=-1)
        return np.asarray(weak[:, error] & failed)

    def expected_ratio(self, rng: np.random.Generator) -> float:
        """Return the author's `ratio_outside` in a study of very many instances."""
        wide = RubricStudies(**{**vars(self), "instances": 4000, "judges": self.judges.without_tastes})
        study = wide.draw(rng)
        counted = study.failed if self.reference else np.ones_like(study.failed)
        credited = np.where(counted, study.chance, 0).sum(axis=(2, 3)) / counted.sum(axis=(1, 2))
        relatives = self.judges.relatives
        own, other = [], []
        for outside in np.nonzero(~relatives[AUTHOR])[0]:
            of_others = ~relatives[AUTHOR] & ~relatives[outside]
            own.append((credited[AUTHOR, AUTHOR], credited[outside, AUTHOR]))
            other.append((credited[AUTHOR, of_others].mean(), credited[outside, of_others].mean()))
        (own_judge, own_outside), (other_judge, other_outside) = np.mean(own, axis=0), np.mean(other, axis=0)
        return float(own_judge / own_outside / (other_judge / other_outside))


@dataclass(frozen=True, eq=False)
class RubricVerdicts:
    """One study: failures by the reference (generators, instances, rubrics), and each judge's verdicts.

    `added` is what each judge adds for each generator's failures, in log-odds.
    """

    studies: RubricStudies
    failed: Bools
    favourable: Bools
    answered: Bools
    chance: Floats
    added: Floats

    def tables(self) -> dict[str, pa.Table]:
        """Return the study's tables."""
        judges, (n, k) = self.studies.judges, self.failed.shape[1:]
        judge, generator, instance, rubric = (each.ravel() for each in np.indices(self.favourable.shape))
        answered = self.answered.ravel()
        favourable = self.favourable.ravel()
        stored = generator < (judges.generators or judges.models)
        if self.studies.dropped:
            stored &= answered
        judge, generator, instance, rubric, answered, favourable = (
            each[stored] for each in (judge, generator, instance, rubric, answered, favourable)
        )
        judgments = {
            "run_id": constant("run", len(judge)),
            "judge": text_column(judge, judges.names),
            "paradigm": constant("single_rubric", len(judge)),
            "status": text_column(np.where(answered, 0, 1), ["ok", "unparsed"]),
            "generator": text_column(generator, judges.names),
            **_criteria(instance, rubric, n, k),
            "met": pa.array(favourable, mask=~answered),
        }
        instance, rubric = (each.ravel() for each in np.indices((n, k)))
        tables = {
            "models": pa.table({"model": judges.names, "family": judges.families}),
            "instances": pa.table({"instance_id": [f"i{number:04d}" for number in range(n)]}),
            "rubrics": pa.table({**_criteria(instance, rubric, n, k), "points": np.ones(len(instance))}),
            "judgments": pa.table(judgments),
        }
        return tables | ({"references": self._references()} if self.studies.reference else {})

    @property
    def committees(self) -> dict[str, dict[str, object]]:
        """The committees of the study, by name."""
        if not self.studies.committee:
            return {}
        members = [self.studies.judges.names[number] for number in COMMITTEE]
        return {"three": {"members": members, "paradigm": "single_rubric", "variant": "default"}}

    def _references(self) -> pa.Table:
        failed = self.failed[: self.studies.judges.generators]
        generator, instance, rubric = (each.ravel() for each in np.indices(failed.shape))
        source = "committee:three" if self.studies.committee else "program"
        return pa.table(
            {
                **_criteria(instance, rubric, *failed.shape[1:]),
                "generator": text_column(generator, self.studies.judges.names),
                "source": constant(source, len(generator)),
                "met": ~failed.ravel(),
            }
        )


def _criteria(instance: Ints, rubric: Ints, instances: int, rubrics: int) -> dict[str, pa.Array]:
    return {
        "instance_id": text_column(instance, [f"i{number:04d}" for number in range(instances)]),
        "rubric_id": text_column(rubric, [f"r{number}" for number in range(rubrics)]),
    }
