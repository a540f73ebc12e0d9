"""Data sets of questions: AlpacaEval, MATH-500 and MBPP+."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.dataset import DataSet, json_lines, json_list
from engine.store import Store, StudyInfo
from engine.store.store import Mode
from engine.store.writer import WriteReport

_ALPACA = "give alpaca_eval.json of tatsu-lab/alpaca_eval"
_MATH = "give test.jsonl of MATH-500 (prm800k's math_splits)"
_MBPP = "give MbppPlus.jsonl.gz of evalplus/mbppplus_release"

Rows = list[dict[str, Any]]


def import_alpaca(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write AlpacaEval's instructions as instances, numbered, and its baseline's outputs as responses."""
    rows: dict[str, Rows] = {"models": [], "instances": [], "responses": []}
    entries = list(json_list(Path(path), _ALPACA))
    for entry in entries:
        instance, generator = f"{entry.number:0{len(str(len(entries)))}}", entry.maybe("generator", str)
        category = entry.maybe("dataset", str)
        rows["instances"].append(
            {"instance_id": instance, "prompt": entry.get("instruction", str), "category": category}
        )
        if generator is not None:
            text = entry.get("output", str)
            rows["responses"].append({"instance_id": instance, "generator": generator, "text": text})
    generators = dict.fromkeys(row["generator"] for row in rows["responses"])
    rows["models"] = [{"model": generator, "family": generator} for generator in generators]
    info = StudyInfo(
        title="AlpacaEval",
        dataset="alpaca-eval",
        licence="CC-BY-NC-4.0",
        source="https://huggingface.co/datasets/tatsu-lab/alpaca_eval",
    )
    return DataSet(info, rows).write(store, name or "alpaca-eval", mode=mode, dry_run=dry_run)


def import_math500(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write MATH-500's problems as instances, with one rubric: that the final answer is the right one."""
    instances: Rows = []
    rubrics: Rows = []
    for entry in json_lines(Path(path), _MATH):
        instance, answer = entry.get("unique_id", str), entry.get("answer", str)
        level = entry.maybe("level", int)
        instances.append(
            {
                "instance_id": instance,
                "prompt": entry.get("problem", str),
                "category": entry.maybe("subject", str),
                "theme": None if level is None else f"level {level}",
                "reference_answer": answer,
            }
        )
        rubrics.append(_correct(instance, f"The final answer is mathematically equal to {answer}"))
    info = StudyInfo(
        title="MATH-500", dataset="math500", licence="MIT", source="https://github.com/openai/prm800k"
    )
    data = DataSet(info, {"instances": instances, "rubrics": rubrics})
    return data.write(store, name or "math500", mode=mode, dry_run=dry_run)


def import_mbpp_plus(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write MBPP+'s tasks as instances, with one rubric: that the function is right for every valid input.

    No code is run: whether a response is right has to come from EvalPlus, as references.
    """
    instances: Rows = []
    rubrics: Rows = []
    for instance, prompt, function, solution in _tasks(Path(path)):
        instances.append({"instance_id": instance, "prompt": prompt, "reference_answer": solution})
        rubrics.append(
            _correct(
                instance,
                f"The code defines `{function}`, and it returns the right result for all valid inputs.",
            )
        )
    info = StudyInfo(
        title="MBPP+",
        dataset="mbpp-plus",
        licence="Apache-2.0",
        source="https://github.com/evalplus/mbppplus_release",
    )
    data = DataSet(info, {"instances": instances, "rubrics": rubrics})
    return data.write(store, name or "mbpp-plus", mode=mode, dry_run=dry_run)


def _tasks(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield id, prompt (out of its docstring's quotes), name of the function and solution of each task."""
    for entry in json_lines(path, _MBPP):
        prompt = entry.get("prompt", str).strip().removeprefix('"""').removesuffix('"""').strip()
        yield (
            entry.get("task_id", str),
            f"Write a Python function.\n\n{prompt}",
            entry.get("entry_point", str),
            entry.get("canonical_solution", str).strip("\n"),
        )


def _correct(instance: str, criterion: str) -> dict[str, Any]:
    return {"instance_id": instance, "rubric_id": "correct", "criterion": criterion, "axis": "accuracy"}
