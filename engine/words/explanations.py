"""What is called so: a term of the field, a measure, a column of tables or outputs, or a code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from engine.conclusions import OF_FAMILY, OF_GROUP, OF_JUDGE
from engine.errors import UsageError, quoted
from engine.phrases import full_stop, join_names
from engine.slices import FLAGS, READERS_WORDS
from engine.wording import Sentence, Wording, in_python
from engine.words.arguments import ARGUMENTS, VALUES
from engine.words.code_list import codes
from engine.words.printed_columns import printed_columns

if TYPE_CHECKING:
    from engine.measures.entry import Field

_SOUGHT_AS = {
    "order-effect": ("order bias", "position bias", "positional bias", "swap"),
    "position": ("position bias", "positional bias"),
    "which-judge": ("choose", "choose judge", "choose a judge", "choosing a judge", "best judge", "advice"),
}
"""Words under which people look for a measure, beside its name, its title and its question."""
_LIKENESS = 0.7  # with less, `median` is like `mipa`


class Explanation(str):
    """An explanation, which Python shows as it is read."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the text itself."""
        return str(self)


def explanation(name: str) -> Explanation:
    """Return what a term, a measure, a column, a filter, an option or a code means, in Python's words.

    UsageError, which names what is called nearly so, if nothing is.
    """
    if not isinstance(name, str):
        raise UsageError(f"the name is {quoted(name)}; give a text, such as 'few_instances'")
    rows = [*meanings(name), *_arguments_called(name)]
    if not rows:
        arguments = (*(flag.name for flag in FLAGS), *ARGUMENTS)
        raise nothing_called(name, [*every_name(), *({"name": each} for each in arguments)])
    return Explanation("\n".join(in_python(sentence(row)) for row in rows))


def sentence(row: Mapping[str, Any]) -> Sentence:
    """Return a row as it is printed: `few_pairs (reason): ...`."""
    kind = f" ({row['kind']})" if row["kind"] != "term" else ""
    return Sentence(f"{row['name']}{kind}: ", row["meaning"])


def nothing_called(name: str, rows: Iterable[Mapping[str, Any]]) -> UsageError:
    """Return the error for a name that none of the rows has, with those that are like it."""
    names = sorted({row["name"] for row in rows})
    of_words = [each for each in names if each.casefold() in plain_name(name).split()]
    close = of_words or get_close_matches(name, names, 5, _LIKENESS)
    if close:
        return UsageError(f"nothing is called {name!r}; did you mean {', '.join(close)}?")
    lists = Wording("`spb explain` lists the terms", "`engine.explain('judge')`, say, explains a term")
    return UsageError(f"nothing is called {name!r}; ", lists)


def _arguments_called(name: str) -> Iterator[dict[str, Any]]:
    """Yield the filters and the options of measures of that name, each meaning once."""
    from engine.measures.catalogue import PRESENT

    plain, measures = plain_name(name), dict[str, list[str]]()
    for flag in (flag for flag in FLAGS if plain_name(flag.name) == plain):
        yield {"name": flag.name, "kind": "filter", "meaning": full_stop(flag.meaning)}
    for measure in PRESENT.values():
        for option in (each for each in measure.options if plain_name(each.name) == plain):
            measures.setdefault(full_stop(option.meaning), []).append(measure.name)
    for meaning, of in measures.items():
        yield {"name": name, "kind": f"option of {join_names(of, _MOST_NAMED)}", "meaning": meaning}
    yield from arguments_of_python(name)


def arguments_of_python(name: str) -> Iterator[dict[str, Any]]:
    """Yield the arguments of that name of functions in Python, but for filters and options of measures."""
    for argument, (functions, meaning) in ARGUMENTS.items():
        if plain_name(argument) == plain_name(name):
            yield {"name": argument, "kind": f"argument of {functions}", "meaning": full_stop(meaning)}


_MOST_NAMED = 3
"""Most measures that the kind of an option names."""


