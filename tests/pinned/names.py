"""Every name that people type or that files hold: commands, flags, columns, keys, codes.

A name may be added and is recorded with `python -m tests.pinned.names --write`; removing one breaks what
somebody wrote, and fails until it is an alias or meant: `--write` takes it out of `names.json`.
"""

import argparse
import dataclasses
import inspect
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pydantic
import typer

import engine
from engine import errors

from . import places
from .outputs import ROOT, STORE, printed

RECORD = Path(__file__).with_name("names.json")


def commands() -> Iterator[str]:
    """Yield every command with each of its arguments, flags and their choices; former names too."""
    group: Any = typer.main.get_command(places.app)
    yield from _of_command(group, "spb")
    for name in places.FORMER:
        yield from _of_command(group.get_command(typer.Context(group), name), f"spb {name}")
    run = group.get_command(typer.Context(group), "run")
    yield from _of_command(run.commands["start"], "spb run")  # a configuration needs no `start`


def _of_command(command: Any, name: str) -> Iterator[str]:
    yield name
    call = inspect.unwrap(command.callback or _of_command)  # a group may have none
    declared = inspect.signature(call, eval_str=True).parameters
    for parameter in command.params:
        written = [*parameter.opts, *parameter.secondary_opts]
        flags = [flag for flag in written if flag.startswith("-")] or [parameter.name.upper()]
        annotation = declared[parameter.name].annotation if parameter.name in declared else None
        for flag in flags:
            yield f"{name} {flag}"
            yield from (f"{name} {flag} {choice}" for choice in _choices(annotation))
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for inner in command.list_commands(context):  # a group may load its commands lazily
            yield from _of_command(command.get_command(context, inner), f"{name} {inner}")


def _choices(annotation: Any) -> Iterator[str]:
    """Yield the choices of each Literal within an annotation."""
    if get_origin(annotation) is Literal:
        yield from map(str, get_args(annotation))
    for inner in get_args(annotation):
        yield from _choices(inner)


def columns() -> Iterator[str]:
    """Yield every column of a study's tables, its allowed values, and the columns of each key."""
    for name, table in places.TABLES.items():
        yield f"{name}: key {', '.join(table.key)}"
        for column in table.columns:
            yield f"{name}.{column.name}: {column.kind}"
            yield from (f"{name}.{column.name} = {choice}" for choice in column.choices)


def fields() -> Iterator[str]:
    """Yield the columns of each measure's rows and of `find`, its options and its groups."""
    for measure in (*places.MEASURES.values(), places.FIND):
        yield measure.name
        for field in measure.fields:
            yield from (f"{measure.name}: {column}" for column in field.columns())
        for option in measure.options:
            yield f"{measure.name} option {option.name}"
            yield from (f"{measure.name} option {option.name} = {choice}" for choice in option.choices)
        yield from (f"{measure.name} by {group}" for group in measure.groups)


def filters() -> Iterator[str]:
    """Yield the flags of a slice with their choices, and the columns to group by."""
    for flag in places.FLAGS:
        yield flag.name
        yield from (f"{flag.name} = {choice}" for choice in flag.choices)
    yield from (f"by {group}" for group in places.GROUPINGS)


def codes() -> Iterator[str]:
    """Yield the codes of `reasons` and of `left_out`."""
    yield from (f"reason {code}" for code in places.REASONS)
    yield from (f"left out {code}" for code in places.LEFT_OUT)


def printed_keys() -> Iterator[str]:
    """Yield the keys of the JSON that commands print, except those of a measure's fields."""
    study = ("--study", "demo-verifiable", "--format", "json")
    for measure in ("hspp", "judge-costs"):
        yield from _keys(f"metrics {measure}", _json("metrics", measure, *study, "--resamples", "0"))
    yield from _keys("find", _json("find", *study))
    yield from _keys("power", _json("power", "--effect", "1.5", "--format", "json", "--simulate", "2"))
    with tempfile.TemporaryDirectory() as folder:
        run = ("run", str(_small_run(Path(folder))), "--store", f"{folder}/store", "--format", "json")
        yield from _keys("run --dry-run", _json(*run, "--dry-run"))
    report = dataclasses.fields(places.RunReport)  # a run itself would import litellm, which takes seconds
    needed = [each.name for each in report if each.default is each.default_factory is dataclasses.MISSING]
    yield from _keys("run", places.RunReport(**dict.fromkeys(needed, 0)).to_dict())


def _json(*words: str) -> Any:
    return json.loads(printed(*words).partition("\n")[2].partition("\n--- messages\n")[0])


