"""Promptfoo's results (`promptfoo eval --output results.json`), versions 2 and 3.

A result is one provider's output for one test; its `gradingResult.componentResults` has a verdict for each
assertion. Assertions that a model decides (llm-rubric, factuality, g-eval, ...) are a judge's verdicts, all
others are references of source `program`. A grader that gave no verdict is written as a failed assertion,
with a reason that says so: such rows are unparsed.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.foreign.formats import Asked, Field, Format, instance_of
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.json_files import json_object
from engine.importers.foreign.promptfoo_assertions import COMPARED, Rule, assertions, kind, value_of
from engine.importers.foreign.rows import BadRowError, Row, Tally, number_of, objects, refuse

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


class Promptfoo:
    """Results being read; the file is held whole."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        self.path, self.asked, self.tally = path, asked, tally
        self.default: str | None = None

    def rows(self) -> Iterator[Row]:
        """Yield the results."""
        told = json_object(self.path, _EXPECTED)
        outer = told.get("results")
        results = outer.get("results") if isinstance(outer, dict) else outer
        if not isinstance(results, list):
            raise refuse(self.path.name, "it has no list results.results", _EXPECTED)
        config = told.get("config")
        self.default = _grader_of(config.get("defaultTest") if isinstance(config, dict) else None)
        yield from objects(self.path.name, results, self.tally)

    def read(self, row: Row) -> Found:
        """Return the prompt, the output, and what each assertion says of it."""
        response = row.values.get("response")
        output = response.get("output") if isinstance(response, dict) else None
        if output is None or row.values.get("failureReason") == _ERROR:
            raise BadRowError("the model's call failed", row.values.get("error"))
        grading = row.values.get("gradingResult")
        components = grading.get("componentResults") if isinstance(grading, dict) else None
        if not isinstance(components, list | None):
            raise BadRowError("componentResults is no list", components)
        graded = [row.within("componentResults", one) for one in components or ()]
        rules = assertions([one.values for one in graded], row.values.get("testCase"))
        kept = [(one, rule) for one, rule in zip(graded, rules, strict=True) if self._counts(rule)]
        prompt, variables = _prompt(row), row.values.get("vars")
        instance = instance_of(prompt, *(_criterion(rule, variables) for _, rule in kept))
        keys = {"instance_id": instance, "generator": _provider(row)}
        found: Found = {
            "instances": [{"instance_id": instance, "prompt": prompt, "category": _category(row)}],
            "responses": [{**keys, "text": output if isinstance(output, str) else json.dumps(output)}],
            "rubrics": [],
            "references": [],
            "judgments": [],
        }
        for place, (one, rule) in enumerate(kept, start=1):
            rubric = f"r{place}"
            by_model = kind(rule) in GRADED
            found["rubrics"].append(
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
                judge = self.asked.judge or self._judge(row, rule)
                told = {"judge": judge, "paradigm": "single_rubric", "rubric_id": rubric}
                found["judgments"].append({**told, **keys, **_verdict(one, rule)})
            elif isinstance(met := _passed(one, rule), bool):
                found["references"].append({**keys, "rubric_id": rubric, "source": "program", "met": met})
        return found

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
    metadata = component.values.get("metadata")
    failed = isinstance(metadata, dict) and metadata.get("graderError") is True
    low = reason.lower()
    if met is not True and _NO_CALL.match(low):
        return {"status": "error", "raw": reason}
    if failed or not isinstance(met, bool) or (not met and _NO_VERDICT.match(low)):
        return {"status": "unparsed", "raw": reason}
    return {"status": "ok", "met": met, "explanation": reason}


def _grader(provider: object) -> str | None:
    """Return the name of a grading provider, which may be a text, an object with id, or one for each kind."""
    if isinstance(provider, dict):
        provider = provider.get("id") or provider.get("text")
        return _grader(provider)
    return provider if isinstance(provider, str) and provider else None


def _grader_of(test: object) -> str | None:
    options = test.get("options") if isinstance(test, dict) else None
    return _grader(options.get("provider")) if isinstance(options, dict) else None


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


def _category(row: Row) -> str | None:
    test = row.values.get("testCase")
    metadata = test.get("metadata") if isinstance(test, dict) else None
    found = metadata.get("category") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else None


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
