"""How far judges agree with people, where both gave verdicts, choices or scores."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.item_values import KINDS, Kind, RatedValues, SourceFilter
from engine.arrays.truths.references import UNNAMED
from engine.arrays.truths.sources import OTHERS, Sources
from engine.errors import UsageError
from engine.measures import entry
from engine.measures.columns import NO_CORRELATION, empty_column
from engine.measures.entry import OF_JUDGE, Field, Measure, Option
from engine.measures.quality.reference_agreement import (
    Joint,
    correlation_of,
    join,
    sources_of,
    statistic_column,
    table_of,
)
from engine.measures.rows import FEW, Column, Options, Table
from engine.slices import Slice
from engine.stats import Floats, Weights
from engine.stats.judges import agreement
from engine.stats.judges.alternative_annotator import FEWEST_PEOPLE, Contests, contests, stand_in
from engine.wording import Wording, option

HUMAN = "human"
_OF_CLASSES, _OF_SCORES = ("kappa", "balanced_f1"), ("correlation",)
FEWEST_SHARED = 10
"""Fewest items that people share for an interval of their own agreement."""


def people_table(study: StudyArrays, spec: Slice, options: Options, weights: Weights | None) -> Table:
    """Return a row for each judge and kind of value that it and people both give."""
    if not 0 <= options["epsilon"] <= 1:
        raise UsageError(f"epsilon {options['epsilon']!r} is not from 0 to 1; give one such as 0.15")
    source_filter = SourceFilter.of(study.index, spec)
    sources = sources_of(study, spec, source_filter)
    present = set(study.inventory.values("judge"))
    judges = [f"judge:{model}" for model in study.index.models if model in present]
    rows = []
    for kind in KINDS:
        ceiling = _ceiling(study, sources, kind, weights)
        for judge in judges:
            shared = _shared_items(sources, judge, kind)
            if shared is None:
                continue
            own, joint = shared
            name = judge.removeprefix("judge:")
            family = study.index.model_fields["family"][study.index.models.index(name)]
            rows.append(
                {"judge": Column([name]), "family": Column([family]), "kind": Column([kind])}
                | _agreement(study, sources, kind, own, joint, weights)
                | ceiling
                | _stand_in(study, sources, kind, own, options["epsilon"], weights)
            )
    if not rows:
        if source_filter.refusal is not None:
            raise source_filter.refusal
        if all(sources.read(HUMAN, kind, against=judge) is None for kind in KINDS for judge in judges):
            raise NoDataError(
                "the study has no verdicts of people; create a task with `spb label new`, or import them"
            )
        raise NoDataError(
            "no judge has judged what people judged too; pairs count only if judged in both orders",
            *_in_another_paradigm(study, spec, source_filter, judges),
        )
    return Table.of(rows, study.index.n_instances)


def _shared_items(sources: Sources, judge: str, kind: Kind) -> tuple[RatedValues, Joint] | None:
    """Return a judge's values, and those of items that people judged too; None if there are no such items."""
    own = sources.read(judge, kind, against=HUMAN)
    people = None if own is None else sources.read(HUMAN, kind, against=judge)
    if own is None or people is None:
        return None
    joint = join(own, people)
    return (own, joint) if len(joint.a) else None


def _in_another_paradigm(
    study: StudyArrays, spec: Slice, source_filter: SourceFilter, judges: list[str]
) -> Iterator[str | Wording]:
    """Yield how to take a paradigm that shares items with people, where none was named."""
    for paradigm in study.inventory.values("paradigm") if spec.paradigm is None else ():
        sources = sources_of(study, replace(spec, paradigm=paradigm), source_filter)
        if any(_shared_items(sources, judge, kind) for kind in KINDS for judge in judges):
            yield from ("; other judgments are of what people judged: give ", option("paradigm", paradigm))
            return


def _agreement(
    study: StudyArrays, sources: Sources, kind: Kind, own: RatedValues, joint: Joint, weights: Weights | None
) -> dict[str, Column]:
    n = len(joint.a)
    columns = {"n": Column([n]), "small": Column([n < FEW])}
    columns |= dict.fromkeys((*_OF_CLASSES, *_OF_SCORES), empty_column(1, weights, "of_another_kind"))
    if kind == "score":
        return columns | {"correlation": correlation_of(joint, weights, agreement.weighted_pearson)}
    table = table_of(study, joint, 2 if kind == "verdict" else 3, weights)
    columns["kappa"] = statistic_column(agreement.cohens_kappa, *table)
    if kind == "verdict":
        every = join(sources.persons(against=""), own)
        if len(every.a):
            columns["balanced_f1"] = statistic_column(
                agreement.balanced_f1, *table_of(study, every, 2, weights)
            )
    return columns


