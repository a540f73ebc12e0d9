"""Committees as judges, by size and without a family (MEASURES section 7), by plain loops.

Readings, for points that MEASURES leaves open:
 1. A committee has all its verdicts, even if the judge it replaces has none. `left_out` counts the
    members' own rows, `incomplete` included.
 2. Verdicts are joined by majority, of three or more members present; of a committee of one or two (there are
    such by size only) all must be present. Scores are joined by mean or median of as many.
    Of pairs the resolved outcomes are joined, likewise: what more than half of them say stands, whatever the
    reference has; there is no rubric level and no mean.
 3. Mean and median of rubric verdicts are those of the members' scores of a response, each complete over the
    rubrics kept, whatever the reference has; there is no rubric level then.
 4. A committee by size judges in the place of its own members; where a judge's kin (or itself) may not vote,
    in the place of those members of the whole of whom nobody that may not vote sits in it.
 5. Its number is the mean over those judges that have one, the row's the mean over committees that have one.
 6. Compared with outside judges, a member is the judge, with its own verdicts or the committee's; all
    other judges of the study are as they are. Of rubric verdicts alone.
 7. Without a family, the others' and the left-out members' means are apart; fewer than three votes: none.
"""

from collections.abc import Iterator
from itertools import combinations
from statistics import mean, median
from typing import Any

from plain.agreement import is_agreed
from plain.asking import (
    Query,
    RefusedError,
    ask,
    first_of_repeats,
    models,
    named,
    relation,
    rows_asked,
    rubrics_of,
)
from plain.contrasts import Shares
from plain.filters import instance_is_kept, rubric_is_kept
from plain.opinions import Opinion
from plain.opinions import verdicts as verdicts_of_outside
from plain.pairs import put_in_orientation, resolve, resolved_pairs
from plain.ratios import Fields, accuracy_fields, instance_cells, ratio_rows
from plain.scores import (
    Comparison,
    RubricsByResponse,
    Scored,
    comparisons_of_scores,
    kept_rubrics,
    score,
    scores_from_assessments,
    scores_from_verdicts,
    sign,
    true_score,
)
from plain.study import PlainStudy, Row
from plain.truth import Item, reference_verdict, strict_majority, verdicts_by_item
from plain.verdicts import Verdict, counted_verdicts, rubric_cells, verdict

Result = tuple[list[Fields], dict[str, int]]

RATIOS = ("hspp_self", "hspp_family")
NUMBERS = (*RATIOS, "mra", "mipa")
FEWEST = 3


