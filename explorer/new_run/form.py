"""The forms of a new run, and of what a table's columns mean."""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
import tomli_w

from engine.collect.config import parse_config
from engine.collect.litellm_gateway import has_batches
from engine.errors import UsageError
from engine.importers.datasets import catalogue
from engine.importers.families import resolve
from engine.importers.reading.rows import number_of
from engine.importers.reading.tables import column_in
from engine.importers.table_columns import COLUMNS
from engine.importers.verdict_words import MET, NO_VERDICT, SIDES, lookup_key
from engine.schema import PAIR_PARADIGMS, Paradigm
from engine.stats.conclusion_rules import FEWEST_INSTANCES
from engine.values import WRITTEN_BY_HAND, join_names, text_of
from explorer import data
from explorer.parts import components
from explorer.parts.context import Context

# ------------------------------------------------------------------------------
# The models that a run from the page can call: simulated ones, and those of the user's `models.toml`.


Table = dict[str, Any]

SIMULATED: dict[str, Table] = {
    "sim-amber-1": {
        "model": "simulated/sim-amber-1",
        "family": "amber",
        "simulated": {"overestimation": 0.2, "self_ratio": 2.0, "family_ratio": 1.3},
    },
    "sim-amber-2": {"model": "simulated/sim-amber-2", "family": "amber", "simulated": {"skill": 0.6}},
    "sim-birch-1": {
        "model": "simulated/sim-birch-1",
        "family": "birch",
        "simulated": {"overestimation": 0.15, "skill": 0.8},
    },
    "sim-cedar-1": {"model": "simulated/sim-cedar-1", "family": "cedar", "simulated": {"skill": 0.7}},
}
"""Models that answer without a key or a network, the first with a planted self-preference.

They are of three families: with fewer, no judge can be compared with outside judges.
"""

MODELS_FILE = "models.toml"


def models_path(root: str) -> str | None:
    """Return the path of the user's models: SPB_MODELS, else `models.toml` in a store on this disk."""
    path = os.environ.get("SPB_MODELS")
    if path:
        return path
    return None if "://" in root else str(Path(root) / MODELS_FILE)


def available_models(root: str) -> dict[str, Table]:
    """Return each model that can be called, with its table in a configuration's `[models]`.

    Raises UsageError if the user's list is not TOML with such tables, or if a run would refuse a table, such
    as one that contains a key; the message repeats no value that may be a key.
    """
    path = models_path(root)
    if path is None or not Path(path).is_file():
        return dict(SIMULATED)
    tables = _user_models(path)
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(f"{path}: models is not a set of tables; write a [models.NAME] for each model")
    if tables:
        parse_config(tomli_w.dumps({"study": "s", "generators": list(tables), "models": tables}), path)
    return {**tables, **{name: table for name, table in SIMULATED.items() if name not in tables}}


def _user_models(path: str) -> Any:
    try:
        text = text_of(path, WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"{path}: cannot be read: {why}; correct it, or move it away") from error
    try:
        return tomllib.loads(text).get("models", {})
    except (ValueError, RecursionError):
        parse_config(text, path)  # its error names the place and quotes nothing
        raise


def is_paid(table: Table) -> bool:
    """Return whether calling the model may cost money: it is not simulated, and its price is not 0."""
    price = table.get("price")
    free = isinstance(price, dict) and bool(price) and not any(price.values())
    return not free and not str(table.get("model", "")).startswith("simulated/")


# ------------------------------------------------------------------------------
# The choices on the New run page, as the text of a configuration.