def _ceiling(study: StudyArrays, sources: Sources, kind: Kind, weights: Weights | None) -> dict[str, Column]:
    """Return the mean agreement of each person with the others (kappa, or of scores the correlation), and n.

    Its interval is undefined if people share fewer than `FEWEST_SHARED` items.
    """
    people = sources.people()
    values, draws = [], []
    shared = np.zeros(0, dtype=np.int64)
    for person in people:
        against = OTHERS if len(people) > 2 else next((one for one in people if one != person), person)
        own, others = sources.read(person, kind, against=against), None
        if against != person:
            others = sources.read(against, kind, against=person)
        joint = None if own is None or others is None else join(own, others)
        if own is None or others is None or joint is None or not len(joint.a):
            continue
        shared = np.union1d(shared, np.intersect1d(own.item, others.item))
        if kind == "score":
            column = correlation_of(joint, weights, agreement.weighted_pearson)
        else:
            classes = 2 if kind == "verdict" else 3
            column = statistic_column(agreement.cohens_kappa, *table_of(study, joint, classes, weights))
        if np.isfinite(column.values[0]):
            values.append(float(column.values[0]))
            draws += [] if column.draws is None else [column.draws]
    number = Column([len(shared)])
    unnamed = Column([_counts_unnamed(sources, kind, people)])
    if not values:
        why = "no_two_people_share_items" if kind != "score" else NO_CORRELATION
        return {"ceiling": empty_column(1, weights, why), "n_ceiling": number, "ceiling_unnamed": unnamed}
    of_draws = np.mean(draws, axis=0) if draws else None
    if of_draws is not None and len(shared) < FEWEST_SHARED:
        of_draws = np.full_like(of_draws, np.nan)
    ceiling = Column([float(np.mean(values))], of_draws)
    return {"ceiling": ceiling, "n_ceiling": number, "ceiling_unnamed": unnamed}


def _counts_unnamed(sources: Sources, kind: Kind, people: list[str]) -> bool:
    """Return whether what is stored without a person's name is one of the people behind the ceiling.

    Two persons are held against each other; of more, each against all others, those without a name too.
    """
    without_name = [name for name in sources.voters() if name not in people] if len(people) > 2 else []
    candidates = [*without_name, *(name for name in people if name.startswith(UNNAMED))]
    return any(sources.read(name, kind, against="") is not None for name in candidates)


def _stand_in(
    study: StudyArrays,
    sources: Sources,
    kind: Kind,
    own: RatedValues,
    epsilon: float,
    weights: Weights | None,
) -> dict[str, Column]:
    contest = _contests(study, sources, kind, own)
    why = "fewer_than_three_people_with_30_instances"
    if contest is None or contest.testable.sum() < FEWEST_PEOPLE:
        nothing = empty_column(1, weights, why)
        return {
            "winning_rate": nothing,
            "advantage_probability": nothing,
            "n_people": Column([0 if contest is None else int(contest.testable.sum())]),
            "may_stand_in": Column([None], reasons=why),
        }
    value = stand_in(contest, epsilon)
    draws = None if weights is None else stand_in(contest, epsilon, np.asarray(weights, dtype=np.float64))

    def column(name: str) -> Column:
        of_draws: Floats | None = None if draws is None else getattr(draws, name)[:, None]
        return Column(getattr(value, name), of_draws)

    return {
        "winning_rate": column("winning_rate"),
        "advantage_probability": column("advantage"),
        "n_people": Column([int(contest.testable.sum())]),
        "may_stand_in": Column([bool(value.winning_rate[0] >= 0.5)]),
    }


def _contests(study: StudyArrays, sources: Sources, kind: Kind, own: RatedValues) -> Contests | None:
    """Return the judge's contests with each person, on the items that it judged; None without people."""
    order = np.argsort(own.item)
    people = []
    for person in sources.people():
        values = sources.read(person, kind, against="")
        if values is None:
            continue
        place = order[np.minimum(np.searchsorted(own.item[order], values.item), len(order) - 1)]
        matched = own.item[place] == values.item
        row = np.full(len(own.item), np.nan)
        row[place[matched]] = values.value[matched]
        people.append(row)
    if not people:
        return None
    n_instances = study.index.n_instances
    return contests(own.value, np.array(people), own.instance, n_instances, of_scores=kind == "score")


PEOPLE = Measure(
    name="people",
    title="Agreement with people",
    question="How far does each judge agree with people, and may it stand in for one of them?",
    formula=(
        "kappa with the people's majority, Pearson's correlation with their mean; winning_rate = share of "
        "people whom the judge represents the others no worse than, but for epsilon (Benjamini-Yekutieli at "
        ".05)"
    ),
    paper="none of the papers; Calderon et al. 2025, the alternative annotator test",
    left_out="items that no person, or not the judge, has judged",
    function=people_table,
    keys=("judge", "kind"),
    headline="kappa",
    chart="people",
    sliced=False,
    options=(
        Option(
            "epsilon",
            "number",
            "how much more often than the judge a person may win before it may not be replaced",
            0.15,
        ),
    ),
    fields=(
        *OF_JUDGE,
        entry.key("kind", "verdict, outcome (of pairs) or score"),
        entry.estimate(
            "kappa", "Cohen's kappa with the people's majority (outcomes, and verdicts as met or not met)"
        ),
        entry.estimate("correlation", "Pearson's correlation with the people's mean (scores)"),
        entry.share("balanced_f1", "mean F1 of met and of not met, every item and person counted (verdicts)"),
        entry.estimate(
            "ceiling",
            "the people's own agreement, each with the others: mean kappa, or correlation of scores",
        ),
        entry.share(
            "winning_rate", "share of people whom the judge may stand in for; .5 or more passes the test"
        ),
        entry.share(
            "advantage_probability",
            "mean probability that the judge represents the other people no worse than a person does",
        ),
        Field("may_stand_in", "flag", "winning_rate is .5 or more"),
        entry.count("n_ceiling", "items that two people or more judged, behind the ceiling"),
        Field(
            "ceiling_unnamed",
            "flag",
            "what the file has without a person's name (`human:unnamed`) counts as one of the people behind "
            "the ceiling",
        ),
        entry.count("n_people", "people tested: those with 30 questions or more"),
        entry.count("n", "items that the judge and people both judged"),
        Field("small", "flag", "fewer than 30 items"),
    ),
    empty="no judge has judged what people judged too; pairs count only if judged in both orders",
)