def meanings(term: str, commands: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield what is called so: in any case and with spaces, hyphens or underscores, in singular or plural.

    A term answers to its other forms too. Columns and codes in the other number come only where nothing has
    the name itself; if nothing has it at all, terms that contain it do.
    """
    exactly, in_both_numbers = {plain_name(term)}, _in_both_numbers(plain_name(term))
    terms = _called("term", in_both_numbers, commands)
    for names in (exactly, in_both_numbers):
        if rows := [*terms, *_called("other", names, commands)]:
            yield from rows
            return
    yield from terms_called(term)


def _called(kind: Literal["term", "other"], names: set[str], commands: Sequence[str]) -> list[dict[str, Any]]:
    """Return the terms, or all that is none, that answer to one of these names, each once."""
    places = {
        place: row for name in names for place, row in _index(tuple(commands))[kind].get(name, {}).items()
    }
    return [places[place] for place in sorted(places)]


@cache
def _index(commands: tuple[str, ...]) -> dict[Literal["term", "other"], dict[str, dict[int, dict[str, Any]]]]:
    """Return the rows of `every_name`, with their places, by the names to which they answer.

    A term answers to its parts and its other forms too, a measure to its title, its question and what people
    call it, a column to its heading, and a code to the words that are printed for it.
    """
    index: dict[Literal["term", "other"], dict[str, dict[int, dict[str, Any]]]] = {"term": {}, "other": {}}
    for place, row in enumerate(every_name(commands)):
        kind: Literal["term", "other"] = "term" if row["kind"] == "term" else "other"
        forms = _forms()[row["name"]] if kind == "term" else ()
        parts = (part for form in forms for part in (form, *form.split(",")))
        for name in {plain_name(row["name"]), *map(plain_name, (*parts, *_printed_as(row)))}:
            index[kind].setdefault(name, {})[place] = row
    return index


def _printed_as(row: dict[str, Any]) -> Iterator[str]:
    """Yield what is printed in place of a column's name or a code, and other names of a measure."""
    from engine.measures.catalogue import MEASURES
    from engine.words.short_titles import title

    if row["kind"].startswith("column"):
        yield from (title(row["name"]), *_declared_titles().get(row["name"], ()))
    elif row["kind"] == "measure":
        measure = MEASURES[row["name"]]
        yield from (measure.title, measure.question, *_SOUGHT_AS.get(measure.name, ()))
    elif row["kind"] == "conclusion":
        yield from {each[row["name"]] for each in (OF_GROUP, OF_FAMILY, OF_JUDGE) if row["name"] in each}
    elif row["kind"] != "term":
        yield row["meaning"].partition(". ")[0].rstrip(".")


@cache
def _declared_titles() -> dict[str, set[str]]:
    """Return the titles that measures declare, by the field's name."""
    from engine.explore.find_slices import FIND
    from engine.measures.catalogue import MEASURES

    titles: dict[str, set[str]] = {}
    for field in (field for measure in (FIND, *MEASURES.values()) for field in measure.fields if field.title):
        titles.setdefault(field.name, set()).add(field.title)
    return titles


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    from engine.words.glossary import GLOSSARY

    return {entry.name: (entry.name, *entry.forms) for entry in GLOSSARY}


def _in_both_numbers(name: str) -> set[str]:
    """Return a name in the singular and the plural, as far as its ending says."""
    names = {name, f"{name}s"}
    for ending, other in (("ies", "y"), ("es", ""), ("s", "")):
        if name.endswith(ending) and len(name) > len(ending) + 2:
            names.add(name.removesuffix(ending) + other)
    return names | {f"{name[:-1]}ies"} if name.endswith("y") else names


def plain_name(name: str) -> str:
    words = name.casefold().rstrip("?").removesuffix(" (naive)")
    return " ".join(words.replace("-", " ").replace("_", " ").split())


def terms_called(term: str | None) -> Iterator[dict[str, Any]]:
    """Yield the terms of that name, else those whose names contain it; all for None."""
    from engine.words.glossary import GLOSSARY

    exact = [entry for entry in GLOSSARY if term is None or entry.name.casefold() == term.casefold()]
    entries = exact or [entry for entry in GLOSSARY if term and term.casefold() in entry.name.casefold()]
    yield from ({"name": entry.name, "kind": "term", "meaning": entry.meaning} for entry in entries)


_UNITS = {
    "share": Wording("In JSON and CSV of 1, in tables in percent.", "Of 1."),
    "difference": Wording("In JSON and CSV of 1, in tables in points of 100.", "Of 1."),
    "points": Wording("In points of 100.", "In points of 100."),
}
"""The unit of each kind of field that has one."""


def _with_unit(field: "Field") -> str:
    """Return a field's meaning as a sentence, and its unit; of a list, that of its members."""
    unit = _UNITS.get(field.members if field.kind == "list" else field.kind)
    words = full_stop(field.meaning)
    return words if unit is None or "points of 100" in words else Sentence(f"{words} ", unit)


def every_name(commands: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield every term, measure, column and code once, with its meaning; `commands` after the terms."""
    from engine.importers.tables.table_columns import TABLE_COLUMNS
    from engine.measures.catalogue import MEASURES
    from engine.report.references import papers_of
    from engine.schema import TABLES

    yield from terms_called(None)
    for name in commands:
        yield {"name": name, "kind": "command", "meaning": f"`spb {name} -h` describes it."}
    for measure in MEASURES.values():
        source = measure.paper.removeprefix("none; ")
        cited = "".join(f" {paper.cited}" for paper in papers_of(source)[:1])
        of, rows = measure.part_of or (measure.name, None)
        about = Sentence(
            f"{measure.question} {full_stop(measure.formula)} `",
            Wording(
                f"spb measure {of} STUDY" + (f" --rows {rows}" if rows else ""),
                f"study.{of.replace('-', '_')}({f'rows={rows!r}' if rows else ''})",
            ),
            f"` computes it. Source: {full_stop(source)}{cited}",
        )
        yield {"name": measure.name, "kind": "measure", "meaning": about}
    columns: dict[str, dict[str, list[str]]] = {}
    for measure in MEASURES.values():
        for field in measure.fields:
            columns.setdefault(field.name, {}).setdefault(_with_unit(field), []).append(measure.name)
    for name, meanings in columns.items():
        for meaning, measures in meanings.items():
            kind = f"column of {', '.join(measures[:3])}" + (" and others" if len(measures) > 3 else "")
            yield {"name": name, "kind": kind, "meaning": meaning}
    for table in TABLES.values():
        for column in table.columns:
            kind = f"column of the table {table.name}"
            yield {"name": column.name, "kind": kind, "meaning": full_stop(column.meaning)}
            columns.setdefault(column.name, {})
    for read in TABLE_COLUMNS:
        if read.name not in columns:
            kind = "column of a table to import"
            yield {"name": read.name, "kind": kind, "meaning": full_stop(read.meaning)}
    for name, values in VALUES.items():
        for value, meaning in values.items():
            yield {"name": value, "kind": f"value of the filter {name}", "meaning": full_stop(meaning)}
    for word, name in READERS_WORDS.items():
        flag = next((flag for flag in FLAGS if flag.name == name), None)
        where, what = "`--by`", f"`{name}`"
        if flag is not None:
            where, what = f"`--where {word}=VALUE` and `--by`", f"`{name}`: {flag.meaning}"
        same = Sentence("In ", Wording(where, "`by=`"), f", the same as {what}.")
        yield {"name": word, "kind": "word of readers", "meaning": same}
    for printed in printed_columns():
        kind = f"field of {printed.of}" if printed.of == "study.json" else f"column of {printed.of}"
        yield {"name": printed.name, "kind": kind, "meaning": full_stop(printed.meaning)}
    for code in codes():
        remedy = f" What helps: {code.remedy}." if code.remedy else ""
        yield {"name": code.name, "kind": code.kind, "meaning": full_stop(code.meaning) + remedy}
