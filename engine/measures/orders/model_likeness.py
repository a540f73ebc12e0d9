"""`model-likeness`: do places of score options attract a rater as they attract models? (MEASURES section 12).

The position paper finds that models favour places in a list of options, and hopes that this may tell the
forms that a model filled in. This weighs a rater's scores: how likely each is to have stood where it stood if
places attract the rater as they attract models, against no effect of the place, or people's. No rater is held
against rows of its own, nor against scores of others on the same questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays.bits.confusion import Resampled
from engine.arrays.scores.score_options import (
    ITEM_GROUPS,
    ROW_GROUPS,
    JudgeScores,
    OptionSlice,
    Scale,
    option_slices,
)
from engine.arrays.study_arrays import StudyArrays
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.entry import SMALL, Measure, Option
from engine.measures.orders.option_orders import LEFT_OUT, N_OPTIONS, PAPER, SCALE
from engine.measures.rows import FEW, Column, Options, Table
from engine.paradigms import OPTION_PARADIGMS
from engine.slices import Slice
from engine.stats import Floats, Ints, Numbers, Weights
from engine.stats.orders.model_likeness import FOLDS, log_ratios, mean_likelihood
from engine.stats.scores.ranks import TOLERANCE

_MOST_NUMBERS = 4_000_000  # in one array; resamples are computed in parts of this size

NO_EFFECT, PEOPLE = "no effect of the place", "people"


@dataclass(frozen=True)
class KnownRaters:
    """Who is known to be a model, and who a person; everybody else is unknown."""

    models: frozenset[str]
    people: frozenset[str]

    def of(self, name: str) -> str | None:
        return "model" if name in self.models else "person" if name in self.people else None


def model_likeness_table(
    study: StudyArrays, spec: Slice, options: Options, weights: Weights | None
) -> list[Table]:
    """Return a table for each group: a row for each rater shown and each scale."""
    tables = []
    shown = {part.value: part for part in option_slices(study, spec, options["by"], weights)}
    everybody = option_slices(study, replace(spec, judges=()), options["by"], weights)
    for part in (part for part in everybody if part.value in shown):
        kinds = _known_raters(study.index.models, part, options)
        first_trial = part.rows.trial == 0
        judges = [judge.with_choice for judge in part.judges(part.rows.select(first_trial))]
        judges = [judge for judge in judges if len(judge.rows.judge)]
        rows = [
            row
            for scale in part.scales
            for row in _of_scale([judge for judge in judges if judge.scale is scale], kinds, spec.judges)
        ]
        rows.sort(key=lambda row: study.index.models.index(row["judge"].values[0]))  # stable: scales stay
        of_shown = shown[part.value]
        left_out = of_shown.left_out(of_shown.rows.trial == 0, selections=True)
        instances = len(np.unique(of_shown.rows.instance[of_shown.rows.trial == 0]))
        tables.append(Table.of(rows, instances, left_out, of_shown.filters(), part.value))
    return tables


def _known_raters(models: Sequence[str], part: OptionSlice, options: Options) -> KnownRaters:
    """Return the raters named as models and people; by default all that are not people are models."""
    raters = [models[place] for place in np.unique(part.rows.judge)]
    for option in ("models", "people"):
        for name in options[option]:
            if name not in models:
                raise unknown(option, name, raters)
    people = frozenset(options["people"])
    if both := people & set(options["models"]):
        raise UsageError(f"{min(both)!r} is in models and in people; leave it out of one of them")
    return KnownRaters(frozenset(options["models"]) or frozenset(raters) - people, people)


@dataclass(frozen=True, eq=False)
class RaterCounts:
    """How often scores were given and shown at positions, shape (folds, raters, scores, positions)."""

    judges: Sequence[JudgeScores]
    selections: Resampled
    shown: Resampled


@dataclass(frozen=True, eq=False)
class HeldAgainst:
    """The raters that one is held against, by place, never itself; `people` is None if none are named."""

    models: Ints
    people: Ints | None

    @property
    def everybody(self) -> Ints:
        return self.models if self.people is None else np.concatenate([self.models, self.people])


def _of_scale(
    judges: Sequence[JudgeScores], kinds: KnownRaters, shown: Sequence[str]
) -> list[dict[str, Column]]:
    """Return the row of each rater shown, of all that scored on one scale."""
    if not judges:
        return []
    counts, rows = _counts(judges), []
    for place, judge in enumerate(judges):
        if shown and judge.name not in shown:
            continue
        others = [(other, kinds.of(each.name)) for other, each in enumerate(judges) if other != place]
        models, people = (
            np.array([other for other, kind in others if kind == wanted], dtype=np.int64)
            for wanted in ("model", "person")
        )
        row = _row(counts, place, HeldAgainst(models, people if kinds.people else None))
        rows.append(row | {"known_as": Column([kinds.of(judge.name)])})
    return rows


def _counts(judges: Sequence[JudgeScores]) -> RaterCounts:
    """Return the counts of raters on one scale; its questions are dealt to the folds in turn."""
    instances = np.unique(np.concatenate([judge.rows.instance for judge in judges]))
    scale, weights = judges[0].scale, judges[0].weights
    parts = min(FOLDS, len(instances))
    folds = [np.arange(fold, len(instances), parts) for fold in range(parts)]

    def by_fold(counts: Ints) -> Resampled:
        sums = [
            Resampled.over_instances(
                counts[..., fold], None if weights is None else weights[:, instances[fold]]
            )
            for fold in folds
        ]
        draws = [each.draws for each in sums if each.draws is not None]
        return Resampled(np.stack([each.total for each in sums]), np.stack(draws, axis=1) if draws else None)

    places = _places_in(scale)
    return RaterCounts(
        judges,
        by_fold(np.array([_selected_at(judge, instances) for judge in judges])),
        by_fold(np.array([_shown_in(judge, instances) for judge in judges])).apply(
            lambda counts: np.tensordot(counts, places, 1)
        ),
    )


def _selected_at(judge: JudgeScores, instances: Ints) -> Ints:
    """Return how often each score was given at each position, shape (scores, positions, instances)."""
    n = len(judge.scale.scores)
    cell = (judge.rows.choice * n + judge.positions) * len(instances)
    cell = cell + np.searchsorted(instances, judge.rows.instance)
    return np.bincount(cell, minlength=n * n * len(instances)).reshape(n, n, len(instances))


def _shown_in(judge: JudgeScores, instances: Ints) -> Ints:
    """Return how many forms were in each ordering, shape (orderings, instances)."""
    orderings = len(judge.scale.orderings)
    cell = judge.rows.ordering * len(instances) + np.searchsorted(instances, judge.rows.instance)
    return np.bincount(cell, minlength=orderings * len(instances)).reshape(orderings, len(instances))


def _places_in(scale: Scale) -> Ints:
    """Return whether each score stands at each position of each ordering: (orderings, scores, positions)."""
    scores = np.arange(len(scale.scores))[:, None]
    return np.asarray(scale.orderings[:, None, :] == scores, dtype=np.int64)


def _row(counts: RaterCounts, place: int, against: HeldAgainst) -> dict[str, Column]:
    judge = counts.judges[place]
    n, size = len(judge.rows.judge), len(judge.scale.scores)
    selections, shown = counts.selections, counts.shown
    code = _undefined(counts, place, against)
    value, draws, nearest = np.nan, None, None
    if code is None:
        of_models = log_ratios(selections.total, shown.total, place, against.models)
        best = np.flatnonzero(of_models >= of_models.max() - TOLERANCE)
        nearest = counts.judges[against.models[best[0]]].name if len(best) == 1 else None
        value = float(_likeness(selections.total, shown.total, place, against))
        if selections.draws is not None and shown.draws is not None:
            draws = _draws(selections.draws, shown.draws, place, against)[:, None]
    return {
        "judge": Column([judge.name]),
        "n_options": Column([size]),
        "scale": Column([judge.scale.write(np.arange(size))]),
        "against": Column([NO_EFFECT if against.people is None else PEOPLE]),
        "log_ratio": Column([value], draws, code),
        "log_ratio_se": Column(
            [np.nan if draws is None else float(draws.std(ddof=1))], reasons=code or "no_resamples"
        ),
        "per_100": Column([100 * value / n], None if draws is None else 100 * draws / n, code),
        "nearest": Column([nearest], reasons=code or "several_as_near"),
        "n": Column([n]),
        "n_questions": Column([len(np.unique(judge.rows.instance))]),
        "n_models": Column([len(against.models)]),
        "n_people": Column([0 if against.people is None else len(against.people)]),
        "small": Column([n < FEW]),
    }


def _undefined(counts: RaterCounts, place: int, against: HeldAgainst) -> str | None:
    """Return why a rater's likelihood ratio is undefined."""
    selections, shown = counts.selections.total, counts.shown.total
    if selections.shape[-1] < 2:
        return "one_option"
    for others, code in (
        (against.models, "no_other_model_scored"),
        (against.people, "no_other_person_scored"),
    ):
        if others is not None and not len(others):
            return code
    stood = shown[:, place].sum(axis=0)[selections[:, place].sum(axis=(0, 2)) > 0]
    if ((stood > 0).sum(axis=-1) < 2).all():
        return "one_ordering"
    own_folds = selections[:, place].any(axis=(-2, -1))
    forms = selections[:, against.everybody].sum(axis=(1, 2, 3))
    return None if ((forms.sum() - forms)[own_folds] > 0).any() else "no_other_question"


