"""What is said to be true of answers that no judge judged, and why it may be beside them."""

from collections import Counter
from collections.abc import Collection, Iterator
from difflib import get_close_matches

from engine.importers.reading.rows import excerpt
from engine.importers.reading.study_builder import StudyBuilder
from engine.phrases import quantity
from engine.store.study_files import StudyFiles

_Answer = tuple[str, str, str | None]
"""A question, an author and a criterion, None for the whole answer."""

_THINGS = ("question", "author")
_CLOSE = 0.5
"""How much a name of the study has in common with one that it lacks, at least."""
_MOST_NAMES = 2000


def unjudged_truths(builder: StudyBuilder, study: StudyFiles) -> str:
    """Return a caution on truths of a file that are on nothing judged, there or in the study; else empty."""
    truths = [*_truths(builder)]
    stored = _judged_of(study) if truths else set()
    if not stored:
        return ""
    judged = stored | {*_judged_in(builder)}
    answers = {each[:2] for each in judged}
    lacking = [[each for each in of if not _is_judged(each, judged, answers)] for of in truths]
    beside = [each[0] for each in lacking if each]
    if not beside:
        return ""
    rest = len(truths) - len(beside)
    few = f"only {rest:,}" if rest else "none"
    on = "on an answer and criterion" if any(each[:2] in answers for each in beside) else "on an answer"
    few += f" of {quantity(len(truths), 'truth')} {'are' if rest > 1 else 'is'} {on} that a judge judged"
    names = [{each[place] for each in judged} for place in range(len(_THINGS))]
    unknown = Counter(place for each in beside for place in range(2) if each[place] not in names[place])
    if not unknown:
        return f"{few}; {'the others' if rest else 'they'} count in no measure"
    [(place, count)] = unknown.most_common(1)
    name = next(str(each[place]) for each in beside if each[place] not in names[place])
    return (
        f"{few}: {quantity(count, 'truth')} {'is' if count == 1 else 'are'} of {_THINGS[place]}s without "
        f"verdicts, such as {excerpt(name)!r}{_like(name, names[place])}. If they are the same, write them "
        "alike"
    )


def _truths(builder: StudyBuilder) -> Iterator[list[_Answer]]:
    """Yield the answers that each truth is of: two of a preference."""
    for row in builder.rows.get("references", {}).values():
        yield [(row["instance_id"], row["generator"], row["rubric_id"])]
    for row in builder.rows.get("preferences", {}).values():
        yield [(row["instance_id"], row[author], None) for author in ("generator", "opponent")]


def _is_judged(answer: _Answer, judged: Collection[_Answer], answers: Collection[tuple[str, str]]) -> bool:
    """Return whether an answer is judged, by its criterion or as a whole."""
    whole = answer[:2]
    return answer in judged or (*whole, None) in judged or (answer[2] is None and whole in answers)


def _judged_of(study: StudyFiles) -> set[_Answer]:
    columns = ["instance_id", "generator", "rubric_id", "opponent"]
    table = study.judgments(columns)
    rows = table.group_by(columns).aggregate([]).to_pylist()
    return {
        (row["instance_id"], row[author], row["rubric_id"])
        for row in rows
        for author in ("generator", "opponent")
        if row[author] is not None
    }


def _judged_in(builder: StudyBuilder) -> Iterator[_Answer]:
    for (question, rubric), judged in builder.judged.items():
        for author, number in builder.authors.items():
            if judged.authors & (1 << number):
                yield question, author, rubric


def _like(name: str, names: Collection[str | None]) -> str:
    """Return the name of the study that is closest to one that it lacks, in words."""
    some = {each.casefold(): each for each in sorted(filter(None, names))[:_MOST_NAMES]}
    close = get_close_matches(name.casefold(), some, n=1, cutoff=_CLOSE)
    return f" (the study has {excerpt(some[close[0]])!r})" if close else ""
