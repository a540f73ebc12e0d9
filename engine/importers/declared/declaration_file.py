"""The TOML file of a format, each entry checked: an error names its place, its value and the remedy."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import BadInputError
from engine.importers.declared.cell_sources import Filled
from engine.importers.declared.declaration import (
    ALL_OTHERS,
    NONE,
    Cell,
    Declaration,
    Each,
    Kind,
    Unlike,
    Values,
)
from engine.importers.declared.entry_checks import EntryChecks
from engine.importers.declared.source_entries import check_path, parse_source
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import number_of
from engine.importers.reading.toml_file import read_toml
from engine.importers.reading.value_maps import value_key
from engine.importers.tables.verdict_words import (
    BOTH_ORDERS,
    MET,
    NO_VERDICT,
    ORDERS,
    lookup_key,
    side_meaning,
)

_TEXTS = ("name", "title", "source", "expected", "guide", "notes", "licence", "rows", "otherwise")
_LISTS = ("files", "order", "skip", "signs", "options", "fields", "judges", "criteria", "people")
_SWITCHES = ("whole_ids", "scales_truth")
_OF_A_KIND = ("when", "unless", "map", "set", "value", "each")
_OF_EACH = ("list", "others", "fewest", "most", "otherwise", "null", "map", "place")
_SIDED = ("choice", "preference", "first")
_OPTIONS: tuple[str, ...] = ("judge", "generator", "baseline", "whole_ids")


def read_declaration(path: Path) -> Declaration:
    """Return the format that a TOML file declares; UsageError if it cannot be read.

    Raises BadInputError, with place, value and remedy, if an entry is wrong.
    """
    return declared(path.name, read_toml(path, "the format"), path.stem)


def declared(place: str, content: Mapping[str, Any], stem: str) -> Declaration:
    """Return the format that the content of a TOML file declares; `stem` is its name if it has none."""
    return _Parser(place).declaration(content, stem)


class _Parser(EntryChecks):
    """Checks each entry of a declaration as it is read."""

    def declaration(self, content: Mapping[str, Any], stem: str) -> Declaration:
        others = ("missing", "families", "by_one_model", "unlike", "kind")
        self.refuse_others("", content, (*_TEXTS, *_LISTS, *_SWITCHES, *others, *_OF_A_KIND))
        texts = {name: self.text(name, content[name]) for name in _TEXTS if name in content}
        if "rows" in texts and texts["rows"] not in (ALL_OTHERS, "columns"):
            for step in texts["rows"].split("."):
                check_path("rows", step.removesuffix("[]"), self.bad)
        common = {name: content[name] for name in _OF_A_KIND if name in content}
        kinds = content.get("kind", [])
        if not isinstance(kinds, list) or not all(isinstance(kind, dict) for kind in kinds):
            raise self.bad("kind", kinds, "write [[kind]] above each kind of rows")
        parsed = [self._kind(f"kind[{n}].", kind, common) for n, kind in enumerate(kinds)]
        parsed = parsed or [self._kind("", common, {})]
        if "judges" in content and "criteria" in content:
            raise self.bad("criteria", content["criteria"], "leave out judges or criteria")
        if "judges" in content or "criteria" in content:
            parsed = [replace(kind, verdict=_verdict(kind)) for kind in parsed]
        if not any(kind.names for kind in parsed):
            raise BadInputError(
                f'{self.place}: it has no [map]; say which field is which column: judge = "rater"'
            )
        of_texts = ("files", "order", "skip", "options", "judges", "criteria", "people")
        lists = {name: self.texts(name, content[name]) for name in of_texts if name in content}
        switches = {name: content.get(name, False) for name in _SWITCHES}
        for name, value in switches.items():
            if not isinstance(value, bool):
                raise self.bad(name, value, "give true or false")
        if switches["scales_truth"]:
            parsed = [replace(kind, scales_truth=True) for kind in parsed]
        for option in lists.get("options", ()):
            if option not in _OPTIONS:
                raise self.bad("options", option, f"choose from {', '.join(_OPTIONS)}")
        signs = self.lists_of_texts("signs", content.get("signs", []))
        fields = self.lists_of_texts("fields", content.get("fields", []))
        if any(not 2 <= len(each) <= 3 for each in fields):
            raise self.bad(
                "fields", fields, 'give field, column and perhaps a note: ["rater", "judgments.judge"]'
            )
        unlike = content.get("unlike", [])
        if not isinstance(unlike, list):
            raise self.bad("unlike", unlike, 'give a list of tables, such as [{ has = ["winner_2"] }]')
        missing = self.table("missing", content.get("missing", {}))
        self.check_columns("missing", missing)
        families = self.table("families", content.get("families", {}))
        by_one = self.table("by_one_model", content.get("by_one_model", {}))
        self.refuse_others("by_one_model.", by_one, ("generator", "opponent"))
        name = texts.pop("name", stem)
        entries: dict[str, Any] = {**texts, **{option: tuple(values) for option, values in lists.items()}}
        return Declaration(
            self.place, name, entries.pop("title", name), tuple(parsed), **entries,
            signs=tuple(map(tuple, signs)), fields=tuple(ImportedField(*each) for each in fields),
            unlike=tuple(self._unlike(f"unlike[{n}]", each) for n, each in enumerate(unlike)),
            whole_ids=switches["whole_ids"],
            families={model: self.text(f"families.{model}", family) for model, family in families.items()},
            by_one_model={n: Filled(self.text(f"by_one_model.{n}", text)) for n, text in by_one.items()},
            missing={column: self.text(f"missing.{column}", text) for column, text in missing.items()},
        )  # fmt: skip

    def _kind(self, at: str, content: Mapping[str, Any], common: Mapping[str, Any]) -> Kind:
        self.refuse_others(at, content, _OF_A_KIND)
        tables = {
            name: {**self.table(name, common.get(name, {})), **self.table(at + name, content.get(name, {}))}
            for name in ("map", "set", "value")
        }
        for name, columns in tables.items():
            self.check_columns(at + name, columns)
        each = content.get("each", common.get("each"))
        parsed_each = None if each is None else self._each(f"{at}each", each)
        constants = {name: self.scalar(f"{at}set.{name}", value) for name, value in tables["set"].items()}
        kind = Kind(
            tuple(self.path(f"{at}when", each) for each in self.texts(f"{at}when", content.get("when", []))),
            tuple(
                self.path(f"{at}unless", each)
                for each in self.texts(f"{at}unless", content.get("unless", []))
            ),
            {name: self._cell(f"{at}map.{name}", value) for name, value in tables["map"].items()},
            constants,
            each=parsed_each,
        )
        for name in kind.map.keys() & constants.keys():
            raise self.bad(
                f"{at}set.{name}", constants[name], f"{at}map.{name} has it from a field: keep one of them"
            )
        has_order = kind.has_order
        values = {
            n: self._values(f"{at}value.{n}", n, v, has_order=has_order) for n, v in tables["value"].items()
        }
        for name in values.keys() - kind.names:
            if not at:
                raise self.bad(
                    f"value.{name}", tables["value"][name], f"name its field in [map]: {name} = ..."
                )
        self._constants(f"{at}set", kind)
        return replace(kind, values=values)

    def _each(self, at: str, content: object) -> Each:
        table = self.table(at, content)
        self.refuse_others(f"{at}.", table, _OF_EACH)
        if ("list" in table) == ("others" in table):
            remedy = 'name the list: list = "votes", or the columns that are no members: others = ["model"]'
            raise self.bad(at, dict(table), remedy)
        cells = self.table(f"{at}.map", table.get("map", {}))
        place = self.table(f"{at}.place", table.get("place", {}))
        self.check_columns(f"{at}.map", cells)
        self.check_columns(f"{at}.place", place)
        for name in ("fewest", "most"):
            number = table.get(name, 0)
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise self.bad(f"{at}.{name}", number, "give a whole number from 0")
        return Each(
            self.path(f"{at}.list", table["list"]) if "list" in table else None,
            tuple(self.texts(f"{at}.others", table.get("others", []))),
            table.get("fewest", 0), table.get("most"),
            self.text(f"{at}.otherwise", table["otherwise"]) if "otherwise" in table else None,
            self.text(f"{at}.null", table["null"]) if "null" in table else None,
            {name: self._cell(f"{at}.map.{name}", value) for name, value in cells.items()},
            {name: tuple(self.texts(f"{at}.place.{name}", values)) for name, values in place.items()},
        )  # fmt: skip

    def _unlike(self, at: str, content: object) -> Unlike:
        table = self.table(at, content)
        self.refuse_others(f"{at}.", table, ("has", "lacks", "outside"))
        outside = self.table(f"{at}.outside", table.get("outside", {}))
        return Unlike(
            tuple(self.texts(f"{at}.has", table.get("has", []))),
            tuple(self.texts(f"{at}.lacks", table.get("lacks", []))),
            {name: tuple(self.texts(f"{at}.outside.{name}", values)) for name, values in outside.items()},
        )

    def _cell(self, at: str, value: object) -> Cell:
        needed: bool | None = None
        last = value[-1] if isinstance(value, list) and value else value
        if isinstance(last, str) and last[-1:] in ("?", "!") and last:
            needed = last.endswith("!")
            value = [*value[:-1], last[:-1]] if isinstance(value, list) else last[:-1]
        return Cell(parse_source(at, value, self.bad), needed)

    def _values(self, at: str, column: str, content: object, *, has_order: bool) -> Values:
        exact: dict[str, str] = {}
        ranges = []
        others = None
        for value, word in self.table(at, content).items():
            entry = f"{at}.{value!r}"
            meaning = self._meaning(entry, column, self.scalar(entry, word), has_order=has_order)
            low, dots, high = value.partition("..")
            bounds = [number_of(part) if part.strip() else inf for part, inf in ((low, -_INF), (high, _INF))]
            if value == ALL_OTHERS:
                others = meaning
            elif dots and None not in bounds:
                ranges.append((bounds[0] or 0.0, bounds[1] or 0.0, meaning))
            elif exact.setdefault(value_key(value), meaning) != meaning:
                raise self.bad(entry, word, f"{value_key(value)!r} is there with another meaning; keep one")
        return Values(exact, tuple(ranges), others)

    def _meaning(self, entry: str, column: str, word: str, *, has_order: bool) -> str:
        """Return a meaning in our words; BadInputError for a word that the column cannot hold."""
        key = lookup_key(word)
        if column == "status" and key not in schema.STATUSES and key != NONE:
            raise self.bad(entry, word, f"choose from {', '.join(schema.STATUSES)}, none")
        if key in NO_VERDICT or (column == "first" and key == BOTH_ORDERS):
            return word
        if column in _SIDED:
            side = side_meaning(word, has_order=has_order and column != "first")
            if lookup_key(side) not in ORDERS:
                raise self.bad(
                    entry, word, "choose from a (the model), b (the opponent), tie, first, second, none"
                )
            return side
        if column in ("met", "reference_met") and key not in MET:
            raise self.bad(entry, word, "choose from yes, no, none")
        if column in ("score", "reference_score", "p_generator") and number_of(word) is None:
            raise self.bad(entry, word, "give a number, or none")
        return word

    def _constants(self, at: str, kind: Kind) -> None:
        for column, word in kind.constants.items():
            if column in ("first", "status", "met", "reference_met", "choice", "preference"):
                self._meaning(f"{at}.{column}", column, word, has_order=False)
            if column == "scale" and not (number_of(word) or 0) > 0:
                raise self.bad(f"{at}.scale", word, "give a number above 0, such as 10")


def _verdict(kind: Kind) -> str | None:
    """Return our column for the cells of a wide table."""
    return next((name for name in ("met", "score", "choice") if name in kind.map), None)


_INF = float("inf")
