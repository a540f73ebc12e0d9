"""Promptfoo results."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, each_file, instance_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    BadRowError,
    Row,
    list_or_empty,
    number_of,
    object_or_empty,
    objects,
    refuse,
    text_or_none,
)

# ------------------------------------------------------------------------------
# Which assertion each of promptfoo's component results is of, and what it asks for.


Rule = Mapping[str, Any]
"""An assertion as the file has it; empty where a result is of none, such as that of a set."""

COMPARED = ("select-best", "max-score")
"""Assertions that compare several outputs; their results come after all others."""

_SET = "assert-set"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def assertions(components: Sequence[Mapping[str, Any]], test: object) -> list[Rule]:
    """Return the assertion of each result: its own, else the one that stands at its place in the test."""
    listed = [_rule(one) for one in list_or_empty(object_or_empty(test).get("assert"))]
    expected = sorted(listed, key=lambda rule: rule.get("type") in COMPARED)  # in the order of their results
    places = list(_places(components))
    fits = len(places) == len(expected)
    rules = [_rule(one.get("assertion")) for one in components]
    for (place, inside), rule in zip(places, expected if fits else (), strict=False):
        inside_set = list_or_empty(rule.get("assert")) if rule.get("type") == _SET else ()
        members = [_rule(one) for one in inside_set]
        if not members:
            rules[place] = rules[place] or rule
        elif len(members) == inside:
            for step, member in enumerate(members, start=1):
                rules[place + step] = rules[place + step] or member
    return rules


def flattened(components: Sequence[Any]) -> list[Any]:
    """Return the results with those of a set's members after the set's.

    Some versions of promptfoo write the members' results there as well as within the set's, others within
    the set's only.
    """
    flat: list[Any] = []
    place = 0
    while place < len(components):
        one = components[place]
        members = list_or_empty(object_or_empty(one).get("componentResults"))
        place += 1
        if components[place : place + len(members)] == members:
            place += len(members)
        flat += [one, *members]
    return flat


def kind(rule: Rule) -> str:
    """Return the type of an assertion, whether or not it is turned round."""
    return str(rule["type"]).removeprefix("not-")


def value_of(rule: Rule, variables: object) -> str:
    """Return what an assertion asks for, with the test's variables put in where they are plain."""
    value = "" if rule.get("value") is None else rule["value"]
    words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    known = object_or_empty(variables)

    def filled(match: re.Match[str]) -> str:
        given = known.get(match[1])
        plain = isinstance(given, str | int | float) and not isinstance(given, bool)
        return str(given) if plain else match[0]

    return _VARIABLE.sub(filled, words)


def _rule(value: object) -> Rule:
    return value if isinstance(value, dict) and isinstance(value.get("type"), str) else {}


