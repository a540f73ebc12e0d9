"""`spb explain`: a term of the field, a measure, a column of tables or outputs, an option, or a code."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.citing import WORDS as CITING
from engine.cli.citing import print_citations
from engine.cli.exit_codes import exit_code_rows
from engine.cli.given_once import OneValueCommand
from engine.cli.option_list import option_rows
from engine.cli.options import StoreOption
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, Rows, print_rows, print_sentences
from engine.cli.run_words import run_fields, run_subjects
from engine.conclusions import OF_FAMILY, OF_GROUP, OF_JUDGE
from engine.errors import UsageError, unknown
from engine.phrases import full_stop
from engine.slices import FLAGS, READERS_WORDS

if TYPE_CHECKING:
    from engine.measures.entry import Field

_Term = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TERM",
        help="Term, measure, column, option or code, such as family (default: all terms); `exit codes`; or "
        "`cite`.",
    ),
]


class TermCommand(OneValueCommand):
    """A command whose term may be an option, such as --min-agreement."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words; an option of any command is the term if it stands first, an own one if alone."""
        own = {flag for each in self.params for flag in each.opts}
        first = args[0] if args else ""
        is_term = first.startswith("--") and (first not in own or len(args) == 1)
        if is_term and any(row["name"] == first for row in option_rows()):
            args = [*args[1:], "--", first]
        return super().parse_args(ctx, args)


CommandClass = TermCommand
_SOUGHT_AS = {
    "order-effect": ("order bias", "position bias", "positional bias", "swap"),
    "position": ("position bias", "positional bias"),
    "which-judge": ("choose", "choose judge", "choose a judge", "choosing a judge", "best judge", "advice"),
}
"""Words under which people look for a measure, beside its name, its title and its question."""

EXIT_CODES = ("exit code", "exit codes")
_LIKENESS = 0.7  # with less, `median` is like `mipa`
_ONE_EXIT_CODE = re.compile(r"(?:(?:exit )?code )?(\d+)")


