"""Which assertion each of promptfoo's component results is of, and what it asks for.

A result whose grader failed is written without its assertion (by version 0.118 at least). The test lists its
assertions in the order of the results, so that it is known all the same.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Rule = Mapping[str, Any]
"""An assertion as the file has it; empty where a result is of none, such as that of a set."""

COMPARED = ("select-best", "max-score")
"""Assertions that compare several outputs; their results come after all others."""

_SET = "assert-set"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def assertions(components: Sequence[Mapping[str, Any]], test: object) -> list[Rule]:
    """Return the assertion of each result: its own, else the one that stands at its place in the test."""
    listed = test.get("assert") if isinstance(test, dict) else None
    expected = list(_expected(listed)) if isinstance(listed, list) else []
    places = list(_places(components))
    fits = len(places) == len(expected)
    found = [_rule(one.get("assertion")) for one in components]
    for (place, inside), rule in zip(places, expected if fits else (), strict=False):
        members = [_rule(member) for member in _members(rule)]
        if not members:
            found[place] = found[place] or rule
        elif len(members) == inside:
            for step, member in enumerate(members, start=1):
                found[place + step] = found[place + step] or member
    return found


def kind(rule: Rule) -> str:
    """Return the type of an assertion, whether or not it is turned round."""
    return str(rule["type"]).removeprefix("not-")


def value_of(rule: Rule, variables: object) -> str:
    """Return what an assertion asks for, with the test's variables put in where they are plain."""
    value = rule.get("value")
    words = (
        value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    )
    known = variables if isinstance(variables, dict) else {}

    def filled(match: re.Match[str]) -> str:
        given = known.get(match[1])
        plain = isinstance(given, str | int | float) and not isinstance(given, bool)
        return str(given) if plain else match[0]

    return _VARIABLE.sub(filled, words)


def _rule(found: object) -> Rule:
    return found if isinstance(found, dict) and isinstance(found.get("type"), str) else {}


def _members(rule: Rule) -> Sequence[object]:
    inside = rule.get("assert")
    return inside if rule.get("type") == _SET and isinstance(inside, list) else ()


def _expected(listed: Sequence[object]) -> Iterator[Rule]:
    """Yield the assertions of a test in the order of their results."""
    rules = [_rule(one) for one in listed]
    yield from (rule for rule in rules if rule.get("type") not in COMPARED)
    yield from (rule for rule in rules if rule.get("type") in COMPARED)


def _places(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield where the result of each of the test's assertions stands, and how many of its own follow it."""
    place = 0
    while place < len(components):
        own = components[place].get("componentResults")
        inside = len(own) if isinstance(own, list) else 0
        yield place, inside
        place += 1 + inside
