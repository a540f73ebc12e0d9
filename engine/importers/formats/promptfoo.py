"""Results of promptfoo: model-graded assertions as judgments."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.importers.formats.promptfoo_assertions import (
    COMPARISONS,
    Rule,
    assertions,
    fill_variables,
    flatten,
    is_human_rating,
    is_unrendered,
    kind,
    value_of,
)
from engine.importers.reading.files import each_file
from engine.importers.reading.format import FileReader, ImportedField, instance_of
from engine.importers.reading.json_rows import allowance, apply_limits, json_lines, json_object
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    Row,
    excerpt,
    number_of,
    object_or_empty,
    objects,
    refuse,
    text_or_none,
)
from engine.importers.reading.study_builder import InstanceRows, StudyRows

_CALL = re.compile(r"^([\w.-]+):(?:chat|completion|responses|messages):(?=.)")


def provider_name(identity: str) -> str:
    """Return a provider's id without the kind of call in it.

    promptfoo shortens `openai:chat:gpt-4o` to `openai:gpt-4o` in the results, but not in assertions, nor if
    the provider has options.
    """
    return _CALL.sub(r"\1:", identity)


def grader_name(provider: object, models: Collection[str] = ()) -> str | None:
    """Return the name of a grading provider: a string, an object with label or id, or one for each use.

    If the grader is one of the models that answer, or given by `--grader`, promptfoo writes an object with
    only the model's own name. The grader is then the one of `models` that ends with this name.
    """
    if not isinstance(provider, dict):
        return provider_name(text_or_none(provider) or "") or None
    for key in ("label", "id"):
        if name := text_or_none(provider.get(key)):
            return provider_name(name)
    for key in ("modelName", "deploymentName"):
        if model := text_or_none(provider.get(key)):
            matching = [name for name in models if name.endswith(f":{model}")]
            return matching[0] if len(matching) == 1 else model
    return grader_name(provider.get("text"), models)


def _grader_of(test: object, models: Collection[str]) -> str | None:
    return grader_name(object_or_empty(object_or_empty(test).get("options")).get("provider"), models)


_LINES = (".jsonl", ".ndjson")
MODEL_GRADED = frozenset(
    (
        *("llm-rubric", "search-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality"),
        *("g-eval", "answer-relevance", "context-faithfulness", "context-recall", "context-relevance"),
        *("conversation-relevance", "pi", "agent-rubric", "trajectory:goal-success"),
    )
)
"""Assertions graded by a model."""

_RED_TEAM = "promptfoo:redteam:"  # begins the assertions of a red team, which a model grades too


def _is_graded(rule: Rule) -> bool:
    """Return whether a model decides an assertion."""
    return kind(rule) in MODEL_GRADED or kind(rule).startswith(_RED_TEAM)


_NO_VERDICT = re.compile(
    r"could not extract json|[\w -]{1,40} produced (a )?malformed response"
    r"|factuality checker output did not match|invalid category value|error parsing output:"
    r"|llm does not propose any evaluation|llm-proposed evaluation \w+ (is|are) not in json"
    r"|no (output|response|embedding)$"
)
"""How promptfoo begins the reason if its grader failed; a judge's own reason may contain similar words."""

_NO_CALL = re.compile(
    r"api (call |response )?error:|request timed out after|error calling|rate limit"
    r"|could not perform remote grading"
)
_ERROR = 2  # failureReason: the call of the model or of a grader failed

_Key = tuple[str, str, str]
"""What identifies a model-graded assertion in all tests: its type, metric and value."""


def _key(rule: Rule) -> _Key:
    return str(rule.get("type")), str(rule.get("metric")), json.dumps(rule.get("value"), sort_keys=True)


@dataclass(slots=True)
class _Grades:
    """The grades of one assertion in all tests: which values `pass` has, and the range of the scores."""

    passes: set[bool] = field(default_factory=set)
    least: float = math.inf
    greatest: float = -math.inf

    def add(self, passed: bool, score: float) -> None:
        self.passes.add(passed)
        self.least, self.greatest = min(self.least, score), max(self.greatest, score)

    def merge(self, other: "_Grades") -> None:
        self.passes |= other.passes
        self.least, self.greatest = min(self.least, other.least), max(self.greatest, other.greatest)

    @property
    def says_nothing(self) -> bool:
        """Return whether `pass` is the same everywhere while the scores differ."""
        return len(self.passes) == 1 and self.least < self.greatest

    @property
    def is_rating(self) -> bool:
        """Return whether the score is the verdict: `pass` says nothing, and some scores contradict it."""
        against = self.least < _HALF if True in self.passes else self.greatest > _HALF
        return self.says_nothing and against

    @property
    def span(self) -> str:
        return f"{self.least:g} to {self.greatest:g}"


_HALF = 0.5  # of a score from 0 to 1; without a threshold, what passes has more


