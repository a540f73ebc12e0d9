"""A short configuration with comments, for a reader to save and adapt."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import tomli_w

from engine.collect.configuration.config import ModelConfig
from engine.collect.configuration.implied_settings import StoredStudy
from engine.collect.configuration.model_keys import key_variables
from engine.collect.configuration.named_models import (
    ModelSettings,
    is_of_unknown_maker,
    models_by_name,
    needs_address,
)
from engine.collect.configuration.prices import listed_price, thinks
from engine.collect.configuration.read_config import parse_config
from engine.collect.plan.planning import make_plan
from engine.errors import UsageError
from engine.paradigms import COMPARABLE, OPTION_PARADIGMS, PAIR_PARADIGMS, TRAITS, Paradigm
from engine.phrases import join_names
from engine.wording import command_line

USUAL_JUDGES = ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5")
_ADDRESS = "http://127.0.0.1:8000/v1"
_LONGEST_VERDICT, _LONGEST_LIST, _LONGEST_THOUGHT = 500, 2_000, 8_000

SMALLEST = """\
study = "NAME"                 # a stored study, whose answers are judged
judges = ["gpt-4o-mini"]
paradigms = ["single_rubric"]  # left out: as the stored study was judged
[run]
max_usd = 5                    # spending cap, in US dollars
[models.gpt-4o-mini]
model = "openai/gpt-4o-mini"   # as litellm knows it
params = { max_tokens = 500 }  # bounds the cost
"""
"""The smallest whole configuration, as `spb run -h` shows it."""


def example_configuration(study: str, stored: StoredStudy | None, judges: Sequence[str]) -> str:
    """Return a configuration in which judges, by litellm's names, judge the answers of a stored study.

    They judge as the study was judged if its texts allow that, else by a paradigm that they do allow; with
    none, UsageError says what the study lacks.
    """
    if stored is None:
        return _configuration(study, None, judges, COMPARABLE[0], {})
    obstacles: dict[Paradigm, str] = {}
    for paradigm in _by_preference(stored.paradigms):
        text = _configuration(study, stored, judges, paradigm, obstacles)
        try:
            plan = make_plan(parse_config(text), stored.files, "judgments", assume=True)
        except UsageError as error:
            obstacles[paradigm] = " ".join(str(error).split())  # a comment of one line
            continue
        if any(True for _ in plan):
            return text
        obstacles[paradigm] = f"{paradigm} finds nothing to judge"
    raise UsageError(
        f"no run can judge the study {study!r}: {next(iter(obstacles.values()))}; import it again with what "
        "it lacks, or judge questions of your own by `spb try`"
    )


def _by_preference(stored: Mapping[Paradigm, object]) -> list[Paradigm]:
    """Return the paradigms to judge a study by: its own first, then those that give what its own give."""
    results = {TRAITS[each].gives for each in stored}
    others = sorted(COMPARABLE, key=lambda each: TRAITS[each].gives not in results)
    own = [each for each in (*COMPARABLE, *OPTION_PARADIGMS, *stored) if each in stored]
    return list(dict.fromkeys([*own, *others]))


def _configuration(
    study: str,
    stored: StoredStudy | None,
    judges: Sequence[str],
    paradigm: Paradigm,
    obstacles: Mapping[Paradigm, str],
) -> str:
    """Return the configuration by a paradigm; `obstacles` say why others, which are preferred, cannot be."""
    called = list(judges or _usual_judges(stored))
    addresses = {name: _ADDRESS for name in called if needs_address(name) or is_of_unknown_maker(name)}
    tables = models_by_name(called, ModelSettings(addresses=addresses)).tables
    in_store = stored.models if stored is not None else frozenset()
    names = {name: str(table["model"]) for name, table in tables.items()}
    in_study = {
        name: full if full in in_store and name not in in_store else name for name, full in names.items()
    }
    paradigms = stored.paradigms if stored is not None else {}
    stored_ones = command_line("study", "list")
    lines = [
        f"# A run. Save this as run.toml, then: {command_line('run', 'run.toml', '--dry-run')}",
        f"study = {json.dumps(study)}  # a stored study, whose answers are judged ({stored_ones})",
        f"judges = {json.dumps(list(in_study.values()))}  # tables of [models] below",
        *_obstacle_lines(paradigms, obstacles),
        _paradigms_line(paradigm, [each for each in paradigms or PAIR_PARADIGMS if each not in obstacles]),
        *_variants_line(paradigms.get(paradigm, [])),
        "# sample = { n = 20 }  # 20 of the questions; left out: all",
        "",
        "# Your own questions in place of a stored study: a new name of study, and",
        '# data = "questions.csv"  # a column question; a column criteria for single_rubric',
        f"# generators = {json.dumps(list(in_study.values()))}  # models of [models] that answer them",
        "",
        "[run]",
        "max_usd = 5  # spending cap, in US dollars",
    ]
    for name, table in tables.items():
        lines += ["", *_table_lines(in_study[name], table, paradigm, is_stored=in_study[name] in in_store)]
    return "\n".join(lines) + "\n"


def _usual_judges(stored: StoredStudy | None) -> Sequence[str]:
    """Return the usual judges that the study lacks; all of them where it lacks none."""
    present = stored.judges if stored is not None else frozenset()
    lacking = [each for each in USUAL_JUDGES if present.isdisjoint((each, each.split("/")[1]))]
    return lacking or USUAL_JUDGES


def needs_price(model: str) -> bool:
    """Return whether a model that litellm names is paid for, at a price that it does not list."""
    if needs_address(model):
        return False
    (table,) = models_by_name([model]).tables.values()
    return "price" not in table and listed_price(model) is None


def _obstacle_lines(stored: Mapping[Paradigm, object], obstacles: Mapping[Paradigm, str]) -> list[str]:
    """Return why the study cannot be judged as it was, or by another paradigm that gives the same."""
    results = {TRAITS[each].gives for each in stored}
    names: dict[str, list[str]] = {}
    for each, why in obstacles.items():
        if TRAITS[each].gives in results:
            names.setdefault(why, []).append(f"{each}, as the study was judged," if each in stored else each)
    return [f"# not {join_names(each, last='or').removesuffix(',')}: {why}" for why, each in names.items()]


def _paradigms_line(paradigm: Paradigm, possible: Sequence[Paradigm]) -> str:
    others = [json.dumps(each) for each in possible if each != paradigm]
    also = f"; or {join_names(others, last='or')}" if others else ""
    return f"paradigms = {json.dumps([paradigm])}  # {TRAITS[paradigm].choice}{also}"


def _variants_line(stored: Sequence[str]) -> list[str]:
    """Return the line of the prompt that the study's judges had, if that is not the default."""
    if not stored or "default" in stored:
        return []
    return [f"variants = {json.dumps(stored[:1])}  # the prompt, as the study's judges had it"]


