"""TOML into a configuration; each mistake is named with its place, its value and what may stand there."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pydantic

from engine.collect.config import RunConfig, names_secret, secret_places
from engine.errors import UsageError
from engine.store.parquet import check_name
from engine.values import WRITTEN_BY_HAND, text_of

_NO_KEY = (
    "a key must not stand in a configuration, which is stored with the run; put it into an environment "
    'variable and write its name: api_key_env = "NAME"'
)
_LONGEST_VALUE = 80


def load_config(path: str | Path) -> RunConfig:
    """Read and check a configuration file.

    Raises UsageError that names the file, the field, the value and the choices. Nothing is called.
    """
    place = os.fspath(path)
    try:
        text = text_of(os.path.expanduser(path), WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{place!r} cannot be read: {why}; give a configuration in TOML") from error
    return parse_config(text, place, Path(os.path.expanduser(path)).absolute().parent)


def parse_config(text: str, place: str = "the configuration", folder: Path | None = None) -> RunConfig:
    """Check the text of a configuration; paths in it start from `folder`. Raises as `load_config` does."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{place}: not TOML: {_without_values(error, text)}; correct that line") from None
    for secret in secret_places(raw):
        raise UsageError(f"{place}: {_written(secret)}: {_NO_KEY}")
    try:
        config = RunConfig.model_validate(raw)
    except pydantic.ValidationError as error:
        raise UsageError(f"{place}: {_first_mistake(error)}") from None
    config._text, config._folder = text, (folder or Path.cwd())
    try:
        _check_together(config)
    except UsageError as error:
        raise UsageError(f"{place}: {error.args[0]}") from None
    return config


def _without_values(error: Exception, text: str) -> str:
    """Return what is wrong and where, without what stands there."""
    where = re.search(r"\(at (.*)\)$", str(error))
    what = re.sub(r"\(at .*\)$", "", str(error)).strip()
    if isinstance(error, RecursionError):
        what = "it is nested too deeply"
    if where is None:
        return what
    line = where[1].replace("end of document", f"line {len(text.splitlines())}, the end of the file")
    return f"{what} ({line})"


def _first_mistake(error: pydantic.ValidationError) -> str:
    mistakes = error.errors(include_url=False)
    mistake = next((m for m in mistakes if m["type"] == "extra_forbidden"), mistakes[0])
    place, kind, value = mistake["loc"], mistake["type"], mistake["input"]
    name = _written(place)
    if kind == "extra_forbidden":
        return f"{name}: unknown field; choose from: {', '.join(_fields_at(place[:-1]))}"
    if kind == "missing":
        return f"{name} is missing; give it a value"
    if any(names_secret(str(part)) or part == "api_key_env" for part in place):
        return f"{name}: {_NO_KEY}"
    shown = repr(value)
    shown = shown if len(shown) <= _LONGEST_VALUE else shown[:_LONGEST_VALUE] + "…"
    if kind == "literal_error":
        choices = ", ".join(re.findall(r"'([^']*)'", mistake["ctx"]["expected"]))
        return f"{name}: unknown value {shown}; choose from: {choices}"
    words = mistake["msg"].removeprefix("Value error, ")
    return f"{name} is {shown}: {words[:1].lower()}{words[1:]}"


