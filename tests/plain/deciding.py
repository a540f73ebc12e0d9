"""The numbers that can decide the conclusion on each judge, and their evidence (MEASURES section 16).

A source is what was judged; `case(filled, dropped)` is the deciding number of all judges, with some judge's
missing own verdicts filled in as favourable or not, or with some of its own cells taken out.

Readings:
 1. Evidence of verdicts: the own cells are those that `outside` counts (for `hspp_matched` all own ones); the
    judge's own rate on the others' cells is `other_judge` (for `hspp_matched` the mean over S_J of its
    rates). The first that fails gives the reason: `few_instances` (10), `few_credited`, `few_uncredited` (5
    expected). Evidence of pairs: those counted, `few_pairs` (20), `few_instances` (10); of scores 10
    instances alone.
 2. `hspp_matched` and its doubt: logarithm, deleting one instance at a time, over the instances with a
    matched cell; there are no tastes to be told, so the conclusion is at most `leans_to_itself`.
 3. Missing: of the judge's own cells (of the truth asked for) or pairs (with an opponent outside its family,
    of the kind asked for), the share without a verdict or outcome; others' likewise, pooled: cells of S_J,
    for pairs all pairs without the judge's own response. Filled in, a pair is won or lost, a score 1 or 0;
    where points come from rubric verdicts the verdicts are filled in. The whole analysis is done again.
 4. `ratio_outside` goes with `odds_self`, and with `bonus_outside` of rubric verdicts (over all cells).
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from plain.asking import Query, mean
from plain.conditional import Estimate
from plain.contrasts import Shares
from plain.discernment import discerned, in_log_odds, pooled
from plain.equal_quality import Rules
from plain.opinions import Opinion, Scores, Vote, scores_of_opinions, scores_of_rows, verdicts, votes
from plain.outside import (
    Contrasts,
    Frame,
    Tastes,
    bonuses,
    counted_of_any_truth,
    kinds_of_pairs,
    odds,
    vote_gaps,
)
from plain.scores import kept_rubrics
from plain.tastes import delete_one

NO_TASTES = Tastes([], None, None, False)


class Filling(NamedTuple):
    """A judge whose missing verdicts are filled in: on its own responses, or on those of other families."""

    judge: str
    favourable: bool
    others: bool = False


Filled = Filling | None
Cells = frozenset[tuple[str, str, str]]


class Case(NamedTuple):
    """The deciding number of every judge and the other inputs of a conclusion."""

    scale: str
    each: dict[str, Estimate]
    relatives: dict[str, Estimate]
    tastes: Tastes
    ratios: dict[str, tuple[float | None, Estimate]]
    counts: dict[str, tuple[int, int, int]]
    gates: dict[str, str | None]
    discerned: Mapping[str, Estimate] = MappingProxyType({})
    family: "Family | None" = None


class Family(NamedTuple):
    """The inputs of a conclusion on the judges' relatives beside f_J; for judges with relatives."""

    ratios: dict[str, tuple[float | None, Estimate]]
    counts: dict[str, int]
    gates: dict[str, str | None]
    discerned: dict[str, Estimate]


def discerned_all(
    each: dict[str, Estimate],
    tastes: Tastes,
    appeal: dict[tuple[str, str], float],
    own: dict[str, list[str]],
) -> dict[str, Estimate]:
    """Every judge's number less the part explained by its discernment."""
    return {
        judge: discerned(number, tastes.placebos, appeal, own[judge], judge, tastes.spread or 0.0)
        for judge, number in each.items()
    }


def appeal_of(frame: Frame, given: dict[tuple[str, str], list[float]], of: Any = mean) -> dict:
    """How favourable other judges are to each generator."""
    return {key: of(values) for key, values in pooled(given, frame.relations).items()}


def gate_of_cells(n_own: int, instances: int, rate: float | None) -> str | None:
    """The reason why verdicts are too few for a conclusion."""
    if instances < 10:
        return "few_instances"
    if rate is None or n_own * rate < 5:
        return "few_credited"
    return "few_uncredited" if n_own * (1 - rate) < 5 else None


def share_missing(missing: int, counted: int) -> float | None:
    """The share missing of all requested verdicts."""
    return missing / (missing + counted) if missing + counted else None