class Court:
    """The settings of a question about committees: members, judged models, levels, combination."""

    def __init__(
        self, study: PlainStudy, members: list[str] | None, combine: str | None, options: Any
    ) -> None:
        if members is None:
            if len(study.committees) != 1:
                raise RefusedError(f"name the members, or have one of: {sorted(study.committees)}")
            members = next(iter(study.committees.values()))["members"]
        query = ask(study, **{**options, "level": None})
        if query.paradigm == "pairwise" and combine in ("mean", "median"):
            raise RefusedError("pairs have no scores")
        if query.paradigm == "direct_assessment" and combine == "majority":
            raise RefusedError("scores have no majority")
        self.members = list(members)
        self.combine = combine or ("mean" if query.paradigm == "direct_assessment" else "majority")
        level = options.get("level")
        if self.combine != "majority":
            if level == "rubric":
                raise RefusedError("scores have no rubric level")
            level = "instance"
        if query.paradigm == "pairwise":
            if level == "rubric":
                raise RefusedError("pairs have no rubric level")
            level = "instance"
        self.levels = [level] if level else ["rubric", "instance"]
        there = {row["judge"] for row in rows_asked(query)}
        self.bench = [model for model in models(query) if model in members and model in there]
        self.judged = [member for member in self.bench if named(query.judges, member)]
        self.query = query.with_options(judges=self.judged)
        self.alone = self._alone()

    def _alone(self) -> dict[str, dict[str, Fields]]:
        """Level -> judge -> its own numbers; counts what its rows lack."""
        query = self.query
        if query.paradigm == "pairwise":
            return {"instance": _of_comparisons(query, [], [], resolved_pairs(query))}
        if not query.is_rubric_paradigm:
            return {"instance": _of_scores(query, [], scores_from_assessments(query))}
        verdicts, rubrics_by_response = counted_verdicts(query), kept_rubrics(query)
        by_level = {"rubric": _of_verdicts(query, verdicts)}
        if "instance" in self.levels:
            by_level["instance"] = _of_scores(
                query, verdicts, scores_from_verdicts(query, verdicts, rubrics_by_response)
            )
            for judge, row in by_level["rubric"].items():
                if judge in by_level["instance"]:
                    row["mipa"] = by_level["instance"][judge]["mipa"]
        return by_level

    def may_vote(self, judge: str, member: str) -> bool:
        """Whether a member may vote in place of a judge."""
        if self.query.exclude_family:
            return relation(self.query, judge, member) == "other"
        return not (self.query.leave_self_out and member == judge)

    def numbers(self, judge: str, voters: list[str]) -> dict[str, Fields]:
        """Level -> the combined numbers of some members in place of a judge."""
        query = self.query.with_options()  # what they leave out is not a judgment row
        need = min(FEWEST, len(voters))
        if self.combine != "majority":
            scored = self._joined_scores(query, judge, voters, need)
            return {"instance": _of_scores(query, [], scored).get(judge, {})}
        if query.paradigm == "pairwise":
            compared = list(self._joined_pairs(query, judge, voters, need))
            return {"instance": _of_comparisons(query, [], [], compared).get(judge, {})}
        verdicts = [
            verdict(query, judge, item, met)
            for item, votes in self._votes(judge, voters).items()
            if len(votes) >= need
            and isinstance(met := strict_majority(votes), bool)
            and isinstance(reference_verdict(query, judge, item), bool)
        ]
        scored = scores_from_verdicts(query, verdicts, self._rubrics_by_response(judge, verdicts))
        by_level = {"rubric": _of_verdicts(query, verdicts).get(judge, {})}
        by_level["instance"] = _of_scores(query, verdicts, scored).get(judge, {})
        by_level["rubric"]["mipa"] = by_level["instance"].get("mipa")
        return by_level

    def divided(self, judge: str, voters: list[str]) -> float | None:
        """The share of judged rubrics on which the voters are divided."""
        need = min(FEWEST, len(voters))
        if self.query.paradigm == "pairwise":
            ballots = [_heard(by_member, voters) for by_member in self._outcomes().values()]
            settled = [_more_than_half(votes) for votes in ballots if len(votes) >= need]
            return mean(outcome is None for outcome in settled) if settled else None
        heard = [votes for votes in self._votes(judge, voters).values() if len(votes) >= need]
        return mean(isinstance(strict_majority(votes), str) for votes in heard) if heard else None

    def splits(self, judge: str, voters: list[str]) -> int:
        """How many criteria or pairs the voters are divided on in place of a judge."""
        need = min(FEWEST, len(voters))
        if self.combine != "majority":
            return 0
        if self.query.paradigm == "pairwise":
            ballots = [_heard(by_member, voters) for by_member in self._outcomes().values()]
            return sum(_more_than_half(votes) is None for votes in ballots if len(votes) >= need)
        heard = [votes for votes in self._votes(judge, voters).values() if len(votes) >= need]
        return sum(isinstance(strict_majority(votes), str) for votes in heard)

    def splits_of_whole(self) -> int:
        """The splits of the whole committee, of each that another exclusion makes of it."""
        by_voters: dict[tuple[str, ...], int] = {}
        for judge in self.judged:
            voters = [member for member in self.bench if self.may_vote(judge, member)]
            if len(voters) >= FEWEST and tuple(voters) not in by_voters:
                by_voters[tuple(voters)] = self.splits(judge, voters)
        return sum(by_voters.values())

    def _outcomes(self) -> dict[tuple[str, str, str], dict[str, int]]:
        """(instance, one, two) -> each member's outcome, for the pairs that the slice keeps."""
        return self.query.remembered("outcomes of members", self._resolved)

    def _resolved(self) -> dict[tuple[str, str, str], dict[str, int]]:
        query = self.query.with_options()
        rows: dict[tuple[str, str, str, str], dict[Any, list[dict[str, Any]]]] = {}
        for row in rows_asked(query):
            shown = all(named(query.generators, row[side]) for side in ("generator", "opponent"))
            if row["status"] == "ok" and shown and instance_is_kept(query, row["instance_id"]):
                one, two = sorted((row["generator"], row["opponent"]), key=models(query).index)
                turned = put_in_orientation(row, one)
                orders = rows.setdefault((row["judge"], row["instance_id"], one, two), {})
                orders.setdefault(turned["first"], []).append(turned)
        outcomes: dict[tuple[str, str, str], dict[str, int]] = {}
        for pair, orders in rows.items():
            won = resolve(query, pair, orders)
            if won is not None:
                outcomes.setdefault(pair[1:], {})[pair[0]] = won
        return outcomes

    def _joined_pairs(self, query: Query, judge: str, voters: list[str], need: int) -> Iterator[Comparison]:
        for (instance_id, one, two), by_member in self._outcomes().items():
            votes = _heard(by_member, voters)
            won = _more_than_half(votes)
            true = [true_score(query, judge, instance_id, response) for response in (one, two)]
            if len(votes) >= need and won is not None and all(isinstance(score, float) for score in true):
                yield Comparison(judge, instance_id, one, two, won, sign(true[0] - true[1]))  # type: ignore[operator]

    def _votes(self, judge: str, voters: list[str]) -> dict[Item, list[bool]]:
        by_item = self.query.remembered("verdicts by item", lambda: verdicts_by_item(self.query))
        ballots = {}
        for item, by_judge in by_item.items():
            votes = [by_judge[member] for member in voters if member in by_judge]
            if votes and named(self.query.generators, item[1]) and self._keeps(judge, item):
                ballots[item] = votes
        return ballots

    def _keeps(self, judge: str, item: Item) -> bool:
        rubric = next(r for r in rubrics_of(self.query, item[0]) if r["rubric_id"] == item[2])
        return rubric_is_kept(self.query, rubric) and is_agreed(self.query, judge, item)

    def _rubrics(self, judge: str, instance_id: str, generator: str) -> list[dict[str, Any]]:
        return [
            rubric
            for rubric in rubrics_of(self.query, instance_id)
            if self._keeps(judge, (instance_id, generator, rubric["rubric_id"]))
        ]

    def _rubrics_by_response(self, judge: str, verdicts: list[Verdict]) -> RubricsByResponse:
        return {
            (judge, v.instance_id, v.generator): [
                rubric["rubric_id"] for rubric in self._rubrics(judge, v.instance_id, v.generator)
            ]
            for v in verdicts
        }

    def _joined_scores(self, query: Query, judge: str, voters: list[str], need: int) -> list[Scored]:
        joined = []
        for instance in query.study.instances:
            for generator in models(query):
                if not named(query.generators, generator):
                    continue
                place = (instance["instance_id"], generator)
                given = [self._score(judge, member, *place) for member in voters]
                there = [value for value in given if value is not None]
                true = self._truth(judge, *place)
                if len(there) >= max(need, 1) and isinstance(true, float):
                    how = mean if self.combine == "mean" else median
                    joined.append(Scored(judge, *place, how(there), true))
        return joined

    def _score(self, judge: str, member: str, instance_id: str, generator: str) -> float | None:
        query = self.query
        if query.is_rubric_paradigm:
            by_item = query.remembered("verdicts by item", lambda: verdicts_by_item(query))
            rubrics = self._rubrics(judge, instance_id, generator)
            mets = [by_item.get((instance_id, generator, r["rubric_id"]), {}).get(member) for r in rubrics]
            return None if None in mets else score(query.scores, list(zip(rubrics, mets, strict=True)))
        if not instance_is_kept(query, instance_id):
            return None

        def group() -> dict[tuple[str, str, str], list[Row]]:
            groups: dict[tuple[str, str, str], list[Row]] = {}
            for row in rows_asked(query):
                if row["status"] == "ok":
                    key = row["judge"], row["instance_id"], row["generator"]
                    groups.setdefault(key, []).append(row)
            return groups

        rows = query.remembered("ok rows", group).get((member, instance_id, generator), [])
        used = [first_of_repeats(rows)] if rows and query.repeats == "first" else rows
        return mean(min(1.0, row["score"]) for row in used) if used else None

    def _truth(self, judge: str, instance_id: str, generator: str) -> float | str | None:
        if not self.query.is_rubric_paradigm:
            return true_score(self.query, judge, instance_id, generator)
        rubrics = self._rubrics(judge, instance_id, generator)
        truths = [
            reference_verdict(self.query, judge, (instance_id, generator, r["rubric_id"])) for r in rubrics
        ]
        if not all(isinstance(truth, bool) for truth in truths):
            return None
        value = score(self.query.scores, list(zip(rubrics, truths, strict=True)))  # type: ignore[arg-type]
        return None if value is None else float(value)