def _keys(place: str, value: Any) -> Iterator[str]:
    """Yield the paths of keys within a value, except in rows and `left_out`, which hold other names."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield f"{place}: {name}"
            if name not in ("left_out", "reasons"):
                yield from _keys(f"{place}: {name}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(f"{place}[]", inner)


def _small_run(folder: Path) -> Path:
    """Write the configuration of a run of two simulated models, with its data; return its path."""
    tables = {
        "models": [{"model": name, "family": name} for name in "ab"],
        "instances": [{"instance_id": "i", "prompt": "What is the answer?"}],
        "rubrics": [{"instance_id": "i", "rubric_id": "r", "criterion": "Says so."}],
        "responses": [{"instance_id": "i", "generator": name, "text": "So."} for name in "ab"],
    }
    data = folder / "data"
    data.mkdir()
    for name, rows in tables.items():
        (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    path = folder / "run.toml"
    lines = ["study = 's'", f"data = '{data}'", "paradigms = ['single_rubric']"]
    lines += ["judges = ['a', 'b']", "generators = ['a', 'b']"]
    lines += [f"[models.{name}]\nmodel = 'simulated/{name}'" for name in "ab"]
    path.write_text("\n".join(lines), "utf-8")
    return path


def file_keys() -> Iterator[str]:
    """Yield the keys of `study.json` and of a run's configuration."""
    for place, model in (("study.json", places.StudyInfo), ("run.toml", places.RunConfig)):
        yield from _of_schema(place, model)


def _of_schema(place: str, model: type[pydantic.BaseModel]) -> Iterator[str]:
    whole = model.model_json_schema()

    def walk(place: str, part: Any) -> Iterator[str]:
        if "$ref" in part:
            part = whole["$defs"][part["$ref"].rpartition("/")[2]]
        for inner in (*part.get("anyOf", ()), *part.get("oneOf", ())):
            yield from walk(place, inner)
        for value in (*part.get("enum", ()), *([part["const"]] if "const" in part else [])):
            yield f"{place} = {value}"
        for name, inner in part.get("properties", {}).items():
            yield f"{place}: {name}"
            yield from walk(f"{place}: {name}", inner)
        for name, ending in (("additionalProperties", ": *"), ("items", "[]")):
            if isinstance(part.get(name), dict):
                yield from walk(f"{place}{ending}", part[name])

    return walk(place, whole)


def kinds() -> Iterator[str]:
    """Yield the names of importers, data sets, checkers and rules of findings."""
    yield from (f"format {name}" for name in (*places.FORMATS, *places.FOREIGN))
    yield from (f"dataset {name}" for name in places.datasets())
    yield from (f"checker {name}" for name in places.CHECKERS)
    yield from (f"rule {rule.name}" for rule in places.RULES)


def interface() -> Iterator[str]:
    """Yield what notebooks use: functions, parameters, fields of claims, errors, attributes of frames."""
    yield from (f"engine.{name}" for name in engine.__all__)
    study = engine.open_study(str(STORE / "demo-verifiable"))
    for name in ("open", "measure", "find", "findings", "chart"):
        yield f"Study.{name}"
        parameters = inspect.signature(getattr(study, name)).parameters.values()
        yield from (f"Study.{name}({each.name})" for each in parameters if each.kind != each.VAR_KEYWORD)
    yield from (f"attrs of measure: {name}" for name in study.measure("hspp", resamples=0).attrs)
    yield from (f"attrs of find: {name}" for name in study.find(top=1).attrs)
    yield from (f"column of findings: {name}" for name in places.CLAIM_COLUMNS)
    yield from (f"Claim.{field.name}" for field in dataclasses.fields(places.Claim))
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.SpbError):
            yield f"engine.errors.{name}: exit {value.exit_code}"


def outside() -> Iterator[str]:
    """Yield the environment variables that are read, and the entry points for other packages."""
    for package in ("engine", "explorer"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text("utf-8")
            yield from re.findall(r"\bSPB_[A-Z_]*[A-Z]\b", text)
            yield from (f"entry point {name}" for name in re.findall(r'"(spb\.[a-z]+)"', text))


KINDS: dict[str, Callable[[], Iterator[str]]] = {
    "commands and flags": commands,
    "columns of tables": columns,
    "fields of measures": fields,
    "filters of slices": filters,
    "codes": codes,
    "keys of printed JSON": printed_keys,
    "keys of files": file_keys,
    "formats, datasets, checkers, rules": kinds,
    "interface of Python": interface,
    "environment and entry points": outside,
}


def names(kind: str) -> set[str]:
    """Return the current names of a kind."""
    return set(KINDS[kind]())


def recorded() -> dict[str, list[str]]:
    """Return what `names.json` holds."""
    read: dict[str, list[str]] = json.loads(RECORD.read_text("utf-8"))
    return read


def _write() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.pinned.names", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew names.json")
    given = parser.parse_args()
    now = {kind: sorted(names(kind)) for kind in KINDS}
    before = recorded() if RECORD.exists() else {}
    for kind in KINDS:
        old, new = set(before.get(kind, ())), set(now[kind])
        sys.stdout.write("".join(f"gone: {kind}: {name}\n" for name in sorted(old - new)))
        sys.stdout.write("".join(f"new: {kind}: {name}\n" for name in sorted(new - old)))
    if given.write:
        RECORD.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    _write()