class VerdictSource:
    """Rubric verdicts on failed cells or on all; `number` is odds_self, hspp_matched or bonus_outside."""

    def __init__(self, query: Query, frame: Frame, truth: str, number: str) -> None:
        self.query, self.frame, self.truth, self.number = query, frame, truth, number
        self.verdicts = verdicts(query, truth)
        self.rubrics_by_response = kept_rubrics(query) if number == "bonus_outside" else {}
        seen = self.verdicts if truth == "any" else counted_of_any_truth(query)
        self.judges = [j for j in frame.models if any(o.judge == o.generator == j for o in seen.opinions)]

    def opinions(self, filled: Filled, dropped: Cells) -> list[Opinion]:
        """The counted opinions, with verdicts filled in and cells (instance, rubric, generator) removed."""
        opinions = list(self.verdicts.opinions)
        if filled is not None:
            judge, favourable, others = filled
            near = set(self.frame.outsiders(judge)) if others else {judge}
            lost = [cell for cell in self.verdicts.missing if cell[0] == judge and cell[3] in near]
            opinions += [Opinion(*cell, favourable) for cell in lost]
        return [o for o in opinions if (o.instance_id, o.rubric_id, o.generator) not in dropped]

    def case(self, filled: Filled = None, dropped: Cells = frozenset(), only: str | None = None) -> Case:
        """The numbers of all judges, with the other inputs of the conclusion on `only`, if named."""
        opinions = self.opinions(filled, dropped)
        judges = self.judges if only is None else [only]
        if self.number == "hspp_matched":
            return matched_case(self.frame, self.judges, opinions)
        shares = {judge: Shares(opinions, self.frame.relations, judge) for judge in judges}
        parts = {judge: shares[judge].parts([judge]) for judge in judges}
        ratios = {judge: (parts[judge].ratio, shares[judge].log_ratio([judge])) for judge in judges}
        if self.number == "bonus_outside":
            scores = scores_of_opinions(self.query, opinions, self.rubrics_by_response)
            points = points_case(self.frame, self.judges, bonuses(self.frame, scores), scores)
            return points._replace(ratios=ratios)
        odds_fit = odds(self.frame, opinions)
        gates = {}
        for judge, part in parts.items():
            instances = len(shares[judge].instances([judge])[1])
            gates[judge] = gate_of_cells(part.n_own, instances, part.other_judge)
        given: dict[tuple[str, str], list[float]] = {}
        for o in opinions:
            given.setdefault((o.judge, o.generator), []).append(float(o.favourable))
        appeal = appeal_of(self.frame, given, in_log_odds)
        each = {judge: odds_fit.of(judge) for judge in self.judges}
        heard = {o.judge for o in opinions}  # all judges of the study are tested, even without own responses
        near = {judge: odds_fit.of(judge, "family") for judge in self.frame.models if judge in heard}
        relatives = {judge: self.frame.relatives(judge) for judge in self.frame.models}
        related = [judge for judge in judges if relatives[judge]]
        family = Family({}, {}, {}, discerned_all(near, odds_fit.tastes, appeal, relatives))
        for judge in related:
            part, doubt = shares[judge].parts(relatives[judge]), shares[judge].log_ratio(relatives[judge])
            n = part.n_own
            family.ratios[judge] = part.ratio, doubt
            family.counts[judge] = n
            instances = len(shares[judge].instances(relatives[judge])[1])
            family.gates[judge] = gate_of_cells(n, instances, part.other_judge)
        return Case(
            "odds",
            each,
            near,
            odds_fit.tastes,
            ratios,
            {judge: (part.n_own, part.n_other, part.n_outside) for judge, part in parts.items()},
            gates,
            discerned_all(each, odds_fit.tastes, appeal, {judge: [judge] for judge in self.judges}),
            family,
        )

    def missing(self, judge: str) -> tuple[float | None, float | None]:
        """The shares of own and others' cells without a verdict."""
        return self.missing_of(judge, {judge}), self.missing_of(judge, set(self.frame.outsiders(judge)))

    def missing_of(self, judge: str, generators: set[str]) -> float | None:
        """The share of these generators' cells without a verdict."""
        lost = sum(cell[0] == judge and cell[3] in generators for cell in self.verdicts.missing)
        counted = sum(o.judge == judge and o.generator in generators for o in self.verdicts.opinions)
        return share_missing(lost, counted)


def matched_case(frame: Frame, judges: list[str], opinions: list[Opinion]) -> Case:
    """`hspp_matched` of failed cells."""
    each, counts, gates = {}, {}, {}
    for judge in judges:
        other = frame.outsiders(judge)
        marks = {
            (o.instance_id, o.rubric_id, o.generator): o.favourable for o in opinions if o.judge == judge
        }
        own = {(x, k): f for (x, k, g), f in marks.items() if g == judge}
        pairs = [(x, own[x, k], f) for (x, k, g), f in marks.items() if g in other and (x, k) in own]

        def statistic(without: str | None, pairs: Any = pairs) -> float | None:
            mine = sum(one for x, one, _two in pairs if x != without)
            theirs = sum(two for x, _one, two in pairs if x != without)
            return math.log(mine / theirs) if mine and theirs else None

        instances = {x for x, _one, _two in pairs}
        estimate = delete_one(statistic, instances, instances)
        each[judge] = estimate if estimate.value is not None else Estimate(None, reason="no_matched_cells")
        by_generator = [[f for (_x, _k, g), f in marks.items() if g == generator] for generator in other]
        rate = mean([sum(values) / len(values) for values in by_generator if values])
        gates[judge] = gate_of_cells(len(own), len({x for x, _k in own}), rate)
        counts[judge] = (len(own), sum(map(len, by_generator)), 0)
    return Case("ratio", each, {}, NO_TASTES, {}, counts, gates)


