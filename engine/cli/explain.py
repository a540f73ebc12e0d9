"""`spb explain`: a term of the field, a measure, a column of tables or outputs, an option, or a code."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from engine.cli.citing import WORDS as CITING
from engine.cli.citing import print_citations
from engine.cli.exit_codes import exit_code_rows
from engine.cli.given_once import OneValueCommand
from engine.cli.option_list import option_rows
from engine.cli.options import StoreOption
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows, print_sentences
from engine.cli.run.run_words import run_fields, run_subjects
from engine.errors import unknown
from engine.words.explanations import (
    arguments_of_python,
    every_name,
    meanings,
    nothing_called,
    plain_name,
    sentence,
    terms_called,
)

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
_CITE = dict.fromkeys(("citation", "citations", "citing", "cited"), CITING[0])
EXIT_CODES = ("exit code", "exit codes")
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
    first = _CITE.get(first.lower(), first)
    if first.lower() in CITING and len(others) < 2:
        print_citations(first.lower(), others[0] if others else None, store, format)
        return
    name = " ".join(term) if term else None
    one = _ONE_EXIT_CODE.fullmatch(plain_name(name or ""))
    if one or plain_name(name or "") in EXIT_CODES:
        every = exit_code_rows()
        codes = [row for row in every if one is None or str(row["code"]) == one[1]]
        if not codes:
            raise unknown("exit code", one and one[1], [str(row["code"]) for row in every])
        print_rows(Rows(codes, {"code": "Code", "meaning": "Meaning", "of_run": "Of spb run"}), format)
        return
    rows = list(_meanings(name)) if name is not None else list(terms_called(None))
    if name is not None:
        rows = [*run_subjects(plain_name(name)), *rows] or list(run_fields(plain_name(name)))
        options = [row for row in option_rows() if plain_name(row["name"]) == plain_name(name)]
        if options and name.startswith("--"):  # a column of that name is not meant
            rows = [row for row in rows if row["kind"] == "term"]
        rows = [*rows, *options] or [
            {**row, "kind": f"{row['kind']} in Python"} for row in arguments_of_python(name)
        ]
    if not rows:
        raise nothing_called(name or "", (*everything(), *option_rows()))
    if format != "table":
        print_rows(Rows(rows, {}), format)
        return
    for row in rows:
        print_sentences([sentence(row)])


def glossary(
    term: Annotated[
        str | None, typer.Argument(help="Term to explain, such as family (default: all).")
    ] = None,
) -> None:
    """Explain the terms of pages, reports and outputs."""
    from engine.words.glossary import GLOSSARY

    entries = list(terms_called(term))
    if not entries:
        raise unknown("term", term, [entry.name for entry in GLOSSARY])
    for entry in entries:
        say(f"{entry['name']}: {entry['meaning']}", result=True)


def everything() -> Iterator[dict[str, Any]]:
    """Yield every term, command, measure, column and code once, with its meaning."""
    return every_name(_commands())


def _meanings(term: str) -> Iterator[dict[str, Any]]:
    return meanings(term, _commands())


def _commands() -> tuple[str, ...]:
    from engine.cli.command_list import COMMANDS

    return tuple(name for name, _, _ in COMMANDS)
