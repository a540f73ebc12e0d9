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
    matched cell; there are no tastes to be told, so the conclusion is at most `overrates_itself`.
 3. Missing: of the judge's own cells (of the truth asked for) or pairs (with an opponent outside its family,
    of the kind asked for), those without a verdict or outcome; others' likewise: cells of S_J, for pairs all
    pairs without the judge's own response. Absent, and missing like these: what another judge judged (of own
    and relatives' responses one of another family) and the judge has no row for, though it has one for some
    other answer to the criterion (for scores and pairs: to the question). Filled in, a pair is won or lost, a
    score 1 or 0; where points come from rubric verdicts the verdicts are filled in. The whole analysis is
    done again.
 4. `ratio_outside` goes with `odds_self`, and with `bonus_outside` of rubric verdicts (over all cells).
"""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from plain.asking import Query, mean
from plain.conditional import Estimate
from plain.contrasts import Shares
from plain.discernment import discerned, in_log_odds, pooled
from plain.equal_quality import Rules
from plain.family_without_self import bonus_outside_family, vote_outside_family
from plain.opinions import (
    Opinion,
    Scores,
    Vote,
    has_truth,
    scores_of_opinions,
    scores_of_rows,
    verdicts,
    votes,
)
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
from plain.scores import RubricsByResponse, kept_rubrics
from plain.tastes import delete_one
from plain.verdicts import rows_in_slice

NO_TASTES = Tastes([], None, None, False)


class Filling(NamedTuple):
    """A judge whose missing verdicts are filled in: on its own responses, its relatives', or others'."""

    judge: str
    favourable: bool
    others: bool = False
    family: bool = False

    def generators(self, frame: Frame) -> set[str]:
        """Whose responses they are on."""
        if self.others:
            return set(frame.outsiders(self.judge))
        return set(frame.relatives(self.judge)) if self.family else {self.judge}


Filled = Filling | None
Cells = frozenset[tuple[str, str, str]]
Lacking = dict[str, list[bool]]
"""Instance -> of each cell, judged or missing, whether it is missing."""


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
    given: Mapping[str, float] = MappingProxyType({})
    enough: Mapping[str, float] = MappingProxyType({})  # the own cases that would pass every gate


class Family(NamedTuple):
    """The inputs of a conclusion on the judges' relatives beside f_J; for judges with relatives."""

    ratios: dict[str, tuple[float | None, Estimate]]
    counts: dict[str, int]
    gates: dict[str, str | None]
    discerned: dict[str, Estimate]