def _heard(by_member: dict[str, int], voters: list[str]) -> list[int]:
    return [by_member[member] for member in voters if member in by_member]


def _more_than_half(votes: list[int]) -> int | None:
    return next((outcome for outcome in (1, 0, -1) if 2 * votes.count(outcome) > len(votes)), None)


def _of_verdicts(query: Query, verdicts: list[Verdict]) -> dict[str, Fields]:
    rows = ratio_rows(query, rubric_cells(verdicts), verdicts)
    return {r["judge"]: {**r, "mra": accuracy_fields(r["judge"], verdicts, [])["mra"]} for r in rows}


def _of_scores(query: Query, verdicts: list[Verdict], scored: list[Scored]) -> dict[str, Fields]:
    return _of_comparisons(query, verdicts, scored, list(comparisons_of_scores(query, scored)))


def _of_comparisons(
    query: Query, verdicts: list[Verdict], scored: list[Scored], comparisons: list[Comparison]
) -> dict[str, Fields]:
    rows = {row["judge"]: row for row in ratio_rows(query, instance_cells(scored, comparisons))}
    judges = dict.fromkeys([*rows, *(v.judge for v in verdicts)])
    return {
        judge: {
            **rows.get(judge, {}),
            **{name: accuracy_fields(judge, verdicts, comparisons)[name] for name in ("mra", "mipa")},
        }
        for judge in judges
    }