def explain(
    term: _Term = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Explain a term, a measure, a column of outputs, an option, or a code.

    `spb explain cite` and `spb explain cite STUDY` say how to cite the software, the data and the papers, and
    `spb explain cite MEASURE` the paper that a measure is from; `bibtex` in place of `cite` prints entries
    for BibTeX. `spb explain exit codes` lists exit codes, and `spb explain exit code 3` explains one.
    """
    first, *others = term or [""]
    if first.lower() in CITING and len(others) < 2:
        print_citations(first.lower(), others[0] if others else None, store, format)
        return
    name = " ".join(term) if term else None
    one = _ONE_EXIT_CODE.fullmatch(_plain(name or ""))
    if one or _plain(name or "") in EXIT_CODES:
        every = exit_code_rows()
        codes = [row for row in every if one is None or str(row["code"]) == one[1]]
        if not codes:
            raise unknown("exit code", one and one[1], [str(row["code"]) for row in every])
        print_rows(Rows(codes, {"code": "Code", "meaning": "Meaning", "of_run": "Of spb run"}), format)
        return
    rows = list(_meanings(name)) if name is not None else list(_terms(None))
    if name is not None:
        rows = [*run_subjects(_plain(name)), *rows] or list(run_fields(_plain(name)))
        options = [row for row in option_rows() if _plain(row["name"]) == _plain(name)]
        if options and name.startswith("--"):  # a column of that name is not meant
            rows = [row for row in rows if row["kind"] == "term"]
        rows += options
    if not rows:
        names = sorted({row["name"] for row in (*everything(), *option_rows())})
        of_words = [each for each in names if each.casefold() in _plain(name or "").split()]
        close = of_words or get_close_matches(name or "", names, 5, _LIKENESS)
        remedy = f"did you mean {', '.join(close)}?" if close else "`spb explain` lists the terms"
        raise UsageError(f"nothing is called {name!r}; {remedy}")
    if format != "table":
        print_rows(Rows(rows, {}), format)
        return
    for row in rows:
        kind = f" ({row['kind']})" if row["kind"] != "term" else ""
        print_sentences([f"{row['name']}{kind}: {row['meaning']}"])


def glossary(
    term: Annotated[
        str | None, typer.Argument(help="Term to explain, such as family (default: all).")
    ] = None,
) -> None:
    """Explain the terms of pages, reports and outputs."""
    from engine.words.glossary import GLOSSARY

    entries = list(_terms(term))
    if not entries:
        raise unknown("term", term, [entry.name for entry in GLOSSARY])
    for entry in entries:
        say(f"{entry['name']}: {entry['meaning']}", result=True)


def _meanings(term: str) -> Iterator[dict[str, Any]]:
    """Yield what is called so: in any case and with spaces, hyphens or underscores, in singular or plural.

    A term answers to its other forms too. Columns and codes in the other number come only where nothing has
    the name itself; if nothing has it at all, terms that contain it do.
    """
    exactly, in_both_numbers = {_plain(term)}, _in_both_numbers(_plain(term))
    terms = _called("term", in_both_numbers)
    for names in (exactly, in_both_numbers):
        if rows := [*terms, *_called("other", names)]:
            yield from rows
            return
    yield from _terms(term)


def _called(kind: Literal["term", "other"], names: set[str]) -> list[dict[str, Any]]:
    """Return the terms, or all that is none, that answer to one of these names, each once."""
    places = {place: row for name in names for place, row in _index()[kind].get(name, {}).items()}
    return [places[place] for place in sorted(places)]


@cache
def _index() -> dict[Literal["term", "other"], dict[str, dict[int, dict[str, Any]]]]:
    """Return the rows of `everything`, with their places, by the names to which they answer.

    A term answers to its parts and its other forms too, a measure to its title, its question and what people
    call it, a column to its heading, and a code to the words that are printed for it.
    """
    index: dict[Literal["term", "other"], dict[str, dict[int, dict[str, Any]]]] = {"term": {}, "other": {}}
    for place, row in enumerate(everything()):
        kind: Literal["term", "other"] = "term" if row["kind"] == "term" else "other"
        forms = _forms()[row["name"]] if kind == "term" else ()
        parts = (part for form in forms for part in (form, *form.split(",")))
        for name in {_plain(row["name"]), *map(_plain, (*parts, *_printed_as(row)))}:
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


def _plain(name: str) -> str:
    words = name.casefold().rstrip("?").removesuffix(" (naive)")
    return " ".join(words.replace("-", " ").replace("_", " ").split())


def _terms(term: str | None) -> Iterator[dict[str, Any]]:
    """Yield the terms of that name, else those whose names contain it; all for None."""
    from engine.words.glossary import GLOSSARY

    exact = [entry for entry in GLOSSARY if term is None or entry.name.casefold() == term.casefold()]
    entries = exact or [entry for entry in GLOSSARY if term and term.casefold() in entry.name.casefold()]
    yield from ({"name": entry.name, "kind": "term", "meaning": entry.meaning} for entry in entries)


_UNITS = {
    "share": "In JSON and CSV of 1, in tables in percent.",
    "difference": "In JSON and CSV of 1, in tables in points of 100.",
    "points": "In points of 100.",
}
"""The unit of each kind of field that has one."""


def _with_unit(field: "Field") -> str:
    """Return a field's meaning as a sentence, and its unit; of a list, that of its members."""
    unit = _UNITS.get(field.members if field.kind == "list" else field.kind, "")
    words = full_stop(field.meaning)
    return words if not unit or "points of 100" in words else f"{words} {unit}"


def everything() -> Iterator[dict[str, Any]]:
    """Yield every term, measure, column and code once, with its meaning."""
    from engine.cli.code_list import codes
    from engine.cli.column_list import printed_columns
    from engine.cli.command_list import COMMANDS
    from engine.measures.catalogue import MEASURES
    from engine.report.references import papers_of
    from engine.schema import TABLES

    yield from _terms(None)
    for name, _, _ in COMMANDS:
        yield {"name": name, "kind": "command", "meaning": f"`spb {name} -h` describes it."}
    for measure in MEASURES.values():
        source = measure.paper.removeprefix("none; ")
        cited = "".join(f" {paper.cited}" for paper in papers_of(source)[:1])
        of, rows = measure.part_of or (measure.name, None)
        command = f"spb measure {of} STUDY" + (f" --rows {rows}" if rows else "")
        meaning = (
            f"{measure.question} {full_stop(measure.formula)} `{command}` computes it. "
            f"Source: {full_stop(source)}{cited}"
        )
        yield {"name": measure.name, "kind": "measure", "meaning": meaning}
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
    for word, name in READERS_WORDS.items():
        flag = next((flag for flag in FLAGS if flag.name == name), None)
        where, what = "`--by`", f"`{name}`"
        if flag is not None:
            where, what = f"`--where {word}=VALUE` and `--by`", f"`{name}`: {flag.meaning}"
        yield {"name": word, "kind": "word of readers", "meaning": f"In {where}, the same as {what}."}
    for printed in printed_columns():
        kind = f"field of {printed.of}" if printed.of == "study.json" else f"column of {printed.of}"
        yield {"name": printed.name, "kind": kind, "meaning": full_stop(printed.meaning)}
    for code in codes():
        remedy = f" What helps: {code.remedy}." if code.remedy else ""
        yield {"name": code.name, "kind": code.kind, "meaning": full_stop(code.meaning) + remedy}