def discerned_all(
    frame: Frame,
    each: dict[str, Estimate],
    tastes: Tastes,
    appeal: dict[tuple[str, str], float],
    own: dict[str, list[str]],
) -> dict[str, Estimate]:
    """Every judge's number less the part explained by its discernment."""
    return {
        judge: discerned(
            number, tastes.placebos, appeal, own[judge], frame.outsiders(judge), judge, tastes.spread or 0.0
        )
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


def enough_cells(n_own: int, instances: int, rate: float | None) -> float:
    """The own verdicts with which `gate_of_cells` finds enough, if all grow alike."""
    if not n_own or not instances or rate is None or rate in (0, 1):
        return math.inf
    return max(n_own * 10 / instances, 5 / rate, 5 / (1 - rate))


def by_instance(missing: Iterable[str], counted: Iterable[str]) -> Lacking:
    """The cells of each instance, from the instances of those missing and of those judged."""
    cells: Lacking = {}
    for instances, lacks in ((missing, True), (counted, False)):
        for x in instances:
            cells.setdefault(x, []).append(lacks)
    return cells


def side_of(frame: Frame, judge: str, whose: str) -> set[str]:
    """The generators of one side: `own`, `family` or `other`."""
    return {"own": {judge}, "family": set(frame.relatives(judge)), "other": set(frame.outsiders(judge))}[
        whose
    ]


class VerdictSource:
    """Rubric verdicts on failed cells or on all; `number` is odds_self, hspp_matched or bonus_outside."""

    def __init__(self, query: Query, frame: Frame, truth: str, number: str) -> None:
        self.query, self.frame, self.truth, self.number = query, frame, truth, number
        self.verdicts = verdicts(query, truth)
        self.rubrics_by_response = kept_rubrics(query) if number == "bonus_outside" else {}
        self.absent = self._absent()
        self.lost = [*self.verdicts.missing, *self.absent]
        seen = self.verdicts if truth == "any" else counted_of_any_truth(query)
        self.judges = [j for j in frame.models if any(o.judge == o.generator == j for o in seen.opinions)]

    def _absent(self) -> list[tuple[str, str, str, str]]:
        """The cells that another judge judged and that a judge has no row for."""
        requested = {
            (row["judge"], row["instance_id"], row["rubric_id"], row["generator"])
            for row in rows_in_slice(self.query)
        }
        criteria = {(judge, x, k) for judge, x, k, _g in requested}
        by: dict[tuple[str, str, str], set[str]] = {}
        for o in self.verdicts.opinions:
            by.setdefault((o.instance_id, o.rubric_id, o.generator), set()).add(o.judge)
        absent = []
        for judge in sorted({judge for judge, _x, _k in criteria}):
            for (x, k, g), judges in by.items():
                if (judge, x, k, g) in requested or (judge, x, k) not in criteria:
                    continue
                far = [b for b in judges if self.frame.relations[judge, b] == "other"]
                judged = judges if self.frame.relations[judge, g] == "other" else far
                if judged and has_truth(self.query, judge, (x, g, k), self.truth):
                    absent.append((judge, x, k, g))
        return absent

    def _rubrics_with(self, filled: Filled) -> RubricsByResponse:
        """The rubrics of each response, with those of responses that have no row until they are filled in."""
        rubric_lists = dict(self.rubrics_by_response)
        near = set() if filled is None else filled.generators(self.frame)
        for judge, x, _k, g in self.lost:
            if (
                filled is not None
                and judge == filled.judge
                and g in near
                and (judge, x, g) not in rubric_lists
            ):
                rubric_lists[judge, x, g] = next(of for (_j, at, _g), of in rubric_lists.items() if at == x)
        return rubric_lists

    def opinions(self, filled: Filled, dropped: Cells) -> list[Opinion]:
        """The counted opinions, with verdicts filled in and cells (instance, rubric, generator) removed."""
        opinions = list(self.verdicts.opinions)
        if filled is not None:
            near = filled.generators(self.frame)
            lost = [cell for cell in self.lost if cell[0] == filled.judge and cell[3] in near]
            opinions += [Opinion(*cell, filled.favourable) for cell in lost]
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
            scores = scores_of_opinions(self.query, opinions, self._rubrics_with(filled))
            points = points_case(self.frame, self.judges, bonuses(self.frame, scores), scores)
            return points._replace(ratios=ratios)
        odds_fit = odds(self.frame, opinions)
        gates, enough = {}, {}
        for judge, part in parts.items():
            counts = part.n_own, len(shares[judge].instances([judge])[1]), part.other_judge
            gates[judge], enough[judge] = gate_of_cells(*counts), enough_cells(*counts)
        given: dict[tuple[str, str], list[float]] = {}
        for o in opinions:
            given.setdefault((o.judge, o.generator), []).append(float(o.favourable))
        appeal = appeal_of(self.frame, given, in_log_odds)
        each = {judge: odds_fit.of(judge) for judge in self.judges}
        heard = {o.judge for o in opinions}  # all judges of the study are tested, even without own responses
        near = {judge: odds_fit.of(judge, "family") for judge in self.frame.models if judge in heard}
        relatives = {judge: self.frame.relatives(judge) for judge in self.frame.models}
        related = [judge for judge in judges if relatives[judge]]
        family = Family({}, {}, {}, discerned_all(self.frame, near, odds_fit.tastes, appeal, relatives))
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
            discerned_all(
                self.frame, each, odds_fit.tastes, appeal, {judge: [judge] for judge in self.judges}
            ),
            family,
            enough=enough,
        )

    def lacking(self, judge: str, whose: str) -> Lacking:
        """The cells of one side, judged and missing."""
        near = side_of(self.frame, judge, whose)
        return by_instance(
            [cell[1] for cell in self.lost if cell[0] == judge and cell[3] in near],
            [o.instance_id for o in self.verdicts.opinions if o.judge == judge and o.generator in near],
        )

    def number_absent(self, judge: str, whose: str) -> int:
        """How many of those missing have no row at all."""
        near = side_of(self.frame, judge, whose)
        return sum(cell[0] == judge and cell[3] in near for cell in self.absent)