def committee(
    study: PlainStudy, members: list[str] | None = None, combine: str | None = None, **options: Any
) -> Result:
    """Each member alone and with the committee's verdicts (RSP Figure 3), at both levels."""
    court = Court(study, members, combine, options)
    rows = []
    for level in court.levels:
        for judge in court.judged:
            if judge not in court.alone[court.levels[0]]:
                continue
            voters = [member for member in court.bench if court.may_vote(judge, member)]
            together = court.numbers(judge, voters).get(level, {}) if len(voters) >= FEWEST else {}
            alone = court.alone[level].get(judge, {})
            row: Fields = {"judge": judge, "level": level, "members": court.members}
            for name in NUMBERS:
                row[name], row[f"{name}_committee"] = alone.get(name), together.get(name)
            row["n_self"], row["n_self_committee"] = alone.get("n_self", 0), together.get("n_self", 0)
            row |= _against_outside_judges(court, judge, voters, level)
            rows.append(row)
    court.query.left_out["committee_split"] = court.splits_of_whole()
    return rows, court.query.left_out


def _against_outside_judges(court: Court, judge: str, voters: list[str], level: str) -> Fields:
    """The member's ratio against outside judges (section 15) under its own verdicts, and the committee's.

    Also both, and both shares of own failures passed, where the member and the committee have a verdict.
    """
    query = court.query.with_options(judges=None)
    names = ("o_self_common", "o_self_common_committee", "ratio_outside", "ratio_outside_committee")
    names = (*names, "ratio_outside_common", "ratio_outside_common_committee")
    fields: Fields = {**dict.fromkeys(names), "n_common": 0}
    if level != "rubric" or not query.is_rubric_paradigm or court.combine != "majority":
        return fields
    relations = {(one, two): relation(query, one, two) for one in models(query) for two in models(query)}
    opinions = verdicts_of_outside(query, "failed").opinions

    def ratio(of_judge: list[Opinion]) -> float | None:
        others = [one for one in opinions if one.judge != judge]
        return Shares([*others, *of_judge], relations, judge).parts([judge]).ratio

    own = [one for one in opinions if one.judge == judge]
    fields["ratio_outside"] = ratio(own)
    if len(voters) < FEWEST:
        return fields
    together = []
    for item, votes in court._votes(judge, voters).items():
        met, true = strict_majority(votes), reference_verdict(query, judge, item)
        if len(votes) < FEWEST or not isinstance(met, bool) or not isinstance(true, bool):
            continue
        judgment = verdict(query, judge, item, met)
        if not judgment.truly_favourable:
            together.append(Opinion(judge, item[0], item[2], item[1], judgment.favourable))
    fields["ratio_outside_committee"] = ratio(together)
    both = {one[1:4] for one in own} & {one[1:4] for one in together}
    for name, side in (("", own), ("_committee", together)):
        common = [one for one in side if one[1:4] in both]
        fields[f"ratio_outside_common{name}"] = ratio(common)
        passed = [one.favourable for one in common if one.generator == judge]
        fields["n_common"] = len(passed)
        fields[f"o_self_common{name}"] = mean(passed) if passed else None
    return fields


