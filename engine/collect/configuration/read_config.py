"""Parsing TOML into a configuration; errors name the place, the value and what is allowed."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pydantic
import tomli_w

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.configuration.config import FEWEST_GOLD_JUDGES, RunConfig
from engine.collect.configuration.config_secrets import holds_key, names_secret, secret_places
from engine.collect.configuration.implied_settings import (
    check_stored,
    complete,
    stored_study,
    table_lines,
    with_table_names,
)
from engine.collect.configuration.named_models import likely_name
from engine.errors import UsageError
from engine.paradigms import Paradigm
from engine.plain_words import GIVE_TABLE, mistake_words, system_words
from engine.store import DEMONSTRATIONS, Store
from engine.store.location import check_name

_NO_KEY = (
    "a configuration must not contain a key, as it is stored with the run; put the key into an environment "
    'variable and write its name: api_key_env = "NAME"; an address that holds one belongs in a variable '
    "too, such as OPENAI_API_BASE"
)
_LONGEST_VALUE = 80
CONTINUED: tuple[Paradigm, ...] = ("pairwise", "recognition", "familiarity")
"""The paradigms that a judge of the protocol `completion` takes part in."""
OF_OBJECTS = ("default", "cot", "structured")
"""The shipped variants of pairs that ask for more than a letter."""


def load_config(path: str | Path, store: Store | None = None) -> RunConfig:
    """Read and check a configuration; UsageError names the file, the field, the value and the choices.

    What it leaves out is taken from its study, if that is in `store`.
    """
    place = os.fspath(path)
    try:
        text = text_of(os.path.expanduser(path), WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = system_words(error) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{place!r} cannot be read: {why}; give a configuration in TOML") from error
    return parse_config(text, place, Path(os.path.expanduser(path)).absolute().parent, store)


def parse_config(
    text: str, place: str = "the configuration", folder: Path | None = None, store: Store | None = None
) -> RunConfig:
    """Parse and check a configuration; its paths are relative to `folder`. Raises like `load_config`."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{place}: not TOML: {_without_values(error, text)}; correct that line") from None
    for secret in secret_places(raw):
        raise UsageError(f"{place}: {_toml_place(secret)}: {_NO_KEY}")
    for number, line in enumerate(text.splitlines(), start=1):  # comments and names are stored too
        if holds_key(line):
            raise UsageError(f"{place}: line {number}: {_NO_KEY}")
    folder = folder or Path.cwd()
    try:
        completed = complete(text, raw, folder, stored_study(store, raw.get("study")))
        raw = with_table_names(tomllib.loads(completed.text), folder)
        config = RunConfig.model_validate(raw)
        if completed.problem:
            raise UsageError(completed.problem)
        config._text, config._folder, config._notes = completed.text, folder, completed.notes
        _check_together(config, store)
    except pydantic.ValidationError as error:
        raise UsageError(f"{place}: {_first_mistake(error, raw)}") from None
    except UsageError as error:
        raise UsageError(f"{place}: ", error.args[0]) from None
    return config