def matched_case(frame: Frame, judges: list[str], opinions: list[Opinion]) -> Case:
    """`hspp_matched` of failed cells."""
    each, counts, gates, enough = {}, {}, {}, {}
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
        of_gates = len(own), len({x for x, _k in own}), rate
        gates[judge], enough[judge] = gate_of_cells(*of_gates), enough_cells(*of_gates)
        counts[judge] = (len(own), sum(map(len, by_generator)), 0)
    return Case("ratio", each, {}, NO_TASTES, {}, counts, gates, enough=enough)


def points_case(frame: Frame, judges: list[str], points: Contrasts, scores: Scores) -> Case:
    """Points of scores."""
    numbers = {judge: points.each[judge] for judge in judges if judge in points.each}
    given: dict[tuple[str, str], list[float]] = {}
    for (judge, _x, generator), value in scores.items():
        given.setdefault((judge, generator), []).append(100 * value)
    each = {judge: number.estimate for judge, number in numbers.items()}
    judges_of_any = list(dict.fromkeys(judge for judge, _x, _g in scores))
    near = {judge: bonus_outside_family(scores, frame.relations, judge) for judge in judges_of_any}
    return Case(
        "points",
        each,
        near,
        points.tastes,
        {},
        {judge: (n.n_own, n.n_other, n.n_outside) for judge, n in numbers.items()},
        {judge: "few_instances" if n.instances < 10 else None for judge, n in numbers.items()},
        discerned_all(
            frame, each, points.tastes, appeal_of(frame, given), {judge: [judge] for judge in each}
        ),
        of_relatives(frame, near, points.tastes, appeal_of(frame, given)),
        enough={judge: n.n_own * 10 / n.instances for judge, n in numbers.items() if n.instances},
    )


def of_relatives(
    frame: Frame, near: dict[str, Estimate], tastes: Tastes, appeal: dict[tuple[str, str], float]
) -> Family:
    """What scores and votes say of relatives, as far as it is adjusted with what they say of judges."""
    relatives = {judge: frame.relatives(judge) for judge in near}
    return Family({}, {}, {}, discerned_all(frame, near, tastes, appeal, relatives))


class ScoreSource:
    """Direct assessments or score rubrics."""

    truth, number = "any", "bonus_outside"

    def __init__(self, query: Query, frame: Frame) -> None:
        self.query, self.frame = query, frame
        self.scores, self.lost = scores_of_rows(query)
        self.judges = [j for j in frame.models if any(s == g == j for s, _x, g in self.scores)]
        self.absent = self._absent()
        self.lost += self.absent

    def _absent(self) -> list[tuple[str, str, str]]:
        """The responses that another judge scored and that a judge has no row for."""
        requested = {*self.scores, *self.lost}
        absent = []
        for judge in sorted({judge for judge, _x, _g in requested}):
            for x, g in sorted({(x, g) for _judge, x, g in self.scores}):
                if (judge, x, g) in requested or not any(
                    (judge, x, other) in requested for other in self.frame.models
                ):
                    continue
                near = self.frame.relations[judge, g] != "other"
                by = [b for b in self.frame.models if (b, x, g) in self.scores]
                if any(not near or self.frame.relations[judge, b] == "other" for b in by):
                    absent.append((judge, x, g))
        return absent

    def case(self, filled: Filled = None, _dropped: Cells = frozenset(), _only: str | None = None) -> Case:
        """The numbers of all judges."""
        scores: Scores = dict(self.scores)
        if filled is not None:
            near = filled.generators(self.frame)
            lost = [key for key in self.lost if key[0] == filled.judge and key[2] in near]
            scores |= dict.fromkeys(lost, float(filled.favourable))
        return points_case(self.frame, self.judges, bonuses(self.frame, scores), scores)

    def lacking(self, judge: str, whose: str) -> Lacking:
        """The responses of one side, scored and missing."""
        near = side_of(self.frame, judge, whose)
        parts = (
            [key[1] for key in of if key[0] == judge and key[2] in near] for of in (self.lost, self.scores)
        )
        return by_instance(*parts)

    def number_absent(self, judge: str, whose: str) -> int:
        """How many of those missing have no row at all."""
        near = side_of(self.frame, judge, whose)
        return sum(key[0] == judge and key[2] in near for key in self.absent)