def _likeness(selections: Numbers, shown: Numbers, place: int, against: HeldAgainst) -> Floats:
    """Return the log of the models' mean likelihood ratio, less that of people if any are named."""
    ratio = mean_likelihood(log_ratios(selections, shown, place, against.models))
    if against.people is None:
        return ratio
    return np.asarray(ratio - mean_likelihood(log_ratios(selections, shown, place, against.people)))


def _draws(selections: Floats, shown: Floats, place: int, against: HeldAgainst) -> Floats:
    """Return the ratio of each resample."""
    size = selections.size * len(against.everybody) // selections.shape[2]
    parts = min(len(selections), 1 + size // _MOST_NUMBERS)
    split = zip(np.array_split(selections, parts), np.array_split(shown, parts), strict=True)
    return np.concatenate([_likeness(*part, place, against) for part in split])


MODEL_LIKENESS = Measure(
    name="model-likeness",
    title="Likeness to models",
    question="Was this form filled in by a model: do places of options attract a rater as they do models?",
    formula=(
        "log of the mean over models m of the product over forms of w_m(s, p) / sum over q of a(q | s) "
        "w_m(s, q): w_m is how many times likelier m gives score s where it stands at p, from other "
        "questions, shrunk to 1 as far as chance explains it; a(q | s) how often s stood at q for the rater. "
        "Against people: less the same of people"
    ),
    paper=f"{PAPER}, section 7 (future work); defined by this project",
    left_out=LEFT_OUT,
    function=model_likeness_table,
    chart="likeness",
    keys=("judge", "n_options", "scale"),
    headline="log_ratio",
    paradigms=OPTION_PARADIGMS,
    sliced=False,
    groups=(*ITEM_GROUPS, *ROW_GROUPS[:-1]),
    options=(
        Option("models", "names", "raters known to be models (default: all not named as people)", ()),
        Option(
            "people",
            "names",
            "raters known to be people: the others are then held against their pull, in place of none",
            (),
        ),
    ),
    fields=(
        entry.key("judge", "the rater: a judge, model or person"),
        N_OPTIONS,
        SCALE,
        entry.key("known_as", "model or person, as named; null: unknown", title="Known as"),
        entry.key("against", "what models are held against: no effect of the place, or people"),
        entry.estimate(
            "log_ratio",
            "natural log of the likelihood ratio of all forms; above 0: attracted as models are",
            0.0,
            title="Log likelihood ratio",
        ),
        entry.number(
            "log_ratio_se", "its standard error, over resamples of questions", title="Standard error"
        ),
        entry.estimate("per_100", "log_ratio for 100 forms", title="For 100 forms"),
        entry.key("nearest", "the model whose pull makes the rater's scores likeliest", title="Most like"),
        entry.count("n", "forms: scores given, each in an ordering"),
        entry.count("n_questions", "questions that they are on"),
        entry.count("n_models", "models held against; never the rater itself"),
        entry.count("n_people", "people held against; never the rater itself"),
        SMALL,
    ),
)
