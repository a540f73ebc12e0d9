"""What is true: references, people, committees (MEASURES section 7)."""

from plain.asking import Query, RefusedError, first_of_repeats, most_frequent, relation, rows_asked

Item = tuple[str, str, str]
NO_REFERENCE, REFERENCE_TIE = "no_reference", "reference_tie"


def reference_source(query: Query) -> str | None:
    """The requested source; else program, human, or the only one; None if there is none."""
    sources = {row["source"] for row in query.study.references}
    kinds = {"human" if source.startswith("human:") else source for source in sources}
    wanted = query.reference
    if wanted is not None:
        known = sources | kinds | {f"committee:{name}" for name in query.study.committees}
        if wanted not in known:
            raise RefusedError(f"unknown reference {wanted!r}; choose from: {sorted(known)}")
        return str(wanted)
    for preferred in ("program", "human"):
        if preferred in kinds:
            return preferred
    if len(kinds) > 1:
        raise RefusedError(f"several references; choose from: {sorted(kinds)}")
    return kinds.pop() if kinds else None


def stored_verdicts(query: Query) -> dict[Item, dict[str, bool]]:
    """(instance, generator, rubric) -> source -> met, without the sources that could not tell."""

    def group() -> dict[Item, dict[str, bool]]:
        verdicts: dict[Item, dict[str, bool]] = {}
        for row in query.study.references:
            if row["met"] is not None:
                item = (row["instance_id"], row["generator"], row["rubric_id"])
                verdicts.setdefault(item, {})[row["source"]] = row["met"]
        return verdicts

    result: dict[Item, dict[str, bool]] = query.remembered("stored verdicts", group)
    return result


def is_person(source: str) -> bool:
    """Whether a source is `human` or `human:<id>`."""
    return source == "human" or source.startswith("human:")


def strict_majority(votes: list[bool]) -> bool | str:
    """The value with more than half of the votes, or the reason why there is none."""
    if not votes:
        return NO_REFERENCE
    yes = sum(votes)
    if 2 * yes == len(votes):
        return REFERENCE_TIE
    return 2 * yes > len(votes)


def reference_verdict(query: Query, judge: str, item: Item) -> bool | str:
    """Whether the criterion is truly met, for this judge; `no_reference` or `reference_tie` otherwise."""
    source = query.remembered("source", lambda: reference_source(query))
    if source is None:
        return NO_REFERENCE
    by_source = stored_verdicts(query).get(item, {})
    if source == "human":
        return strict_majority([met for name, met in by_source.items() if is_person(name)])
    if source.startswith("committee:") and (
        query.exclude_family or query.leave_self_out or not _stored(query, source)
    ):
        return committee_of_judge(query, source.removeprefix("committee:"), judge, item)
    return by_source.get(source, NO_REFERENCE)


def _stored(query: Query, source: str) -> bool:
    stored = query.remembered("stored sources", lambda: {row["source"] for row in query.study.references})
    return source in stored


def committee_of_judge(query: Query, name: str, judge: str, item: Item) -> bool | str:
    """The named committee's verdict, without the members excluded for this judge."""
    if name not in query.study.committees:
        raise RefusedError(f"the members of committee {name!r} are not known")
    committee = query.study.committees[name]
    own = query.with_options(
        paradigm=committee["paradigm"],
        variant=committee.get("variant") or "default",
        transform="none",
        ordering=None,
        run=None,
        repeats="majority",
    )
    by_item = query.remembered(("committee", name), lambda: verdicts_by_item(own))
    members = []
    for member in committee["members"]:
        if query.exclude_family and relation(query, judge, member) != "other":
            continue
        if query.leave_self_out and member == judge:
            continue
        members.append(member)
    return committee_verdict(by_item.get(item, {}), members)


def committee_verdict(verdicts: dict[str, bool], members: list[str]) -> bool | str:
    """The majority of the members' verdicts, if at least three of them have one."""
    votes = [verdicts[member] for member in members if member in verdicts]
    return strict_majority(votes) if len(votes) >= 3 else NO_REFERENCE


def verdicts_by_item(query: Query) -> dict[Item, dict[str, bool]]:
    """(instance, generator, rubric) -> judge -> met, of all judges, repeats merged, references aside."""
    groups: dict[tuple[Item, str], list[dict[str, object]]] = {}
    for row in rows_asked(query):
        if row["status"] == "ok" and row["met"] is not None:
            item = (row["instance_id"], row["generator"], row["rubric_id"])
            groups.setdefault((item, row["judge"]), []).append(row)
    verdicts: dict[Item, dict[str, bool]] = {}
    for (item, judge), rows in groups.items():
        met = merged_verdict(query, rows)
        if met is not None:
            verdicts.setdefault(item, {})[judge] = met
    return verdicts


def merged_verdict(query: Query, rows: list[dict[str, object]]) -> bool | None:
    """The verdict of repeats together: their majority, or the first; None if they are tied."""
    if query.repeats == "first":
        return first_of_repeats(rows)["met"]
    return most_frequent([row["met"] for row in rows])