def _without_values(error: Exception, text: str) -> str:
    """Return what is wrong and where, without quoting the text, which may be a key."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    last_line = f"line {len(text.splitlines())}, the end of the file"
    return re.sub(r"\(at (.*)\)$", r"(\1)", str(error)).replace("(end of document)", f"({last_line})")


def _first_mistake(error: pydantic.ValidationError, raw: Mapping[str, Any]) -> str:
    mistakes = error.errors(include_url=False)
    mistake = next((m for m in mistakes if m["type"] == "extra_forbidden"), mistakes[0])
    place, kind, value = mistake["loc"], mistake["type"], mistake["input"]
    name = _toml_place(place)
    if kind == "extra_forbidden":
        if homes := _tables_with(str(place[-1]), place[:-1]):
            return f"{name}: this field belongs {' or '.join(homes)}; move it there"
        choices = f"{name}: unknown field; choose from: {', '.join(_fields_at(place[:-1]))}"
        if len(place) == 1 and name in _OTHER_NAMES_OF_SAMPLE and type(value) is int:
            return f"{choices}; to take {value} of the questions, write sample = {{ n = {value} }}"
        is_price = len(place) == 4 and place[2] in ("price", "batch_price")
        return f"{choices}; write {_price_line(raw, place[:-1])}" if is_price else choices
    if kind == "missing":
        return f"{name} is missing; give it a value"
    if any(names_secret(str(part)) or part == "api_key_env" for part in place):
        return f"{name}: {_NO_KEY}"
    if place == ("sample",) and type(value) is int:
        choices = ", ".join(_fields_at(place))
        return f"sample is {value}; write sample = {{ n = {value} }}, or a table, [sample], of: {choices}"
    quote = repr(value)
    quote = quote if len(quote) <= _LONGEST_VALUE else quote[:_LONGEST_VALUE] + "…"
    if kind == "literal_error":
        choices = ", ".join(re.findall(r"'([^']*)'", mistake["ctx"]["expected"]))
        return f"{name}: unknown value {quote}; choose from: {choices}"
    if place == ("models",) and (lines := _model_lines(value)):
        return f"models is a list, and takes a table for each name; write:\n{lines}"
    if mistake_words(mistake) == GIVE_TABLE and (fields := _fields_at(place)):
        return f"{name} is {quote}: {GIVE_TABLE}, [{name}], of: {', '.join(fields)}"
    return f"{name} is {quote}: {mistake_words(mistake)}"


_OTHER_NAMES_OF_SAMPLE = (
    *("instances", "questions", "samples", "sample_size", "n_samples", "num_samples"),
    *("limit", "max_instances", "max_questions", "max_samples"),
)
"""What other programs call the number of questions that take part."""


def _model_lines(value: object) -> str:
    """Return a list of models as tables with names; empty if it is none."""
    tables: dict[str, Any] = {}
    for each in value if isinstance(value, list) else ():
        table = {"model": each} if isinstance(each, str) else dict(each) if isinstance(each, dict) else {}
        model, name = (table.pop(key, None) for key in ("model", "name"))
        model = model or name
        if not isinstance(model, str):
            return ""
        key = name if isinstance(name, str) and "/" not in name else model.rpartition("/")[2]
        tables[key] = {"model": model if "/" in model else likely_name(model), **table}
    return tomli_w.dumps({"models": tables}).rstrip() if tables else ""


_SIDES = {"input_per_million": ("in", "prompt", "sent"), "output_per_million": ("out", "completion", "rec")}
"""The fields of a price, with how other names of them begin."""


def _price_line(raw: Mapping[str, Any], place: tuple[str | int, ...]) -> str:
    """Return the price that stands at a place of a configuration, in the names of its fields."""
    table: Any = raw
    for part in place:
        table = table[part]
    fields = [
        f"{field} = {next((x for name, x in table.items() if name.startswith(beginnings)), '...')}"
        for field, beginnings in _SIDES.items()
    ]
    return f"{place[-1]} = {{ {', '.join(fields)} }}"


def _toml_place(place: tuple[str | int, ...]) -> str:
    """Return a place in TOML notation; list positions count from 1, and branches of a union are left out."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f" (number {part + 1})"
        elif not part.startswith(("literal[", "list[")):
            text += f".{part}" if text else part
    return text


def _tables_with(field: str, elsewhere: tuple[str | int, ...]) -> list[str]:
    """Return the tables of a configuration, or its top, that have a field which another place lacks."""
    homes = (
        ["at the top of the file, above all tables"] if elsewhere and field in RunConfig.model_fields else []
    )
    return homes + [f"under [{'.'.join(place)}]" for place in _TABLES if field in _fields_at(place)]


_TABLES = (
    *(("run",), ("models", "NAME"), ("models", "NAME", "params")),
    *(("sample",), ("drawing",), ("transforms", "NAME")),
)


