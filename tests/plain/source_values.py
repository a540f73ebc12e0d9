"""A source's values: verdicts, outcomes and scores by item (MEASURES section 14; readings in `sources`)."""

from typing import Any

from plain.asking import Query, first_of_repeats, is_shown, mean, named, rows_asked, rubric_of
from plain.filters import instance_is_kept, rubric_is_kept
from plain.judged import DIMENSIONS
from plain.pairs import put_in_orientation, resolve
from plain.study import Row
from plain.truth import is_person, merged_verdict, strict_majority

Values = dict[Any, Any]


def judgments_of(query: Query, source: str) -> list[Row] | None:
    """The ok judgments of `judge:<model>` or `run:<id>`; None if the source is neither."""
    kind, _, name = source.partition(":")
    if kind not in ("judge", "run"):
        return None
    column = {"judge": "judge", "run": "run_id"}[kind]
    return [
        row
        for row in rows_asked(query)
        if row[column] == name and row["status"] == "ok" and is_shown(query, row)
    ]


def item_of(source: str, row: Row, item: Any) -> Any:
    """The item under which this source's value is stored."""
    return (row["judge"], item) if source.startswith("run:") else item


def passes(query: Query, row: Row) -> bool:
    """Whether the filters keep the row's rubric (or instance, where it has none), and its responses."""
    sides = [row["generator"], row.get("opponent")]
    if not all(named(query.generators, side) for side in sides if side is not None):
        return False
    if row.get("rubric_id") is None or row.get("paradigm") == "quality":
        return instance_is_kept(query, row["instance_id"])
    return rubric_is_kept(query, rubric_of(query, row["instance_id"], row["rubric_id"]))


def rubric_item(row: Row) -> tuple[Any, ...]:
    """The item of a verdict or score."""
    return (row["instance_id"], row["generator"], row["rubric_id"])


def stored_name(source: str) -> str:
    """The stored source of a name: `human:unnamed` is what is stored as `human` itself."""
    return "human" if source == "human:unnamed" else source


def is_one_of(row: Row, source: str, against: str) -> bool:
    """Whether a row is the source's; of `human` it is anybody's but the person's it is compared with."""
    if source == "human":
        is_own = against != "human" and row["source"] == stored_name(against)
        return is_person(row["source"]) and not is_own
    return bool(row["source"] == stored_name(source))


def persons_votes(query: Query, against: str = "") -> dict[Any, dict[str, bool]]:
    """Every person's verdicts, item by item, but those of the person compared with all."""
    votes: dict[Any, dict[str, bool]] = {}
    for row in query.study.references:
        if is_one_of(row, "human", against) and row["met"] is not None and passes(query, row):
            votes.setdefault(rubric_item(row), {})[row["source"]] = row["met"]
    return votes


def verdicts(query: Query, source: str, against: str = "") -> Values:
    """Raw `met` by item."""
    rows = judgments_of(query, source)
    if rows is not None:
        groups: dict[Any, list[Row]] = {}
        for row in rows:
            if row["met"] is not None and passes(query, row):
                groups.setdefault(item_of(source, row, rubric_item(row)), []).append(row)
        merged = {item: merged_verdict(query, group) for item, group in groups.items()}
        return {item: met for item, met in merged.items() if met is not None}
    if source == "human":
        majorities = {
            item: strict_majority(list(votes.values()))
            for item, votes in persons_votes(query, against).items()
        }
        return {item: met for item, met in majorities.items() if isinstance(met, bool)}
    return {
        rubric_item(row): row["met"]
        for row in query.study.references
        if is_one_of(row, source, against) and row["met"] is not None and passes(query, row)
    }


def with_persons(query: Query, a: str, b: str, one: Values, two: Values) -> list[tuple[Any, Any]]:
    """The verdict pairs with every person's vote in place of the people's majority."""
    source, values = (b, two) if a == "human" else (a, one)
    votes = persons_votes(query, source)
    pairs = []
    for key, met in values.items():
        item = key[1] if source.startswith("run:") else key
        pairs += [(met, vote) for vote in votes.get(item, {}).values()]
    return pairs