def points_case(frame: Frame, judges: list[str], points: Contrasts, scores: Scores) -> Case:
    """Points of scores."""
    numbers = {judge: points.each[judge] for judge in judges if judge in points.each}
    given: dict[tuple[str, str], list[float]] = {}
    for (judge, _x, generator), value in scores.items():
        given.setdefault((judge, generator), []).append(100 * value)
    each = {judge: number.estimate for judge, number in numbers.items()}
    return Case(
        "points",
        each,
        {},
        points.tastes,
        {},
        {judge: (n.n_own, n.n_other, n.n_outside) for judge, n in numbers.items()},
        {judge: "few_instances" if n.instances < 10 else None for judge, n in numbers.items()},
        discerned_all(each, points.tastes, appeal_of(frame, given), {judge: [judge] for judge in each}),
    )


class ScoreSource:
    """Direct assessments or score rubrics."""

    truth, number = "any", "bonus_outside"

    def __init__(self, query: Query, frame: Frame) -> None:
        self.query, self.frame = query, frame
        self.scores, self.lost = scores_of_rows(query)
        self.judges = [j for j in frame.models if any(s == g == j for s, _x, g in self.scores)]

    def case(self, filled: Filled = None, _dropped: Cells = frozenset(), _only: str | None = None) -> Case:
        """The numbers of all judges."""
        scores: Scores = dict(self.scores)
        if filled is not None:
            judge, favourable, others = filled
            near = set(self.frame.outsiders(judge)) if others else {judge}
            scores |= {key: float(favourable) for key in self.lost if key[0] == judge and key[2] in near}
        return points_case(self.frame, self.judges, bonuses(self.frame, scores), scores)

    def missing(self, judge: str) -> tuple[float | None, float | None]:
        """The shares of own and others' responses without a score."""
        other = set(self.frame.outsiders(judge))
        shares = []
        for generators in ({judge}, other):
            lost = sum(key[0] == judge and key[2] in generators for key in self.lost)
            counted = sum(key[0] == judge and key[2] in generators for key in self.scores)
            shares.append(share_missing(lost, counted))
        return shares[0], shares[1]


class PairSource:
    """Pairs of one kind."""

    truth, number = "any", "vote_outside"

    def __init__(self, query: Query, frame: Frame, kind: str, opponents: str, rules: Rules) -> None:
        self.query, self.frame, self.kind, self.opponents = query, frame, kind, opponents
        self.votes, self.lost = votes(query)
        everything = [*self.votes, *(Vote(*key, 0.5) for key in self.lost)]
        self.kinds: Mapping[tuple[str, str], list[tuple[str, str]]] = kinds_of_pairs(
            query, everything, kind, rules
        )
        self.judges = [j for j in frame.models if any(v.judge == v.target == j for v in self.votes)]

    def case(self, filled: Filled = None, _dropped: Cells = frozenset(), _only: str | None = None) -> Case:
        """The numbers of all judges."""
        outcomes = list(self.votes)
        if filled is not None:
            judge, won, _others = filled
            outcomes += [Vote(*key, float(won)) for key in self.lost if key[0] == key[2] == judge]
        gaps = vote_gaps(self.frame, outcomes, self.kinds, self.opponents)
        numbers = {judge: gaps.each[judge] for judge in self.judges}
        gates = {}
        for judge, n in numbers.items():
            gates[judge] = "few_pairs" if n.n_own < 20 else "few_instances" if n.instances < 10 else None
        given: dict[tuple[str, str], list[float]] = {}
        for v in outcomes:
            counts = (v.instance_id, v.other) in self.kinds.get((v.judge, v.target), [])
            if counts and self.frame.relations[v.judge, v.other] == "other":
                given.setdefault((v.judge, v.target), []).append(v.value)
        each = {judge: number.estimate for judge, number in numbers.items()}
        return Case(
            "votes",
            each,
            {},
            gaps.tastes,
            {},
            {judge: (n.n_own, n.n_other, n.n_outside) for judge, n in numbers.items()},
            gates,
            discerned_all(
                each, gaps.tastes, appeal_of(self.frame, given), {judge: [judge] for judge in each}
            ),
        )

    def missing(self, judge: str) -> tuple[float | None, float | None]:
        """The shares of own and other pairs without an outcome."""
        kinds = set(self.kinds.get((judge, judge), []))
        outside = set(self.frame.outsiders(judge))

        def is_own(key: tuple[str, ...]) -> bool:
            near = self.opponents == "all" or key[3] in outside
            return key[0] == key[2] == judge and near and (key[1], key[3]) in kinds

        def is_other(key: tuple[str, ...]) -> bool:
            return key[0] == judge and judge not in key[2:4] and key[2] < key[3]

        shares = [
            share_missing(sum(map(is_side, self.lost)), sum(is_side(v[:4]) for v in self.votes))
            for is_side in (is_own, is_other)
        ]
        return shares[0], shares[1]


Source = VerdictSource | ScoreSource | PairSource