def _table_lines(name: str, table: Mapping[str, Any], paradigm: Paradigm, *, is_stored: bool) -> list[str]:
    model = str(table["model"])
    config = ModelConfig.model_validate(dict(table))
    variables = key_variables(config)
    key = f"; its key is read from {variables[0]}" if variables else ""
    lines = [
        tomli_w.dumps({"models": {name: {}}}).strip(),
        f"model = {json.dumps(model)}  # as litellm knows it{key}",
    ]
    if not is_stored:  # else the study says it
        unknown = "  # no list knows this model: correct its family" if is_of_unknown_maker(model) else ""
        lines.append(f"family = {json.dumps(table['family'])}{unknown}")
    if "api_base" in table:
        whose = "  # the address of its server; without it OpenAI's" if is_of_unknown_maker(model) else ""
        lines.append(f"api_base = {json.dumps(table['api_base'])}{whose}")
    traits = TRAITS[paradigm]
    longest = _LONGEST_LIST if traits.lists_rubrics or traits.of_lists else _LONGEST_VERDICT
    longest, why = (_LONGEST_THOUGHT, "; thinking counts") if thinks(config) else (longest, "")
    lines.append(f"params = {{ max_tokens = {longest} }}  # bounds each answer, and the cost{why}")
    return [*lines, _price_line(model, table)]


def _price_line(model: str, table: Mapping[str, Any]) -> str:
    """Return the line of a price: in use where it is given, else a comment with the listed one, if any."""
    unit = "US dollars per million tokens sent and received"
    if "price" in table:
        return 'price = "0/0"  # nothing, on a machine of your own'
    price = listed_price(model)
    if price is not None:
        dollars = f"{price.input_per_million:.6g}/{price.output_per_million:.6g}"
        return f'# price = "{dollars}"  # {unit}, as litellm lists it'
    return f'# price = "IN/OUT"  # {unit}; not known to litellm, and without it no cap can be kept'