def fields_by_table() -> dict[str, dict[str, str]]:
    """Return what each field of a configuration means, by its table, such as `[run]`."""
    places: dict[str, tuple[str, ...]] = {"at the top": ()}
    places |= {f"[{'.'.join(place)}]": place for place in _TABLES}
    return {
        title: {name: str(field.description) for name, field in _model_at(place).model_fields.items()}
        for title, place in places.items()
    }


def _fields_at(place: tuple[str | int, ...]) -> list[str]:
    model = _model_at(place)
    return list(model.model_fields) if _is_table(model) else []


def _model_at(place: tuple[str | int, ...]) -> Any:
    """Return the model of a place's table; something else if it is none."""
    model: Any = RunConfig
    for part in place:
        if not _is_table(model):  # a table of tables, by name
            model = get_args(model)[1]
            continue
        model = model.model_fields[str(part)].annotation
        if get_origin(model) is not dict:  # an optional table
            model = next((each for each in get_args(model) if _is_table(each)), model)
    return model


def _is_table(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, pydantic.BaseModel)


def _check_together(config: RunConfig, store: Store | None) -> None:
    try:
        check_name(config.study)
    except UsageError as error:
        raise UsageError(f"study: {error}") from None
    if store is not None:
        check_stored(store, config)
    if not config.judges and not config.generators and not config.quality_judges:
        raise UsageError("there are neither `judges` nor `generators`; name at least one of them")
    if (config.judges or config.quality_judges) and not config.paradigms:
        raise UsageError(
            'paradigms is empty; name at least one, such as ["single_rubric"], one criterion at a time, or '
            '["pairwise"], two answers side by side; a stored study alone needs none'
        )
    for field in ("judges", "quality_judges", "gold_judges"):
        for name in getattr(config, field):
            _check_choice(name, config.models, field, "model")
    for paradigm in config.paradigms:
        if not config.judges_of(paradigm):
            raise UsageError(f"judges is empty, and {paradigm!r} needs some; name them")
    _check_gold(config)
    _check_transforms(config)
    _check_fallbacks(config)
    _check_continuations(config)
    for name, model in config.models.items():
        if model.simulated:
            from engine.simulation.planted import parse_planted

            parse_planted(_toml_place(("models", name, "simulated")), model.simulated)
    if config.sample is not None and config.sample.min_per_stratum and config.sample.stratify is None:
        raise UsageError(
            f"sample.min_per_stratum is {config.sample.min_per_stratum!r} and sample.stratify is "
            "missing; name the column, such as category"
        )
    _check_data(config)
    _check_templates(config)
    if config.checker == "boxed":
        from engine.checkers import make_check

        try:
            make_check("boxed", {"reference_answer": "1"})
        except UsageError as error:
            raise UsageError(f"checker: {error}") from None


def _check_gold(config: RunConfig) -> None:
    """Refuse gold judges that could decide nothing."""
    if not config.gold_judges:
        return
    if len(config.gold_judges) < FEWEST_GOLD_JUDGES:
        raise UsageError(
            f"gold_judges has {len(config.gold_judges)}, and a panel needs {FEWEST_GOLD_JUDGES}; name more"
        )
    if "pairwise" not in config.paradigms or config.pairs != "all":
        raise UsageError('gold_judges compare all pairs; write paradigms = ["pairwise"] and pairs = "all"')


def _check_transforms(config: RunConfig) -> None:
    for name, transform in config.transforms.items():
        if name == "none":
            raise UsageError("transforms.none: 'none' means not rewritten; choose another name")
        if transform.make == "rewrite":
            if transform.by is None:
                raise UsageError(f"transforms.{name}.by is missing; name the model that rewrites")
            _check_choice(transform.by, config.models, f"transforms.{name}.by", "model")
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
                _check_choice(generator, config.generators, f"transforms.{name}.generators", "generator")


