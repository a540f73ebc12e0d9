"""Names of people, as sources of what is true, that may be one person's twice, or a model's."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from engine.importers.families import resolve
from engine.phrases import join_names
from engine.store.study_files import StudyFiles

PERSON = "human:"
"""How the source of one person's verdicts begins."""

_SHORTEST = 4
"""Of a shorter name, such as `R1`, nobody can say that it is a model's."""


def person_cautions(
    sources: Iterable[str], models: Collection[str], stored: Iterable[str] = ()
) -> Iterator[str]:
    """Yield cautions on people of some sources, and on those who may be one of them, there or `stored`.

    Names that differ in case or blanks alone may be one person's; that of one of `models`, or one of a known
    model with its version, may be a model's.
    """
    people, earlier = (
        sorted({each.removeprefix(PERSON) for each in some if each.startswith(PERSON)})
        for some in (sources, stored)
    )
    spellings = defaultdict[str, list[str]](list)
    for name in dict.fromkeys((*people, *earlier)):
        spellings["".join(name.split()).casefold()].append(name)
    for names in spellings.values():
        if len(names) > 1 and not {*names}.isdisjoint(people):
            count = f"{join_names(sorted(map(repr, names)))} count as {len(names)} people"
            yield f"{count}: if they are one, write the name in one way in all rows"
    called = {each.casefold() for each in models}
    if like_models := [each for each in people if each.casefold() in called or _is_model(each)]:
        are = "is called like a model, and counts as a person" if len(like_models) == 1 else (
            "are called like models, and count as people"
        )  # fmt: skip
        shown = join_names(list(map(repr, like_models)), 4)
        yield f"{shown} {are}: the verdicts of a model are a judge's, and do not say what is true"


def sources_of_truth(study: StudyFiles) -> set[str]:
    """Return the sources of a study's references and preferences."""
    tables = [study.table(name, ["source"]) for name in ("references", "preferences") if study.has(name)]
    return {source for table in tables for source in table["source"].unique().to_pylist()}


def _is_model(name: str) -> bool:
    is_version = len(name) >= _SHORTEST and any(each.isdigit() for each in name)
    return is_version and resolve(name).state != "unknown"
