"""Promptfoo's assertions: which there are in a test, of what kind, and what they compare with."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.importers.reading.rows import list_or_empty, object_or_empty

Rule = Mapping[str, Any]
"""An assertion as in the file; empty for a result without one, such as that of a set."""

COMPARISONS = ("select-best", "max-score")  # of several outputs; their results come after all others
_SET = "assert-set"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def assertions(components: Sequence[Mapping[str, Any]], test: object) -> list[Rule]:
    """Return the assertion of each result: its own, else the one at the same place in the test."""
    declared = [_rule(each) for each in list_or_empty(object_or_empty(test).get("assert"))]
    expected = sorted(declared, key=lambda rule: rule.get("type") in COMPARISONS)  # in order of results
    places: list[tuple[int, int]] = []  # of the results of the test's assertions; how many members follow
    place = 0
    while place < len(components):
        places.append((place, len(list_or_empty(components[place].get("componentResults")))))
        place += 1 + places[-1][1]
    fits = len(places) == len(expected)
    rules = [_rule(each.get("assertion")) for each in components]
    for (place, count), rule in zip(places, expected if fits else (), strict=False):
        set_members = list_or_empty(rule.get("assert")) if rule.get("type") == _SET else ()
        members = [_rule(each) for each in set_members]
        if not members:
            rules[place] = rules[place] or rule
        elif len(members) == count:
            for step, member in enumerate(members, start=1):
                rules[place + step] = rules[place + step] or member
    return rules


def flatten(components: Sequence[Any]) -> list[Any]:
    """Return the results, with those of a set's members after the set's.

    Some versions of promptfoo write the members' results both there and inside the set's result, others only
    inside it. The parts of a program's result are not results of assertions and are left out.
    """
    flat: list[Any] = []
    place = 0
    while place < len(components):
        component = components[place]
        members = list_or_empty(object_or_empty(component).get("componentResults"))
        place += 1
        if components[place : place + len(members)] == members:
            place += len(members)
        if members and kind(_rule(component.get("assertion"))) not in ("", _SET):
            flat.append({name: value for name, value in component.items() if name != "componentResults"})
        else:
            flat += [component, *members]
    return flat


def is_human_rating(component: object) -> bool:
    """Return whether a result is a person's rating of the whole output in promptfoo's viewer."""
    return kind(_rule(object_or_empty(component).get("assertion"))) == "human"


def kind(rule: Rule) -> str:
    """Return the type of an assertion, without its `not-`; empty if there is no assertion."""
    return str(rule.get("type", "")).removeprefix("not-")


def value_of(rule: Rule, variables: object) -> str:
    value = "" if rule.get("value") is None else rule["value"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return fill_variables(text, variables)


def fill_variables(text: str, variables: object) -> str:
    """Return a text with the test's text and number variables filled in."""
    values = object_or_empty(variables)

    def value(match: re.Match[str]) -> str:
        variable = values.get(match[1])
        is_plain = isinstance(variable, str | int | float) and not isinstance(variable, bool)
        return str(variable) if is_plain else match[0]

    return _VARIABLE.sub(value, text)


def is_unrendered(text: str) -> bool:
    """Return whether a text is only the name of a file, or still has variables to fill in."""
    return text.startswith("file://") or "{{" in text or "{%" in text


def _rule(value: object) -> Rule:
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else {}