def _check_fallbacks(config: RunConfig) -> None:
    """Refuse a fallback whose verdicts could be confused with others of the run."""
    stands_for: dict[str, str] = {}
    for name in config.models_with_fallback():
        field = _toml_place(("models", name, "fallback"))
        if config.mode == "batch":
            raise UsageError(f'{field}: batches have no fallback; leave it out, or write mode = "live"')
        for spare in config.models[name].fallback:
            _check_choice(spare, config.models, field, "model")
            if spare in (*config.judges, *config.quality_judges, *config.gold_judges):
                raise UsageError(
                    f"{field}: {spare!r} is a judge of this run and has verdicts of its own; name another"
                )
            if spare in stands_for:
                raise UsageError(
                    f"{field}: {spare!r} stands in for {stands_for[spare]!r} already, and would have two "
                    "verdicts on one answer; name another"
                )
            stands_for[spare] = name


def _check_continuations(config: RunConfig) -> None:
    """Refuse what a judge that continues a text cannot answer: only letters have known continuations."""
    from engine.collect.configuration.chat_protocol import serves_model
    from engine.collect.configuration.model_keys import SIMULATED, provider_of

    for name in (each for each in config.run_models() if config.models[each].protocol == "completion"):
        field = f"{_toml_place(('models', name, 'protocol'))}: 'completion'"
        model = config.models[name]
        if provider_of(model.model) != SIMULATED and not serves_model(model):
            raise UsageError(
                f"{field} needs a server of OpenAI's text completions, and models.{name}.model is "
                f"{model.model!r}; write it as openai/... or hosted_vllm/... with api_base (and api_key_env)"
            )
        if config.mode == "batch":
            raise UsageError(f'{field} does not work in batches; write mode = "live"')
        for paradigm in config.paradigms:
            if name in config.judges_of(paradigm) and paradigm not in CONTINUED:
                raise UsageError(
                    f"{field} gives a letter, and {paradigm} asks for more; choose from "
                    f"{', '.join(CONTINUED)}, or take the judge out"
                )
        if name in config.judges_of("pairwise") and "pairwise" in config.paradigms:
            for variant in config.variants:
                if variant in OF_OBJECTS:
                    raise UsageError(
                        f"{field} gives a letter, and the variant {variant!r} asks for an object; write "
                        'variants = ["forced"], ["forced_tie"], or the path of a template of your own'
                    )


def _check_data(config: RunConfig) -> None:
    is_questions = config.has_local_data and not config.data_path.is_dir()
    if config.columns and not is_questions:
        raise UsageError("columns applies to data that is a file of questions; leave it out")
    if is_questions:
        from engine.importers.own_questions.question_columns import COLUMNS

        for name in config.columns:
            _check_choice(name, COLUMNS, "columns", "column")
    if config.data is None or config.has_local_data:
        return
    from engine.importers.datasets.catalogue import catalogue

    names = catalogue()
    if config.data not in names:
        if Path(config.data).name.startswith("demo-"):
            raise UsageError(f"data: there is no {config.data!r}; {DEMONSTRATIONS}")
        raise UsageError(
            f"data: {config.data!r} is neither a file, a folder nor a known data set; give a file of "
            f"questions, a folder of tables, or choose from: {', '.join(names)}"
        )


def _check_templates(config: RunConfig) -> None:
    from engine.collect.paradigms.template_files import answer_template, judging_templates, rewriting_template

    try:
        judging_templates(config.paradigms, config.variants, config.task, config.folder)
    except UsageError as error:
        raise UsageError(f"variants: {error}") from None
    if config.answer_template is not None:
        try:
            answer_template(config.answer_template, config.folder)
        except UsageError as error:
            raise UsageError(f"answer_template: {error}") from None
    for name, rewriting in config.rewritings.items():
        try:
            rewriting_template(name, rewriting.template, config.folder)
        except UsageError as error:
            raise UsageError(f"transforms.{name}.template: {error}") from None


def _check_choice(name: str, names: Mapping[str, object] | list[str], field: str, kind: str) -> None:
    if name not in names:
        problem = f"{field}: unknown {kind} {name!r}"
        if kind != "model":
            raise UsageError(f"{problem}; choose from: {', '.join(names) or '(there are none)'}")
        choices = f"choose from: {', '.join(names)}, or add" if names else "add"
        raise UsageError(f"{problem}; {choices} a table, such as\n{table_lines(name)}")