@dataclass(slots=True)
class _File:
    """One file: its results, and what some of them need from others.

    `models` are the full names of its models, `grader` is the default grader, `rendered` holds the texts
    that promptfoo rendered from a criterion and the test's variables, and `grades` what each model-graded
    assertion gave.
    """

    results: Callable[[ImportStats], Iterator[Row]]
    grader: str | None = None
    models: set[str] = field(default_factory=set)
    rendered: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    grades: dict[_Key, _Grades] = field(default_factory=lambda: defaultdict(_Grades))

    def criterion(self, rule: Rule, variables: object) -> str:
        """Return the value of an assertion, rendered if the results have exactly one rendered text."""
        template = value_of(rule, variables)
        texts = self.rendered.get((template, repr(variables)), ()) if is_unrendered(template) else ()
        if len(texts) == 1:
            template = fill_variables(next(iter(texts)), variables)
        if rule["type"] in MODEL_GRADED and template:
            return template
        return f"{rule['type']}: {template}".removesuffix(": ")


class Promptfoo(FileReader):
    """Reads results of versions 2 and 3; a file that is one object is held in memory."""

    suffixes = (".json", *_LINES)
    expected = (
        "promptfoo's results as JSON (promptfoo eval --output results.json): an object with results.results, "
        "a list of objects with provider, prompt, vars, response and gradingResult; or as JSON Lines, such "
        "an object on each line"
    )
    file = _File(lambda _: iter(()))
    grades: Mapping[_Key, _Grades] = {}

    def rows(self) -> Iterator[Row]:
        """Yield the results; one that is in several files counts once."""
        identities: set[str | None] = set()
        if len(self.files) > 1:  # an assertion of several files is a rating in all of them, or in none
            merged: dict[_Key, _Grades] = defaultdict(_Grades)
            with apply_limits(allowance().limits):  # the files are unpacked twice, and counted once
                for _, file in each_file(self.files, _scan_file, ImportStats()):
                    for key, grades in file.grades.items():
                        merged[key].merge(grades)
            self.grades = merged
        for _, file in each_file(self.files, _scan_file, self.tally):
            self.file = file
            self.grades = self.grades if len(self.files) > 1 else file.grades
            for row in file.results(self.tally):
                identity = text_or_none(row.values.get("id"))
                if identity and identity in identities:
                    self.tally.note(f"{row.file}: results that are also in another file are read once")
                    continue
                identities.add(identity)
                yield row

    def read(self, row: Row) -> StudyRows:
        output = object_or_empty(row.values.get("response")).get("output")
        if output is None or row.values.get("failureReason") == _ERROR:
            raise BadRowError("the call of the model, or of a grader, failed", row.values.get("error"))
        checks = self._checks(row)
        prompt, variables = _prompt(row), row.values.get("vars")
        criteria = [self.file.criterion(rule, variables) for _, rule in checks]
        generator = _provider(row)
        metadata = object_or_empty(object_or_empty(row.values.get("testCase")).get("metadata"))
        category = text_or_none(metadata.get("category"))
        rows = InstanceRows(instance_of(prompt, *criteria), prompt=prompt, category=category)
        rows.response(generator, output if isinstance(output, str) else json.dumps(output))
        for place, ((result, rule), criterion) in enumerate(zip(checks, criteria, strict=True), start=1):
            rubric = f"r{place}"
            by_model = _is_graded(rule)
            axis, checker = str(rule.get("metric") or kind(rule)), None if by_model else kind(rule)
            weight = number_of(rule.get("weight"))
            points = 1.0 if weight is None else weight
            rows.rubric(rubric, criterion=criterion, axis=axis, points=points, checker=checker)
            if by_model:
                judge = self.options.judge or self._judge(row, rule)
                paradigm, verdict = self._graded(result, rule)
                rows.judgment(judge, paradigm, generator, rubric_id=rubric, **verdict)
            elif isinstance(met := _passed(result, rule), bool):
                rows.reference("program", generator, rubric, met=met)
        return rows.tables

    def _graded(self, result: Row, rule: Rule) -> tuple[str, dict[str, Any]]:
        """Return the paradigm and the verdict of a model: whether it passed, or its score if that is more."""
        verdict, grades = _verdict(result, rule), self.grades.get(_key(rule), _Grades())
        if grades.says_nothing:
            stored, lost = ("scores", "verdicts") if grades.is_rating else ("verdicts", "scores")
            self.tally.note(
                f"{rule['type']} {excerpt(rule.get('value') or '')!r}: pass is the same in all rows, while "
                f"the scores differ ({grades.span}): the {stored} are stored, the {lost} are not"
            )
        if not grades.is_rating:
            return "single_rubric", verdict
        if verdict.pop("met", None) is not None:
            score = number_of(result.values.get("score"))
            verdict |= {"status": "unparsed"} if score is None else {"score": score}
        return "score_rubric", verdict

    def _checks(self, row: Row) -> list[tuple[Row, Rule]]:
        """Return the results about a single response, each with its assertion."""
        components = _components(row)
        checked = [each for each in components if not is_human_rating(each)]
        if len(checked) < len(components):
            self.tally.note("people's ratings of a whole output, which are of no criterion, are not stored")
        results = [row.within("componentResults", each) for each in flatten(checked)]
        rules = assertions([each.values for each in results], row.values.get("testCase"))
        checks = []
        for result, rule in zip(results, rules, strict=True):
            if not rule:
                sets = "totals of sets of assertions, and results of unknown assertions"
                self.tally.note(f"{sets}, are not stored")
            elif kind(rule) in COMPARISONS:
                self.tally.note(f"{', '.join(COMPARISONS)}: comparisons of several outputs are not stored")
            else:
                checks.append((result, rule))
        return checks

    def _judge(self, row: Row, rule: Rule) -> str:
        models = self.file.models
        judge = grader_name(rule.get("provider"), models) or _grader_of(row.values.get("testCase"), models)
        judge = judge or self.file.grader
        if judge is None:
            raise BadRowError(f"the grader is not named: give {self.options.spelling.option('judge')}")
        return judge