def _written(place: tuple[str | int, ...]) -> str:
    """Return a place as TOML has it; list positions are counted from 1, the branches of a choice left out."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f" (number {part + 1})"
        elif not part.startswith(("literal[", "list[")):
            text += f".{part}" if text else part
    return text


def _fields_at(place: tuple[str | int, ...]) -> list[str]:
    model: Any = RunConfig
    for part in place:
        if not _is_table(model):  # a table of tables, by name
            model = get_args(model)[1]
            continue
        model = model.model_fields[str(part)].annotation
        if get_origin(model) is not dict:  # a table that may be left out
            model = next((each for each in get_args(model) if _is_table(each)), model)
    return list(model.model_fields) if _is_table(model) else []


def _is_table(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, pydantic.BaseModel)


def _check_together(config: RunConfig) -> None:
    try:
        check_name(config.study)
    except UsageError as error:
        raise UsageError(f"study: {error}") from None
    if not config.judges and not config.generators and not config.quality_judges:
        raise UsageError("there are neither judges nor generators; name at least one of them")
    if (config.judges or config.quality_judges) and not config.paradigms:
        raise UsageError('paradigms is empty; name at least one, such as ["single_rubric"]')
    for field in ("judges", "quality_judges"):
        for name in getattr(config, field):
            _known(name, config.models, field, "model")
    for paradigm in config.paradigms:
        if not config.judges_of(paradigm):
            raise UsageError(f"judges is empty, and {paradigm!r} needs some; name them")
    _check_transforms(config)
    _check_fallbacks(config)
    _check_planted(config)
    if config.sample is not None and config.sample.min_per_stratum and config.sample.stratify is None:
        raise UsageError(
            f"sample.min_per_stratum is {config.sample.min_per_stratum!r} and sample.stratify is "
            "missing; name the column, such as category"
        )
    _check_data(config)
    _check_templates(config)


def _check_transforms(config: RunConfig) -> None:
    for name, transform in config.transforms.items():
        if name == "none":
            raise UsageError("transforms.none: 'none' means not rewritten; choose another name")
        if transform.make == "rewrite":
            if transform.by is None:
                raise UsageError(f"transforms.{name}.by is missing; name the model that rewrites")
            _known(transform.by, config.models, f"transforms.{name}.by", "model")
        elif transform.by is not None or transform.template is not None:
            field = "by" if transform.by is not None else "template"
            raise UsageError(
                f"transforms.{name}.{field} is {getattr(transform, field)!r}, and "
                f"{transform.make!r} needs no model; leave it out"
            )
        if transform.names and transform.make != "author":
            raise UsageError(
                f"transforms.{name}.names is given, and {transform.make!r} names nobody; leave it out"
            )
        for generator in transform.generators:
            if config.generators:
                _known(generator, config.generators, f"transforms.{name}.generators", "generator")


def _check_fallbacks(config: RunConfig) -> None:
    """Refuse a fallback whose verdicts could be taken for others of the run."""
    stands_for: dict[str, str] = {}
    for name in config.replaced():
        field = _written(("models", name, "fallback"))
        if config.mode == "batch":
            raise UsageError(f'{field}: batches have no fallback; leave it out, or write mode = "live"')
        for spare in config.models[name].fallback:
            _known(spare, config.models, field, "model")
            if spare in (*config.judges, *config.quality_judges):
                raise UsageError(
                    f"{field}: {spare!r} is a judge of this run and has verdicts of its own; name another"
                )
            if spare in stands_for:
                raise UsageError(
                    f"{field}: {spare!r} stands in for {stands_for[spare]!r} already, and would have two "
                    "verdicts on one response; name another"
                )
            stands_for[spare] = name


def _check_planted(config: RunConfig) -> None:
    """Refuse settings of simulated models that there are none of, or whose values cannot be."""
    settings = {name: model.simulated for name, model in config.models.items() if model.simulated}
    if not settings:
        return
    from engine.simulation.planted import planted

    for name, simulated in settings.items():
        planted(_written(("models", name, "simulated")), simulated)


def _check_data(config: RunConfig) -> None:
    """Refuse `data` that is neither a folder nor a name of the catalogue."""
    if config.data is None or ("\0" not in config.data and os.path.isdir(config.data_folder)):
        return
    from engine.importers.datasets import catalogue

    names = catalogue()
    if config.data not in names:
        raise UsageError(
            f"data: {config.data!r} is neither a folder nor a known data set; choose from: {', '.join(names)}"
        )


def _check_templates(config: RunConfig) -> None:
    """Refuse variants and rewriting templates that there are none of."""
    from engine.collect.paradigms.templates import judging_templates, rewriting_template

    try:
        judging_templates(config.paradigms, config.variants, config.task, config.folder)
    except UsageError as error:
        raise UsageError(f"variants: {error}") from None
    for name, rewriting in config.rewritings.items():
        try:
            rewriting_template(name, rewriting.template, config.folder)
        except UsageError as error:
            raise UsageError(f"transforms.{name}.template: {error}") from None


def _known(name: str, names: Mapping[str, object] | list[str], field: str, kind: str) -> None:
    if name not in names:
        listed = ", ".join(names) or "(there are none)"
        raise UsageError(f"{field}: unknown {kind} {name!r}; choose from: {listed}")