def scores(query: Query, source: str, against: str = "") -> Values:
    """`score` by item."""
    groups: dict[Any, dict[Any, list[Row]]] = {}
    rows = judgments_of(query, source)
    if rows is None:
        rows = [row for row in query.study.references if is_one_of(row, source, against)]
    for row in rows:
        if row["score"] is not None and passes(query, row):
            whole = (row["instance_id"], row["generator"], None)
            quality = row.get("paradigm") == "quality"
            part = row["rubric_id"] if quality else row.get("ordering")
            item = item_of(source, row, whole if quality else rubric_item(row))
            groups.setdefault(item, {}).setdefault(part, []).append(row)
    means: Values = {}
    for item, parts in groups.items():
        if query.paradigm == "quality" and judgments_of(query, source) is not None:
            parts = {name: parts.get(name) for name in DIMENSIONS}
        if None not in parts.values():
            means[item] = mean([of_repeats(query, group) for group in parts.values()])
    return means


def of_repeats(query: Query, group: list[Row]) -> Any:
    """The mean of the scores, or the first of a judge's."""
    first = query.repeats == "first" and "trial" in group[0]
    return mean([row["score"] for row in ([first_of_repeats(group)] if first else group)])


def outcomes(query: Query, source: str, against: str = "") -> Values:
    """+1, 0, -1 by (instance, pair of models), for the model that sorts first as text."""
    rows = judgments_of(query, source)
    if rows is not None:
        return judged_outcomes(query, source, rows) if query.paradigm == "pairwise" else {}
    votes: dict[Any, list[int]] = {}
    for row in query.study.preferences:
        if is_one_of(row, source, against) and passes(
            query, row
        ):  # filters apply only to rows that the source has
            pair = tuple(sorted((row["generator"], row["opponent"])))
            outcome = row["outcome"] if pair[0] == row["generator"] else -row["outcome"]
            votes.setdefault((row["instance_id"], *pair), []).append(outcome)
    winners: Values = {}
    for item, values in votes.items():
        for outcome in (1, 0, -1):
            if 2 * values.count(outcome) > len(values):
                winners[item] = outcome
    return winners


def orientation(query: Query, source: str) -> dict[Any, str]:
    """For each pair of a source: the model that is `generator` in its first row."""
    rows = judgments_of(query, source)
    if rows is None:
        rows = [
            row
            for row in query.study.preferences
            if row["source"] == source or (source == "human" and is_person(row["source"]))
        ]
    held: dict[Any, str] = {}
    for row in rows:
        if row["opponent"] is not None:
            pair = sorted((row["generator"], row["opponent"]))
            held.setdefault((row["instance_id"], *pair), row["generator"])
    return held


def oriented_as(values: Values, source: str, held: dict[Any, str]) -> Values:
    """Outcomes, reversed if `held` has the other model first than the one that sorts first."""
    turned: Values = {}
    for key, outcome in values.items():
        item = key[1] if source.startswith("run:") else key
        first = held.get(item, item[1])
        turned[key] = outcome if first == item[1] else -outcome
    return turned


def judged_outcomes(query: Query, source: str, rows: list[Row]) -> Values:
    """The resolved outcomes of judgments."""
    pairs: dict[Any, dict[Any, list[Row]]] = {}
    for row in rows:
        if not passes(query, row):
            continue
        one, two = sorted((row["generator"], row["opponent"]))
        oriented = put_in_orientation(row, one)
        item = item_of(source, row, (row["instance_id"], one, two))
        pairs.setdefault(item, {}).setdefault(oriented["first"], []).append(oriented)
    by_item: Values = {}
    for item, by_order in pairs.items():
        _instance_id, one, two = item[1] if source.startswith("run:") else item
        outcome = resolve(query, ("", "", one, two), by_order)
        if outcome is not None:
            by_item[item] = outcome
    return by_item