class PairSource:
    """Pairs of one kind."""

    truth, number = "any", "vote_outside"

    def __init__(self, query: Query, frame: Frame, kind: str, opponents: str, rules: Rules) -> None:
        self.query, self.frame, self.kind, self.opponents = query, frame, kind, opponents
        self.votes, self.lost = votes(query)
        self.absent = self._absent()
        self.lost += self.absent
        everything = [*self.votes, *(Vote(*key, 0.5) for key in self.lost)]
        self.kinds: Mapping[tuple[str, str], list[tuple[str, str]]] = kinds_of_pairs(
            query, everything, kind, rules
        )
        self.judges = [j for j in frame.models if any(v.judge == v.target == j for v in self.votes)]

    def _absent(self) -> list[tuple[str, str, str, str]]:
        """The pairs that another judge judged, on whose question a judge has rows, but none for the pair."""
        requested = {*(vote[:4] for vote in self.votes), *self.lost}
        questions = {key[:2] for key in requested}
        by: dict[tuple[str, str, str], set[str]] = {}
        for vote in self.votes:
            by.setdefault((vote.instance_id, vote.target, vote.other), set()).add(vote.judge)
        absent = []
        for judge in sorted({judge for judge, _x in questions}):
            for (x, target, other), judges in by.items():
                if (judge, x, target, other) in requested or (judge, x) not in questions:
                    continue
                near = any(self.frame.relations[judge, side] != "other" for side in (target, other))
                if any(not near or self.frame.relations[judge, b] == "other" for b in judges):
                    absent.append((judge, x, target, other))
        return absent

    def case(self, filled: Filled = None, _dropped: Cells = frozenset(), _only: str | None = None) -> Case:
        """The numbers of all judges."""
        outcomes = list(self.votes)
        if filled is not None:
            lost = [key for key in self.lost if key[0] == key[2] == filled.judge]
            outcomes += [Vote(*key, float(filled.favourable)) for key in lost]
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
        heard = list(dict.fromkeys(vote.judge for vote in outcomes))
        near = {judge: vote_outside_family(outcomes, self.frame.relations, judge) for judge in heard}
        return Case(
            "votes",
            each,
            near,
            gaps.tastes,
            {},
            {judge: (n.n_own, n.n_other, n.n_outside) for judge, n in numbers.items()},
            gates,
            discerned_all(
                self.frame,
                each,
                gaps.tastes,
                appeal_of(self.frame, given),
                {judge: [judge] for judge in each},
            ),
            of_relatives(self.frame, near, gaps.tastes, appeal_of(self.frame, given)),
            {judge: self._given(judge, outcomes) for judge in each},
            {judge: max(20, n.n_own * 10 / n.instances) for judge, n in numbers.items() if n.instances},
        )

    def _given(self, judge: str, outcomes: list[Vote]) -> float:
        """The mean of v_J over the own pairs that an outside judge judged too."""
        value = {vote[:4]: vote.value for vote in outcomes}
        own = []
        for x, other in self.kinds.get((judge, judge), []):
            if self.opponents == "outside" and self.frame.relations[judge, other] != "other":
                continue
            outside = [b for b in self.frame.outsiders(judge) if self.frame.relations[b, other] == "other"]
            if any((b, x, judge, other) in value for b in outside) and (judge, x, judge, other) in value:
                own.append(value[judge, x, judge, other])
        return sum(own) / len(own) if own else math.nan

    def lacking(self, judge: str, whose: str) -> Lacking:
        """The own pairs, or those without its response, judged and missing."""
        parts = ([key[1] for key in of if self._is_of(judge, whose, key)] for of in (self.lost, self.votes))
        return by_instance(*parts)

    def number_absent(self, judge: str, whose: str) -> int:
        """How many of those missing have no row at all."""
        return sum(self._is_of(judge, whose, key) for key in self.absent)

    def _is_of(self, judge: str, whose: str, key: tuple[Any, ...]) -> bool:
        """Whether a pair is one of the judge's own, of the kind asked for, or without its response."""
        if key[0] != judge or whose == "family":
            return False
        if whose == "other":
            return judge not in key[2:4] and key[2] < key[3]
        near = self.opponents == "all" or self.frame.relations[judge, key[3]] == "other"
        return key[2] == judge and near and (key[1], key[3]) in self.kinds.get((judge, judge), [])


Source = VerdictSource | ScoreSource | PairSource
