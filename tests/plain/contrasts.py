"""A judge's treatment of some responses compared with outside judges' of the same (MEASURES section 15).

Every contrast is taken for a judge and for whoever stands in the place of its own response: itself, or a
placebo, whose relatives are left out then as the judge's own are, among outside judges, generators and (of
votes, with `opponents = all` too) opponents.

Readings:
 1. `n_own` and `n_other` are the cells that the judge shares with at least one judge outside its family,
    others' cells with one outside the generator's family too; of pairs the pairs counted, others' seen from
    each of their responses whose generator is outside the judge's family; of scores the own and the other
    responses (instance, generator) counted.
 2. Reasons, the first that applies: `no_outside_judge`; `no_common_cells` where no outside judge has all four
    shares; then a share of 0, `zero_own_outside`, `zero_other_judge`, `zero_other_outside`.
 3. The ratio against relatives takes the same outside judges and the same others' cells as the ratio.
 4. The mean over outside judges of a score is over those that scored the response on that instance.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from plain.asking import mean
from plain.conditional import Estimate, Relations
from plain.opinions import Opinion, Scores, Vote
from plain.tastes import delete_one


class Parts(NamedTuple):
    """The four shares, their counts, and the numbers they give."""

    own_judge: float | None = None
    own_outside: float | None = None
    other_judge: float | None = None
    other_outside: float | None = None
    n_own: int = 0
    n_other: int = 0
    n_outside: int = 0
    reason: str | None = None

    @property
    def ratio(self) -> float | None:
        """(own_J / own_out) / (oth_J / oth_out)."""
        if self.own_judge is None or self.reason is not None:
            return None
        return (self.own_judge / self.own_outside) / (self.other_judge / self.other_outside)  # type: ignore[operator]

    @property
    def difference(self) -> float | None:
        """(own_J - own_out) - (oth_J - oth_out)."""
        if self.own_judge is None:
            return None
        return (self.own_judge - self.own_outside) - (self.other_judge - self.other_outside)  # type: ignore[operator]


class Number(NamedTuple):
    """One number of one judge, its error, and its counts."""

    estimate: Estimate
    n_own: int = 0
    n_other: int = 0
    n_outside: int = 0
    instances: int = 0


class Tally:
    """Cells judged by both of two judges, and each one's favourable verdicts on them."""

    def __init__(self) -> None:
        self.total = (0, 0, 0)
        self.by_instance: dict[str, tuple[int, int, int]] = {}

    def add(self, instance_id: str, mine: bool, theirs: bool) -> None:
        n, a, b = self.by_instance.get(instance_id, (0, 0, 0))
        self.by_instance[instance_id] = (n + 1, a + mine, b + theirs)
        n, a, b = self.total
        self.total = (n + 1, a + mine, b + theirs)

    def shares(self, without: str | None) -> tuple[float, float] | None:
        """The two judges' shares, without one instance; None without cells."""
        gone = self.by_instance.get(without, (0, 0, 0)) if without is not None else (0, 0, 0)
        n, a, b = (one - other for one, other in zip(self.total, gone, strict=True))
        return (a / n, b / n) if n else None


class Shares:
    """The cells behind one judge's shares against outside judges."""

    def __init__(self, opinions: Sequence[Opinion], relations: Relations, judge: str) -> None:
        self.judge, self.relations = judge, relations
        cells: dict[tuple[str, str, str], dict[str, bool]] = {}
        for o in opinions:
            cells.setdefault((o.generator, o.instance_id, o.rubric_id), {})[o.judge] = o.favourable
        self.judges = {o.judge for o in opinions}
        self.cells = {key: by_judge for key, by_judge in cells.items() if judge in by_judge}
        self.tallies: dict[tuple[str, str], Tally] = {}
        for (generator, instance_id, _rubric), by_judge in self.cells.items():
            for other, favourable in by_judge.items():
                if other != judge:
                    tally = self.tallies.setdefault((other, generator), Tally())
                    tally.add(instance_id, by_judge[judge], favourable)

    def is_outside(self, model: str, own: Iterable[str]) -> bool:
        """Whether a model is unrelated to the judge and to the generator in place of its own."""
        return all(self.relations[one, model] == "other" for one in (self.judge, *own))

    def parts(self, own: Sequence[str], without: str | None = None) -> Parts:
        """The four shares with these generators' responses as the judge's own."""
        outside = [judge for judge in sorted(self.judges) if self.is_outside(judge, own)]
        n_own, n_other = self.counts(own) if without is None else (0, 0)
        if not outside:
            return Parts(n_own=n_own, n_other=n_other, reason="no_outside_judge")
        four = []
        for b in outside:
            mine = [self.tallies[b, g].shares(without) for g in own if (b, g) in self.tallies]
            theirs = [
                tally.shares(without)
                for (judge, generator), tally in self.tallies.items()
                if judge == b and self.is_other(generator, own, b)
            ]
            mine, theirs = ([share for share in shares if share] for shares in (mine, theirs))
            if mine and theirs:
                four.append(
                    [
                        sum(share[side] for share in group) / len(group)
                        for group in (mine, theirs)
                        for side in (0, 1)
                    ]
                )
        if not four:
            return Parts(n_own=n_own, n_other=n_other, reason="no_common_cells")
        own_judge, own_outside, other_judge, other_outside = (
            sum(column) / len(four) for column in zip(*four, strict=True)
        )
        zeros = {
            "zero_own_outside": own_outside,
            "zero_other_judge": other_judge,
            "zero_other_outside": other_outside,
        }
        reason = next((code for code, share in zeros.items() if share == 0), None)
        return Parts(own_judge, own_outside, other_judge, other_outside, n_own, n_other, len(four), reason)

    def is_other(self, generator: str, own: Iterable[str], b: str) -> bool:
        """Whether a generator is one of S_Jb."""
        return self.is_outside(generator, own) and self.relations[b, generator] == "other"

    def counts(self, own: Sequence[str]) -> tuple[int, int]:
        """The own cells shared with an outside judge, and others' cells shared with one of neither family."""
        n_own = n_other = 0
        for (generator, _instance, _rubric), by_judge in self.cells.items():
            if generator in own:
                n_own += any(self.relations[self.judge, b] == "other" for b in by_judge)
            elif self.relations[self.judge, generator] == "other":
                n_other += any(
                    self.relations[self.judge, b] == self.relations[b, generator] == "other" for b in by_judge
                )
        return n_own, n_other

    def instances(self, own: Sequence[str]) -> tuple[set[str], set[str]]:
        """All instances with a shared cell that counts, and those with an own one."""
        every, mine = set(), set()
        for (b, generator), tally in self.tallies.items():
            if self.is_outside(b, own):
                if generator in own:
                    mine |= set(tally.by_instance)
                if generator in own or self.is_other(generator, own, b):
                    every |= set(tally.by_instance)
        return every, mine

    def log_ratio(self, own: Sequence[str]) -> Estimate:
        """The logarithm of the ratio, with its standard error."""

        def statistic(without: str | None) -> float | None:
            ratio = self.parts(own, without).ratio
            return math.log(ratio) if ratio else None

        return delete_one(statistic, *self.instances(own))


