"""`inspect-spb LOG... --out FOLDER`: logs of the task `panel` as a folder that `spb import tidy` reads."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

Tables = dict[str, dict[tuple[Any, ...], dict[str, Any]]]


def tables_of(logs: Iterable[EvalLog]) -> Tables:
    """Return the rows of each table by their keys; ValueError for a log of another task."""
    tables: Tables = {
        name: {} for name in ("models", "instances", "rubrics", "responses", "references", "judgments")
    }
    families: dict[str, str] = {}
    for log in logs:
        families |= (log.eval.metadata or {}).get("families") or {}
        for sample in log.samples or []:
            scores = [
                score for score in (sample.scores or {}).values() if "answers" in (score.metadata or {})
            ]
            if not scores:
                raise ValueError(f"{log.location}, sample {sample.id}: no scores of inspect_spb/panel")
            _add(tables, sample, (scores[0].metadata or {})["answers"])
    names = {row[name] for row in tables["judgments"].values() for name in ("judge", "generator")}
    tables["models"] = {
        (name,): {"model": name, "family": families.get(name, name)} for name in sorted(names)
    }
    return tables


def _add(tables: Tables, sample: EvalSample, answers: Mapping[str, Mapping[str, Any]]) -> None:
    row = sample.metadata
    instance, generator, rubric = (str(row[name]) for name in ("instance_id", "generator", "rubric_id"))
    tables["instances"][(instance,)] = {"instance_id": instance, "prompt": str(row["prompt"])}
    tables["rubrics"][instance, rubric] = {
        "instance_id": instance,
        "rubric_id": rubric,
        "criterion": str(row["criterion"]),
        "points": row.get("points", 1),
    }
    key = {"instance_id": instance, "generator": generator}
    tables["responses"][instance, generator] = key | {"text": str(row["response"])}
    if isinstance(row.get("reference"), bool):
        tables["references"][instance, generator, rubric] = key | {
            "rubric_id": rubric,
            "source": "human",
            "met": row["reference"],
        }
    for judge, answer in answers.items():
        verdict = {"met": answer["met"]} if answer["status"] == "ok" else {}
        tables["judgments"][judge, instance, generator, rubric] = {
            "judge": judge,
            "paradigm": "single_rubric",
            **key,
            "rubric_id": rubric,
            "status": answer["status"],
            "raw": answer["raw"],
            **verdict,
        }


def write(tables: Tables, folder: Path) -> None:
    """Write each table that has rows as JSON Lines."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        if rows:
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
            (folder / f"{name}.jsonl").write_text(lines, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 done, 2 a log that cannot be read or is of another task."""
    parser = argparse.ArgumentParser(prog="inspect-spb", description=__doc__)
    parser.add_argument("logs", nargs="+", help="Inspect's log files")
    parser.add_argument("--out", required=True, type=Path, help="the folder to write")
    options = parser.parse_args(arguments)
    try:
        tables = tables_of(read_eval_log(log) for log in options.logs)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not tables["judgments"]:
        print("error: the logs hold no verdicts; did the evaluation end?", file=sys.stderr)
        return 2
    write(tables, options.out)
    command = f"spb import tidy {options.out} --study {options.out.name}"
    print(f"{len(tables['judgments']):,} verdicts; go on with: {command}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