@dataclass(frozen=True)
class RunChoices:
    """A run as configured on the page.

    `source` is a data set of the catalogue or, with `from_study`, a study in the store whose texts are used;
    the verdicts go to `study`. `cap` is in US dollars, None without a limit. `batches` uses the providers'
    batch interfaces, `cache` reuses paid answers, `keep_raw` stores requests and answers as sent.
    """

    source: str
    from_study: bool
    study: str
    generators: tuple[str, ...]
    judges: tuple[str, ...]
    paradigms: tuple[str, ...]
    instances: int | None
    seed: int
    cap: float | None
    models: dict[str, Table]
    batches: bool = False
    cache: bool = False
    keep_raw: bool = False

    @property
    def called_models(self) -> dict[str, Table]:
        """The models that are called, by name."""
        names = dict.fromkeys((*self.generators, *self.judges))
        return {name: self.models[name] for name in names if name in self.models}

    @property
    def paid(self) -> tuple[str, ...]:
        """The called models that may cost money."""
        return tuple(name for name, model in self.called_models.items() if is_paid(model))

    @property
    def lacking(self) -> str | None:
        """A sentence on what is still to be chosen; None if nothing is."""
        if not self.study.strip():
            return "Name the study to write to."
        if not self.judges and not self.generators:
            return "Choose at least one judge or one model that answers."
        if self.judges and not self.paradigms:
            return "Choose at least one paradigm."
        if self.paid and not self.cap:
            return f"{', '.join(self.paid)} may cost money: set a spending limit."
        live = [
            name for name, model in self.called_models.items() if not has_batches(str(model.get("model", "")))
        ]
        if self.batches and live:
            return f"There are no batches for {', '.join(live)}: turn batches off, or choose other models."
        return None


def blind_spot(choices: RunChoices, answerers: Mapping[str, str]) -> str | None:
    """Return a sentence on what the chosen judges and responses cannot show; None if nothing.

    `answering` has the family of each model whose responses are judged. A judge is compared with a judge of
    another family, on responses of its own and on those of a third family (MEASURES section 15).
    """
    judges = {name: family_name(name, choices.models[name]) for name in choices.judges}
    if not judges or not answerers:
        return None
    judging_own = [name for name in judges if name in answerers]
    if not judging_own:
        return "No judge judges responses of its own, so the run cannot show whether a judge favours itself."
    families, answering = {*judges.values()}, {*answerers.values()}
    alone = [
        name
        for name in judging_own
        if not any(answering - {judges[name], other} for other in families - {judges[name]})
    ]
    if len(families) == 1:
        return (
            "All judges are of one family, so the run cannot show whether one favours itself; add a judge of "
            "another family."
        )
    if alone:
        return (
            f"The run cannot show whether {join_names(alone, 4, 'or')} favours itself: no judge of another "
            "family judges responses of a third family with it; add a model of a third family that answers."
        )
    if len(judges) < FEWEST_JUDGES and not {*choices.paradigms} <= {*PAIR_PARADIGMS}:
        return "Two judges are too few to tell whether one favours itself; add a third."
    silent = [name for name in judges if name not in answerers]
    if silent:
        return (
            f"The run cannot show whether {join_names(silent, 4, 'or')} favours itself, as none of the "
            "responses is its own."
        )
    if choices.instances is not None and choices.instances < FEWEST_INSTANCES:
        return f"Fewer than {FEWEST_INSTANCES} instances are too few for a conclusion on any judge."
    return None


def family_name(name: str, model: Table) -> str:
    """Return a model's family; one without is related to itself only."""
    return str(model.get("family") or name)


def answerer_families(choices: RunChoices, root: str) -> dict[str, str]:
    """Return the family of each model whose responses would be judged; empty if that is unknown."""
    if choices.generators:
        return {name: family_name(name, choices.models[name]) for name in choices.generators}
    if not choices.from_study:
        return {}
    study_files = data.files(root, choices.source)
    if not study_files.has("responses"):
        return {}
    generators = set(study_files.table("responses", ["generator"])["generator"].to_pylist())
    rows = study_files.table("models", ["model", "family"]).to_pylist()
    families = {row["model"]: row["family"] or row["model"] for row in rows}
    return {name: families.get(name, name) for name in generators}


def configuration(choices: RunChoices, root: str) -> str:
    """Return the configuration in TOML, which `spb run` checks like any other.

    Raises UsageError if the store is not on this disk and the questions are those of another study.
    """
    document: dict[str, Any] = {"study": choices.study.strip(), "seed": choices.seed}
    if not choices.from_study:
        document["data"] = choices.source
    elif choices.source != choices.study.strip():
        if "://" in root:
            raise UsageError(
                f"the store {root!r} is not on this disk: write the answers to the study "
                f"{choices.source!r} itself"
            )
        document["data"] = str(Path(root, choices.source).absolute())
    document["generators"] = list(choices.generators)
    document["judges"] = list(choices.judges)
    document["paradigms"] = list(choices.paradigms)
    if choices.instances is not None:
        document["sample"] = {"n": choices.instances}
    if choices.batches:
        document["mode"] = "batch"
    settings = {"max_usd": choices.cap, "cache": choices.cache, "keep_raw": choices.keep_raw}
    if any(settings.values()):
        document["run"] = {name: value for name, value in settings.items() if value}
    document["models"] = choices.called_models
    return tomli_w.dumps(document)