def bonus(
    scores: Scores, relations: Relations, judge: str, own: str, judges: Iterable[str], models: Iterable[str]
) -> Number:
    """`bonus_outside` with `own`'s responses in place of the judge's, in points."""
    judges = list(judges)
    instances = sorted({x for scorer, x, _g in scores if scorer == judge})
    gaps: dict[str, dict[str, float]] = {}
    heard: set[str] = set()

    def gaps_of(generator: str) -> dict[str, float]:
        outside = [b for b in judges if all(relations[one, b] == "other" for one in (judge, own, generator))]
        gaps = {}
        for x in instances:
            theirs = [scores[b, x, generator] for b in outside if (b, x, generator) in scores]
            if theirs and (judge, x, generator) in scores:
                gaps[x] = scores[judge, x, generator] - sum(theirs) / len(theirs)
                if generator == own:
                    heard.update(b for b in outside if (b, x, generator) in scores)
        return gaps

    others = [g for g in models if relations[judge, g] == "other" and relations[own, g] == "other"]
    gaps = {generator: gaps_of(generator) for generator in (own, *others)}

    def statistic(without: str | None) -> float | None:
        mine = mean([gap for x, gap in gaps[own].items() if x != without])
        means = [mean([gap for x, gap in gaps[g].items() if x != without]) for g in others]
        theirs = mean([value for value in means if value is not None])
        return None if mine is None or theirs is None else 100 * (mine - theirs)

    if all(relations[judge, b] != "other" or relations[own, b] != "other" for b in judges):
        return Number(Estimate(None, reason="no_outside_judge"))
    estimate = delete_one(statistic, {x for gap in gaps.values() for x in gap}, gaps[own])
    if estimate.value is None:
        return Number(Estimate(None, reason="no_common_cells"))
    n_other = sum(len(gaps[g]) for g in others)
    return Number(estimate, len(gaps[own]), n_other, len(heard), len(gaps[own]))


def vote_gap(
    votes: Mapping[tuple[str, str, str, str], float],
    relations: Relations,
    judge: str,
    own: str,
    pairs: Iterable[tuple[str, str]],
    judges: Iterable[str],
    opponents: str = "outside",
) -> Number:
    """`vote_outside` with `own`'s responses in place of the judge's.

    `votes` by judge, instance, target and other; `pairs` are the (instance, other) of the requested kind.
    """
    judges, heard = list(judges), set()
    gaps: dict[str, list[float]] = {}
    for x, other in pairs:
        related = relations[judge, other] != "other"
        if related and (opponents == "outside" or own != judge):
            continue
        if own != judge and opponents == "outside" and relations[own, other] != "other":
            continue
        outside = [
            b
            for b in judges
            if all(relations[one, b] == "other" for one in (judge, own, other))
            and (b, x, own, other) in votes
        ]
        if outside and (judge, x, own, other) in votes:
            theirs = sum(votes[b, x, own, other] for b in outside) / len(outside)
            gaps.setdefault(x, []).append(votes[judge, x, own, other] - theirs)
            heard.update(outside)

    def statistic(without: str | None) -> float | None:
        return mean([gap for x, values in gaps.items() if x != without for gap in values])

    if all(relations[judge, b] != "other" or relations[own, b] != "other" for b in judges):
        return Number(Estimate(None, reason="no_outside_judge"))
    estimate = delete_one(statistic, gaps, gaps)
    if estimate.value is None:
        return Number(Estimate(None, reason="no_common_pairs"))
    return Number(estimate, sum(map(len, gaps.values())), 0, len(heard), len(gaps))


def as_votes(votes: Iterable[Vote]) -> dict[tuple[str, str, str, str], float]:
    """Votes by judge, instance, target and other."""
    return {(v.judge, v.instance_id, v.target, v.other): v.value for v in votes}