def _places(components: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield where the result of each of the test's assertions stands, and how many of its own follow it."""
    place = 0
    while place < len(components):
        inside = len(list_or_empty(components[place].get("componentResults")))
        yield place, inside
        place += 1 + inside


# ------------------------------------------------------------------------------
# Promptfoo's results (`promptfoo eval --output results.json`), versions 2 and 3.


_EXPECTED = (
    "promptfoo's results as JSON (promptfoo eval --output results.json): an object with results.results, a "
    "list of objects with provider, prompt, vars, response and gradingResult"
)
GRADED = frozenset(
    (
        *("llm-rubric", "search-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality"),
        *("g-eval", "answer-relevance", "context-faithfulness", "context-recall", "context-relevance"),
        *("conversation-relevance", "pi", "agent-rubric", "trajectory:goal-success"),
    )
)
"""Assertions that a model decides."""

_NO_VERDICT = re.compile(
    r"could not extract json|[\w -]{1,40} produced (a )?malformed response"
    r"|factuality checker output did not match|invalid category value|error parsing output:"
    r"|llm does not propose any evaluation|llm-proposed evaluation \w+ (is|are) not in json"
    r"|no (output|response|embedding)$"
)
"""How promptfoo begins the reason for a failure that is its grader's; a judge's own reason may say alike."""

_NO_CALL = re.compile(
    r"api (call |response )?error:|request timed out after|error calling|rate limit"
    r"|could not perform remote grading"
)
_ERROR = 2  # failureReason: the call of the model failed


class Promptfoo(FileReader):
    """Results being read, of one file or a folder of them; a file is held whole."""

    suffixes = (".json",)
    expected = _EXPECTED
    default: str | None = None

    def rows(self) -> Iterator[Row]:
        """Yield the results."""
        for file, (results, grader) in each_file(self.files, _results, self.tally):
            self.default = grader
            yield from objects(file.name, results, self.tally)

    def read(self, row: Row) -> StudyRows:
        """Return the prompt, the output, and what each assertion says of it."""
        output = object_or_empty(row.values.get("response")).get("output")
        if output is None or row.values.get("failureReason") == _ERROR:
            raise BadRowError("the model's call failed", row.values.get("error"))
        components = object_or_empty(row.values.get("gradingResult")).get("componentResults")
        if not isinstance(components, list | None):
            raise BadRowError("componentResults is no list", components)
        graded = [row.within("componentResults", one) for one in flattened(components or ())]
        rules = assertions([one.values for one in graded], row.values.get("testCase"))
        checks = [(one, rule) for one, rule in zip(graded, rules, strict=True) if self._counts(rule)]
        prompt, variables = _prompt(row), row.values.get("vars")
        instance = instance_of(prompt, *(_criterion(rule, variables) for _, rule in checks))
        keys = {"instance_id": instance, "generator": _provider(row)}
        metadata = object_or_empty(object_or_empty(row.values.get("testCase")).get("metadata"))
        category = text_or_none(metadata.get("category"))
        tables: StudyRows = {
            "instances": [{"instance_id": instance, "prompt": prompt, "category": category}],
            "responses": [{**keys, "text": output if isinstance(output, str) else json.dumps(output)}],
            "rubrics": [],
            "references": [],
            "judgments": [],
        }
        for place, (one, rule) in enumerate(checks, start=1):
            rubric = f"r{place}"
            by_model = kind(rule) in GRADED
            tables["rubrics"].append(
                {
                    "instance_id": instance,
                    "rubric_id": rubric,
                    "criterion": _criterion(rule, variables),
                    "axis": str(rule.get("metric") or kind(rule)),
                    "points": 1.0 if number_of(rule.get("weight")) is None else number_of(rule["weight"]),
                    "checker": None if by_model else kind(rule),
                }
            )
            if by_model:
                judge = self.options.judge or self._judge(row, rule)
                judgment = {"judge": judge, "paradigm": "single_rubric", "rubric_id": rubric}
                tables["judgments"].append({**judgment, **keys, **_verdict(one, rule)})
            elif isinstance(met := _passed(one, rule), bool):
                tables["references"].append({**keys, "rubric_id": rubric, "source": "program", "met": met})
        return tables

    def _counts(self, rule: Rule) -> bool:
        """Tell whether an assertion is of one response by itself."""
        if not rule:
            self.tally.note("totals of sets of assertions, and results of unknown assertions, are not stored")
            return False
        if kind(rule) in COMPARED:
            self.tally.note(f"{', '.join(COMPARED)}: comparisons of several outputs are not stored")
            return False
        return True

    def _judge(self, row: Row, rule: Rule) -> str:
        test = row.values.get("testCase")
        judge = _grader(rule.get("provider")) or _grader_of(test) or self.default
        if judge is None:
            raise BadRowError("the grader is not named: give --judge")
        return judge


def _results(file: Path) -> tuple[list[Any], str | None]:
    """Return the results of a file, and the grader of tests that name none."""
    content = json_object(file, _EXPECTED)
    outer = content.get("results")
    results = outer.get("results") if isinstance(outer, dict) else outer
    if not isinstance(results, list):
        raise refuse(file.name, "it has no list results.results", _EXPECTED)
    return results, _grader_of(object_or_empty(content.get("config")).get("defaultTest"))


def _criterion(rule: Rule, variables: object) -> str:
    words = value_of(rule, variables)
    return words if rule["type"] in GRADED and words else f"{rule['type']}: {words}".removesuffix(": ")


def _passed(component: Row, rule: Rule) -> object:
    """Return whether an assertion passed; one of weight 0 always does, so that its score has to say it."""
    met = component.values.get("pass")
    if met is not True or number_of(rule.get("weight")) != 0:
        return met
    score = number_of(component.values.get("score"))
    return None if score is None else {0.0: False, 1.0: True}.get(score)


def _verdict(component: Row, rule: Rule) -> dict[str, Any]:
    reason, met = component.maybe_text("reason") or "", _passed(component, rule)
    failed = object_or_empty(component.values.get("metadata")).get("graderError") is True
    low = reason.lower()
    if met is not True and _NO_CALL.match(low):
        return {"status": "error", "raw": reason}
    if failed or not isinstance(met, bool) or (not met and _NO_VERDICT.match(low)):
        return {"status": "unparsed", "raw": reason}
    return {"status": "ok", "met": met, "explanation": reason}


def _grader(provider: object) -> str | None:
    """Return the name of a grading provider, which may be a text, an object with id, or one for each kind."""
    if isinstance(provider, dict):
        return _grader(provider.get("id") or provider.get("text"))
    return text_or_none(provider) or None


def _grader_of(test: object) -> str | None:
    return _grader(object_or_empty(object_or_empty(test).get("options")).get("provider"))


def _provider(row: Row) -> str:
    provider = row.get("provider")
    if isinstance(provider, str):
        return provider
    one = row.within("provider", provider)
    return one.maybe_text("label") or one.text("id")


def _prompt(row: Row) -> str:
    prompt = row.values.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if isinstance(raw, str) and raw:
        return raw
    return json.dumps(row.get("vars"), ensure_ascii=False, sort_keys=True)


FORMAT = Format(
    "promptfoo",
    "promptfoo results",
    "https://github.com/promptfoo/promptfoo",
    _EXPECTED,
    (
        Field("prompt, vars", "instances.prompt, instance_id", "the id is made of prompt and assertions"),
        Field("response", "responses.text"),
        Field("provider", "judgments.generator", "its label, else its id"),
        Field("gradingResult", "judgments.met, status", "of assertions that a model decides"),
        Field("gradingResult.componentResults[].pass", "references.met", "of all other assertions"),
        Field("testCase", "judgments.judge, instances.category", "options.provider; else --judge"),
    ),
    Promptfoo,
)