# ------------------------------------------------------------------------------
# The controls of a new run.


PARADIGM_WORDS: dict[Paradigm, str] = {
    "single_rubric": "one rubric at a time",
    "all_rubrics": "all rubrics of a response at once",
    "direct_assessment": "one score for a response",
    "pairwise": "two responses side by side, in both orders",
    "recognition": "which of two responses the judge wrote itself",
    "listwise": "all responses to a question ranked together",
    "familiarity": "how likely the judge finds the words of each response, if its server reports it",
}

_FEW = 20
FEWEST_JUDGES = 3
"""With fewer, the odds of one judge against others are undefined."""


def choose_run(context: Context, models: dict[str, Table]) -> RunChoices:
    """Show the controls and return the choices."""
    first, second = st.columns(2)
    with first:
        source, from_study = _source(context)
        usual = source if from_study and "://" in context.root else f"{source}-run"
        study = st.text_input(
            "Write to study", value=usual, key="run_study", max_chars=100,
            help="A new study, or an existing one to add to",
        )  # fmt: skip
        whole = st.toggle("All instances", key="run_whole")
        number = st.number_input("Instances", 1, 100_000, _FEW, key="run_instances", disabled=whole)
        seed = st.number_input("Sampling seed", 0, 2**31, 0, key="run_seed")
    with second:
        names = list(models)
        usual_models = names if names == list(SIMULATED) else None  # one's own are for oneself to choose
        judges = st.multiselect("Judges", names, usual_models, key="run_judges")
        generators = st.multiselect(
            "Models that answer", names, usual_models, key="run_generators",
            help="Missing responses are collected first; leave empty to judge existing responses",
        )  # fmt: skip
        usual = "single_rubric" if context.study.index.n_rubrics else PAIR_PARADIGMS[0]
        paradigms = st.multiselect(
            "Paradigms", list(PARADIGM_WORDS), [usual], key="run_paradigms",
            format_func=PARADIGM_WORDS.__getitem__,
        )  # fmt: skip
        cap = st.number_input(
            "Spending limit (US dollars)", 0.0, 100_000.0, 0.0, 0.5, key="run_cap",
            help="Required for models that cost money; the run stops before exceeding it",
        )  # fmt: skip
        batches = st.toggle(
            "In batches, at half the price", key="run_batches",
            help="Providers answer within a day; you can leave the run and resume it",
        )  # fmt: skip
        cache = st.toggle(
            "Reuse paid answers", key="run_cache",
            help="Answers that this server has already paid for, in any study, cost nothing",
        )  # fmt: skip
        keep_raw = st.toggle(
            "Keep requests and answers as sent", key="run_keep_raw", disabled=batches,
            help="Each verdict then shows its request and answer; keys are removed",
        )  # fmt: skip
    return RunChoices(
        source=source,
        from_study=from_study,
        study=study,
        generators=tuple(generators),
        judges=tuple(judges),
        paradigms=tuple(paradigms),
        instances=None if whole else int(number),
        seed=int(seed),
        cap=cap or None,
        models=models,
        batches=batches,
        cache=cache,
        keep_raw=keep_raw and not batches,
    )


def _source(context: Context) -> tuple[str, bool]:
    """Show the sources of questions; return the chosen name, and whether it is a study of the store."""
    studies = [(name, True) for name in context.studies]
    options = [*studies, *((name, False) for name, entry in catalogue().items() if entry.measures is None)]
    words = {True: "study", False: "data set to download"}
    index = next((k for k, (name, _) in enumerate(studies) if name == context.name), 0)
    return st.selectbox(
        "Questions from", options, index=index, key="run_source",
        format_func=lambda option: f"{option[0]} ({words[option[1]]})",
    )  # fmt: skip


# ------------------------------------------------------------------------------
# What the columns and values of a table mean, chosen from lists that start with a guess.


