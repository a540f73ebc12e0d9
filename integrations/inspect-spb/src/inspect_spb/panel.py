"""The task `panel`: responses that are there already, each shown to every judge with one criterion."""

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

REQUIRED = ("instance_id", "prompt", "generator", "response", "rubric_id", "criterion")
PROMPT = """Decide whether a response meets one criterion.

<question>
{prompt}
</question>

<response>
{response}
</response>

<criterion>
{criterion}
</criterion>

Answer with one JSON object and nothing else: {{"criteria_met": true}} or {{"criteria_met": false}}."""

_OBJECT = re.compile(r"\{[^{}]*\}")


@task
def panel(responses: str, judges: str | Sequence[str], families: str = "") -> Task:
    """Return the task. `judges` are Inspect's names of models; `families` reads `model=family,...`."""
    names = judges.split(",") if isinstance(judges, str) else list(judges)
    judge_names = [name.strip() for name in names if name.strip()]
    samples = read_samples(responses)
    generators = {str((sample.metadata or {})["generator"]) for sample in samples}
    by_name = {short_name(name, generators): name for name in judge_names}
    if len(by_name) < len(judge_names) or not judge_names:
        raise ValueError(f"judges {judge_names!r} must be one or more names that differ after their provider")
    return Task(
        dataset=MemoryDataset(samples),
        solver=as_given(),
        scorer=verdicts(by_name),
        metadata={"families": read_families(families), "judges": judge_names},
    )


def read_samples(path: str) -> list[Sample]:
    """Read a file of JSON Lines; ValueError that names the line and what it lacks."""
    samples = []
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {number}: no JSON object: {error}") from error
        missing = [name for name in REQUIRED if name not in (row if isinstance(row, dict) else {})]
        if missing:
            raise ValueError(f"{path}, line {number}: lacks {', '.join(missing)}")
        samples.append(Sample(input=str(row["prompt"]), target="", id=f"{number}", metadata=row))
    return samples


def read_families(text: str) -> dict[str, str]:
    """Read `model=family,model=family`; ValueError for a part without `=`."""
    families = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        model, equals, family = part.partition("=")
        if not equals:
            raise ValueError(f"families: {part!r} has no '='; write model=family")
        families[model.strip()] = family.strip()
    return families


@solver
def as_given() -> Solver:
    """Leave the response as it was given: nothing is generated."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def verdicts(judges: Mapping[str, str]) -> Scorer:
    """Ask every judge; the score maps a judge's short name to 1 (met), 0 (not met), or NaN without a verdict.

    `judges` are Inspect's names by their short ones.

    What each judge said, and the status of its answer, stand in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        row = state.metadata
        prompt = PROMPT.format(**{name: row[name] for name in ("prompt", "response", "criterion")})
        answers = await asyncio.gather(*(_ask(judge, prompt) for judge in judges.values()))
        by_judge = dict(zip(judges, answers, strict=True))
        value = {
            judge: float("nan") if a["met"] is None else float(a["met"]) for judge, a in by_judge.items()
        }
        return Score(value=value, metadata={"answers": by_judge})

    return score


async def _ask(judge: str, prompt: str) -> dict[str, Any]:
    try:
        output = await get_model(judge).generate(prompt)
    except Exception as error:  # a judge that fails leaves the others' verdicts
        return {"met": None, "status": "error", "raw": str(error)[:2000], "model": judge}
    if output.stop_reason == "content_filter":
        return {"met": None, "status": "refused", "raw": output.completion, "model": judge}
    cut_off = output.stop_reason in ("max_tokens", "model_length")
    met = None if cut_off else read_verdict(output.completion)
    status = "unparsed" if met is None else "ok"
    return {"met": met, "status": status, "raw": output.completion, "model": judge}


def read_verdict(text: str) -> bool | None:
    """Return the verdict of the JSON objects in an answer; None if there is none, or if they disagree."""
    verdicts = set()
    for candidate in _OBJECT.findall(text):
        try:
            verdict = json.loads(candidate).get("criteria_met")
        except json.JSONDecodeError:
            continue
        if isinstance(verdict, str):
            verdict = {"true": True, "false": False}.get(verdict.strip().lower())
        verdicts |= {verdict} if isinstance(verdict, bool) else set()
    return verdicts.pop() if len(verdicts) == 1 else None


def short_name(model: str, generators: Collection[str] = ()) -> str:
    """Return a model's name without its provider: `openai/gpt-4o` is `gpt-4o`.

    Routers stand before providers (`openrouter/openai/gpt-4o`): the longest end of the name that is one of
    the `generators` is taken, where one is.
    """
    pieces = model.strip().split("/")
    ends = ["/".join(pieces[first:]) for first in range(min(1, len(pieces) - 1), len(pieces))]
    return next((end for end in ends if end in generators), ends[0])