def committee_size(
    study: PlainStudy, members: list[str] | None = None, combine: str | None = None, **options: Any
) -> Result:
    """All committees of each size, at both levels."""
    court = Court(study, members, combine, options)
    rows, splits = [], 0
    for level in court.levels:
        for size in range(1, len(court.bench) + 1):
            means: dict[str, list[float]] = {name: [] for name in (*NUMBERS, "divided")}
            failures, committees = [], 0
            for sitting in combinations(court.bench, size):
                judged = [judge for judge in court.judged if _speaks_for(court, sitting, judge)]
                committees += bool(judged)
                numbers = [court.numbers(judge, list(sitting)).get(level, {}) for judge in judged]
                failures += [one["n_self"] for one in numbers if one.get("hspp_self") is not None]
                for name in NUMBERS:
                    _append_mean(means[name], [one.get(name) for one in numbers])
                if level == court.levels[0]:
                    splits += max((court.splits(judge, list(sitting)) for judge in judged), default=0)
                if court.combine == "majority":
                    _append_mean(means["divided"], [court.divided(judge, list(sitting)) for judge in judged])
            row: Fields = {"size": size, "level": level, "committees": committees}
            row["n_self"] = min(failures, default=0)
            for name, values in means.items():
                row[name] = mean(values) if values else None
            for name in NUMBERS:
                row[f"{name}_least"] = min(means[name], default=None)
                row[f"{name}_most"] = max(means[name], default=None)
            rows.append(row)
    court.query.left_out["committee_split"] = splits
    return rows if any(court.alone.values()) else [], court.query.left_out


def _speaks_for(court: Court, sitting: tuple[str, ...], judge: str) -> bool:
    if court.query.exclude_family or court.query.leave_self_out:
        return all(court.may_vote(judge, member) for member in sitting)
    return judge in sitting


def _append_mean(values: list[float], numbers: list[float | None]) -> None:
    there = [value for value in numbers if value is not None]
    if there:
        values.append(mean(there))


def committee_families(
    study: PlainStudy, members: list[str] | None = None, combine: str | None = None, **options: Any
) -> Result:
    """The committee without each family in turn, at both levels."""
    court = Court(study, members, combine, options)
    family_of = {row["model"]: row[court.query.relatives] for row in study.models}
    families = [name for name in dict.fromkeys(family_of[seat] for seat in court.bench) if name is not None]
    rows = []
    for level in court.levels:
        for family in families:
            rest = [seat for seat in court.bench if family_of[seat] != family]
            row: Fields = {"without": family, "level": level, "members": rest}
            groups = {
                "": [judge for judge in court.judged if family_of[judge] != family],
                "_outside": [judge for judge in court.judged if family_of[judge] == family],
            }
            for suffix, judged in groups.items():
                numbers = {
                    who: [_together(court, judge, who, level) for judge in judged]
                    for who in (tuple(rest), None)
                }
                for name in NUMBERS if suffix == "" else ("hspp_self",):
                    row[f"{name}{suffix}"] = _mean([one.get(name) for one in numbers[tuple(rest)]])
                    row[f"{name}{suffix}_whole"] = _mean([one.get(name) for one in numbers[None]])
                row[f"n_self{suffix}"] = min(
                    (one.get("n_self", 0) for one in numbers[tuple(rest)]), default=0
                )
            rows.append(row)
    court.query.left_out["committee_split"] = court.splits_of_whole()
    return rows if any(court.alone.values()) else [], court.query.left_out


def _together(court: Court, judge: str, sitting: tuple[str, ...] | None, level: str) -> Fields:
    voters = [member for member in sitting or court.bench if court.may_vote(judge, member)]
    if sitting == () or len(voters) < FEWEST:
        return {}
    return court.numbers(judge, voters).get(level, {})


def _mean(values: list[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return mean(there) if there else None