LIKELY = {
    name: words.split()
    for name, words in {
        "judge": "judge rater judge_model judge_name evaluator annotator grader judged_by rated_by",
        "generator": "generator model model_a model_1 generator_1 response_model candidate answered_by",
        "opponent": "opponent model_b model_2 generator_2 other_model",
        "choice": "choice winner",
        "met": "met passed pass correct label verdict ok",
        "score": "score rating grade",
        "instance_id": "instance_id question_id prompt_id item_id qid question_no example_id id",
        "prompt": "prompt question instruction input query",
        "rubric_id": "rubric_id criterion_id",
        "criterion": "criterion rubric",
        "reference_met": "reference_met truth ground_truth gold gold_label human_label",
        "preference": "preference human_winner gold_winner human_preference",
    }.items()
}
"""Names of the columns that most tables have, the likeliest first."""

_NONE = ""
_REMARK = re.compile(r"\s*\([^)]*\)$")
"""What a column's name says in brackets at its end: `score (1-10)`."""
_FIRST = {"generator": "always the generator's", "opponent": "always the opponent's"}
_CODED = ("choice", "preference", "first", "met", "reference_met")
_SIDES = {"a": "the generator", "b": "the opponent", "tie": "a tie", "none": "no verdict"}
_TRUTHS = {"yes": "met", "no": "not met", "none": "no verdict"}
_MOST_VALUES = 12


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table: its columns in their order, and the values of each with their counts."""

    columns: tuple[str, ...]
    values: Mapping[str, Counter[str]]


@dataclass(frozen=True)
class TableMapping:
    """The choices, as the options of an import."""

    map: dict[str, str]
    set: dict[str, str]
    value: dict[str, dict[str, str]]
    judges: tuple[str, ...]


def guesses(columns: Sequence[str]) -> dict[str, str]:
    """Return the likely column of a table for each of ours, each used once."""
    guess: dict[str, str] = {}
    bare = {_REMARK.sub("", column): column for column in reversed(columns)}
    bare |= {column: column for column in columns}
    for name in COLUMNS:
        for word in (name, *LIKELY.get(name, ())):
            match = column_in(word, [word for word in bare if bare[word] not in guess.values()])
            if match is not None:
                guess[name] = bare[match]
                break
    if "opponent" in guess:
        for of_rubrics, of_pairs in (("met", "choice"), ("reference_met", "preference")):
            if of_pairs not in guess and of_rubrics in guess:
                guess[of_pairs] = guess.pop(of_rubrics)
    elif "score" in guess and "met" not in guess and "reference_met" in guess:
        guess["reference_score"] = guess.pop("reference_met")
    return guess


def judge_columns(sample: TableSample, likely: Mapping[str, str]) -> list[str]:
    """Return the columns of a table without a judge that are named like models and hold verdicts."""
    if "judge" in likely:
        return []
    answerers = {
        value
        for name in ("generator", "opponent")
        for value in sample.values.get(likely.get(name, _NONE), ())
    }
    sides = {*SIDES, *answerers} if "opponent" in likely else set()
    return [
        column
        for column in sample.columns
        if column not in likely.values()
        and (lookup_key(column) in answerers or resolve(column).state == "sure")
        and all(
            value in NO_VERDICT or value in MET or value in sides or number_of(value) is not None
            for value in sample.values[column]
        )
    ]


def unclear_values(name: str, values: Counter[str], models: frozenset[str] = frozenset()) -> list[str]:
    """Return the values of a column whose meaning is unclear; none if there are too many."""
    clear = MET.keys() if "met" in name else SIDES.keys()
    odd = [value for value in values if value not in clear and value not in NO_VERDICT | models]
    sides = values.keys() - models - {"-1"}
    if "met" not in name and sides and sides <= {"0", "1"}:
        odd = list(values)
    return odd if len(odd) <= _MOST_VALUES else []


def choose_columns(sample: TableSample) -> TableMapping:
    """Show a list for each common column, the others in an expander, and return the choices."""
    likely = guesses(sample.columns)
    judges = st.multiselect(
        "Columns that each hold one judge's verdicts", sample.columns, judge_columns(sample, likely),
        key="import_judges", help="Only for a table with a column for each judge",
    )  # fmt: skip
    free = [column for column in sample.columns if column not in judges]
    mapping: dict[str, str] = {}
    names = [name for name in LIKELY if not (judges and name in ("judge", "met", "score", "choice"))]
    left, right = st.columns(2)
    for number, name in enumerate(names):
        with (left, right)[number % 2]:
            _column(name, free, likely, mapping)
    with st.expander("More columns", key="import_more_columns"):
        for name in (name for name in COLUMNS if name not in LIKELY and name != "scale"):
            _column(name, free, likely, mapping)
    constants = _constants(mapping, sample, wide=bool(judges))
    return TableMapping(mapping, constants, _meanings(mapping, sample, judges), tuple(judges))


def _column(name: str, columns: Sequence[str], likely: Mapping[str, str], mapping: dict[str, str]) -> None:
    options = [_NONE, *columns]
    guess = likely.get(name, _NONE)
    column = st.selectbox(
        name.replace("_", " "), options, index=options.index(guess) if guess in options else 0,
        key=f"import_column_{name}", help=COLUMNS[name], format_func=lambda option: option or "none",
    )  # fmt: skip
    if column:
        mapping[name] = column


def _constants(mapping: Mapping[str, str], sample: TableSample, *, wide: bool) -> dict[str, str]:
    """Ask for what no column says: the order of pairs, the rubric of verdicts, and the scale of scores."""
    constants: dict[str, str] = {}
    if "opponent" in mapping and "first" not in mapping:
        first = st.selectbox(
            "Response shown first", [_NONE, *_FIRST], key="import_first_shown",
            format_func=lambda side: _FIRST.get(side, "not in the file"),
            help="A test of self-preference needs pairs in both orders, so the file must name the first",
        )  # fmt: skip
        if first:
            constants["first"] = first
    scores = [number_of(value) for value in sample.values.get(mapping.get("score", _NONE), Counter())]
    highest = max((score for score in scores if score is not None), default=0.0)
    if highest > 1 and not {"rubric_id", "criterion"} & mapping.keys():
        scale = st.number_input(
            "Highest possible score", min_value=highest, value=highest, key="import_scale",
            help="Scores are divided by this number, so that 1 is perfect",
        )  # fmt: skip
        constants["scale"] = f"{scale:g}"
    met = "met" in mapping or (wide and "opponent" not in mapping)
    if met and not {"rubric_id", "criterion"} & mapping.keys():
        constants["rubric_id"] = (
            st.text_input(
                "Rubric of every verdict", value="overall", key="import_rubric", max_chars=100
            ).strip()
            or "overall"
        )
    return constants


def _meanings(
    mapping: Mapping[str, str], sample: TableSample, judges: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Ask for the meaning of each ambiguous value."""
    models = frozenset(
        value
        for name in ("generator", "opponent")
        for value in sample.values.get(mapping.get(name, _NONE), Counter())
    )
    columns = {name: sample.values[mapping[name]] for name in _CODED if name in mapping}
    verdict_values = {value for judge in judges for value in sample.values[judge]} - NO_VERDICT
    if any(number_of(value) is None for value in verdict_values):
        verdicts: Counter[str] = sum((sample.values[judge] for judge in judges), Counter())
        columns["choice" if "opponent" in mapping else "met"] = verdicts
    answers: dict[str, dict[str, str]] = {}
    for name, values in columns.items():
        words = {_NONE: "choose"} | (_TRUTHS if "met" in name else _SIDES)
        for value in unclear_values(name, values, models):
            meaning = st.selectbox(
                f"{name.replace('_', ' ')}: what does {value!r} mean? ({values[value]:,} of the first rows)",
                list(words), key=f"import_value_{name}_{value}", format_func=words.__getitem__,
            )  # fmt: skip
            if meaning:
                answers.setdefault(name, {})[value] = meaning
    unanswered = sum(
        len(unclear_values(name, values, models)) - len(answers.get(name, {}))
        for name, values in columns.items()
    )
    if unanswered:
        components.note(f"Values that still need a meaning: {unanswered:,}.", key="import_unanswered")
    return answers


def count_values(values: Sequence[object]) -> Counter[str]:
    """Return the counts of values, folded as for look-up."""
    return Counter(lookup_key(value) for value in values if value is not None)
