"""Gold judges of pairs: their outcomes, and their panel's, written as preferences (MEASURES section 11)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.encoding import encode
from engine.arrays.judgment_rows import Selection, stored_responses
from engine.arrays.pairs.pair_outcomes import read_pairs
from engine.arrays.truths.gold_preferences import PLAIN
from engine.arrays.truths.references import COMMITTEE, FEWEST_MEMBERS
from engine.errors import UsageError, unknown
from engine.measures.causes.robustness import pairing_of
from engine.measures.measured_study import MeasuredStudy
from engine.stats import Bools
from engine.stats.pairs.compared_responses import PairOutcomes
from engine.store.study_files import Committee, StudyFiles
from engine.store.writer import Rows, exchange_table, replace_tables

PAIRWISE = "pairwise"
VARIANTS = ("forced", "default")
"""The variants of gold judgments, the first that the study has unless one is named."""


@dataclass(frozen=True)
class GoldCounts:
    """How many outcomes of members were written, and of their panel, ties among them."""

    outcomes: int
    panel: int
    ties: int


def write_gold(
    files: StudyFiles,
    name: str,
    members: Sequence[str],
    variant: str | None = None,
    transform: str = PLAIN,
    runs: Sequence[str] = (),
) -> GoldCounts:
    """Write each member's outcome on each pair under its own name, and the panel's as `committee:<name>`.

    A pair counts if it was judged in both orders. The panel's outcome is that of the members' mean vote, ties
    one half, where at least three have one. Rows of the panel's name are replaced, and of a member those on
    the same pairs. With a `transform` the responses compared are those so rewritten, a model that rewrote
    one of them is no source for it, and the outcomes on others stay. Raises UsageError for an unknown member,
    fewer than three, an unknown run, or one without such judgments.
    """
    study = MeasuredStudy(files).of_runs(runs)
    variant = _check(study, name, members, variant, transform)
    selection = Selection(paradigm=PAIRWISE, variant=variant, transform=transform, runs=study.only_runs)
    pairs = read_pairs(study.files, study.index, selection).outcomes
    places = [study.index.models.index(member) for member in members]
    missing = [m for m, place in zip(members, places, strict=True) if place not in pairs.judge]
    if missing:
        raise UsageError(
            f"member {missing[0]!r} has no {PAIRWISE} judgments of variant {variant!r} in both orders"
            f"{'' if transform == PLAIN else f' under {transform!r}'}; leave it out, or collect them"
        )
    votes = pairs.select(np.isin(pairs.judge, places) & ~_by_rewriter(study, pairs, transform))
    instances = study.index.instances.to_pylist()
    models = study.index.models
    rows: Rows = []
    by_pair: dict[tuple[str, str, str], list[int]] = {}
    for judge, instance, one, two, outcome in zip(
        votes.judge, votes.instance, votes.generator, votes.opponent, votes.outcome, strict=True
    ):
        pair = (instances[instance], models[one], models[two])
        rows.append(_row(pair, models[judge], int(outcome), transform))
        by_pair.setdefault(pair, []).append(int(outcome))
    panel = {
        pair: int(np.sign(sum(outcomes)))
        for pair, outcomes in by_pair.items()
        if len(outcomes) >= FEWEST_MEMBERS
    }
    rows += [_row(pair, COMMITTEE + name, outcome, transform) for pair, outcome in panel.items()]
    info = files.info.model_copy(deep=True)
    info.committees[name] = Committee(
        members=list(members), paradigm=PAIRWISE, variant=variant, runs=list(study.only_runs) or None
    )
    replace_tables(files, {"preferences": _replaced(files, rows, COMMITTEE + name, transform)}, info)
    ties = sum(outcome == 0 for outcome in panel.values())
    return GoldCounts(len(rows) - len(panel), len(panel), ties)


def _check(
    study: MeasuredStudy, name: str, members: Sequence[str], variant: str | None, transform: str
) -> str:
    """Return the variant of the gold judgments; UsageError for a name, member or variant that is wrong."""
    if not name.strip():
        raise UsageError(f"the panel's name is {name!r}; give a name that is not empty")
    for member in members:
        if member not in study.index.models:
            raise unknown("member", member, study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a panel needs at least {FEWEST_MEMBERS} members, but {name!r} has {len(set(members))}; name "
            "more"
        )
    transforms = [str(t) for t in study.inventory.values("transform", paradigm=PAIRWISE)]
    if transforms and transform not in transforms:
        raise unknown("transform", transform, transforms)
    if beside := pairing_of(study, transform):
        raise UsageError(
            f"the answers of transform {transform!r} are not compared with others changed alike "
            f"({beside}), so that no gold holds for both; name a rewriting"
        )
    variants = [str(v) for v in study.inventory.values("variant", paradigm=PAIRWISE, transform=transform)]
    if not variants:
        raise UsageError(f"the study {study.files.name!r} has no {PAIRWISE} judgments; collect them first")
    if variant is None:
        return next((each for each in VARIANTS if each in variants), variants[0])
    if variant not in variants:
        raise unknown("variant", variant, variants)
    return variant


def _by_rewriter(study: MeasuredStudy, pairs: PairOutcomes, transform: str) -> Bools:
    """Return which outcomes are by a model that rewrote one of the two responses."""
    index = study.index
    place, names = stored_responses(study.files, index, transform, "transformed_by")
    rewriter = np.full((len(index.models), index.n_instances), -1)
    rewriter[place] = encode(names, index.model_names)
    sides = (rewriter[side, pairs.instance] == pairs.judge for side in (pairs.generator, pairs.opponent))
    return np.asarray(np.logical_or(*sides))


def _row(pair: tuple[str, str, str], source: str, outcome: int, transform: str) -> dict[str, object]:
    instance, generator, opponent = pair
    names = {"instance_id": instance, "generator": generator, "opponent": opponent}
    return {**names, "source": source, "outcome": outcome, "transform": transform}


def _replaced(files: StudyFiles, rows: Rows, panel: str, transform: str) -> pa.Table:
    """Return the preferences with the new rows in the place of the panel's and of those on the same pairs."""

    def key(row: dict[str, object]) -> tuple[object, ...]:
        pair = frozenset((row["generator"], row["opponent"]))
        return row["instance_id"], pair, row["source"], row["transform"]

    new = {key(row) for row in rows}
    stored = files.table("preferences")
    is_panel = pc.equal(stored["source"].cast(pa.string()), panel)
    is_transform = pc.equal(stored["transform"].cast(pa.string()), transform)
    stored = stored.filter(pc.invert(pc.and_(is_panel, is_transform)))
    others = [row for row in stored.to_pylist() if key(row) not in new]
    return exchange_table("preferences", [*others, *rows])