def _scan_file(path: Path) -> _File:
    """Return a file, with what its results need from each other collected."""
    default_test = None
    if path.name.removesuffix(".gz").endswith(_LINES):
        file = _File(lambda tally: json_lines(path, tally, Promptfoo.expected))
    else:
        content = json_object(path, Promptfoo.expected)
        default_test = object_or_empty(content.get("config")).get("defaultTest")
        outer = content.get("results")
        results = outer.get("results") if isinstance(outer, dict) else outer
        if not isinstance(results, list):
            raise refuse(path.name, "it has no list results.results", Promptfoo.expected)
        file = _File(lambda tally: objects(path.name, results, tally))
    for row in file.results(ImportStats()):
        components, variables = [], row.values.get("vars")
        with suppress(BadRowError):
            file.models.add(_provider(row))
        with suppress(BadRowError):
            components = flatten(_components(row))
        components = [object_or_empty(each) for each in components]
        rules = assertions(components, row.values.get("testCase"))
        for component, rule in zip(components, rules, strict=True):
            if _is_graded(rule):
                graded = _verdict(row.within("componentResults", component), rule)
                score = number_of(component.get("score"))
                if isinstance(graded.get("met"), bool) and score is not None:
                    file.grades[_key(rule)].add(graded["met"], score)
            if grader := text_or_none(rule.get("provider")):
                file.models.add(provider_name(grader))
            text = text_or_none(object_or_empty(component.get("metadata")).get("renderedAssertionValue"))
            if text is not None and is_unrendered(template := value_of(rule, variables)):
                file.rendered[template, repr(variables)].add(text)
    file.grader = _grader_of(default_test, file.models)
    return file


def _passed(component: Row, rule: Rule) -> object:
    """Return whether an assertion passed; with weight 0 it always does, so its score decides."""
    met = component.values.get("pass")
    if met is not True or number_of(rule.get("weight")) != 0:
        return met
    score = number_of(component.values.get("score"))
    return None if score is None else {0.0: False, 1.0: True}.get(score)


def _verdict(component: Row, rule: Rule) -> dict[str, Any]:
    reason, met = component.maybe_text("reason") or "", _passed(component, rule)
    grader_failed = object_or_empty(component.values.get("metadata")).get("graderError") is True
    lower = reason.lower()
    if met is not True and _NO_CALL.match(lower):
        return {"status": "error", "raw": reason}
    if grader_failed or not isinstance(met, bool) or (not met and _NO_VERDICT.match(lower)):
        return {"status": "unparsed", "raw": reason}
    return {"status": "ok", "met": met, "explanation": reason}


def _provider(row: Row) -> str:
    """Return the name of the model that answered: its label, else its id."""
    provider = row.get("provider")
    if isinstance(provider, str):
        return provider_name(provider)
    fields = row.within("provider", provider)
    return provider_name(fields.maybe_text("label") or fields.text("id"))


def _components(row: Row) -> list[Any]:
    """Return the results of a row's assertions; BadRowError if they are not a list."""
    components = object_or_empty(row.values.get("gradingResult")).get("componentResults")
    if not isinstance(components, list | None):
        raise BadRowError("componentResults is not a list", components)
    return components or []


def _prompt(row: Row) -> str:
    prompt = row.values.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if isinstance(raw, str) and raw:
        return raw
    return json.dumps(row.get("vars"), ensure_ascii=False, sort_keys=True)


FORMAT = Promptfoo.as_format(
    "promptfoo",
    "promptfoo results",
    "https://github.com/promptfoo/promptfoo",
    ImportedField("prompt, vars", "instances.prompt, instance_id", "the id is made of prompt and assertions"),
    ImportedField("response", "responses.text"),
    ImportedField("provider", "judgments.generator", "its label, else its id without the kind of call"),
    ImportedField(
        "gradingResult",
        "judgments.met, status",
        "of assertions that a model decides; their score only where pass says nothing",
    ),
    ImportedField("gradingResult.componentResults[].pass", "references.met", "of all other assertions"),
    ImportedField("testCase", "judgments.judge, instances.category", "options.provider; else {--judge}"),
    signs=(("gradingResult", "testCase", "promptIdx"),),
    object_signs=(("results.results", "evalId"), ("results.results", "config"), ("results.results",)),
)
