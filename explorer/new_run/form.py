"""The form of a new run: the models that it can call, the choices, and the configuration they make."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st
import tomli_w

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.litellm_batches import has_batches
from engine.collect.read_config import parse_config
from engine.errors import UsageError
from engine.importers.datasets import catalogue
from engine.importers.question_checks import Questions
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import join_names, sentence_case
from engine.stats.conclusion_rules import FEWEST_INSTANCES
from explorer import data
from explorer.new_run.own_questions import FILE, OwnQuestions, choose_questions, show_questions
from explorer.new_run.run_settings import PARADIGM_WORDS, choose_settings

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
    return not free and not is_simulated(table)


def is_simulated(table: Table) -> bool:
    """Return whether the model's answers are simulated by this program."""
    return str(table.get("model", "")).startswith("simulated/")


# ------------------------------------------------------------------------------
# The choices on the New run page, as the text of a configuration.


@dataclass(frozen=True)
class RunChoices:
    """A run as configured on the page.

    `source` is a data set of the catalogue or, with `from_study`, a study in the store whose texts are used;
    the verdicts go to `study`. `questions` are the user's own, in place of a source. `cap` is in US dollars,
    None without a limit. `batches` uses the providers' batch interfaces, `cache` reuses paid answers,
    `keep_raw` stores requests and answers as sent. `settings` are further fields of the configuration,
    `undecided` says which of them still needs a choice.
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
    settings: Table = field(default_factory=dict)
    undecided: str | None = None
    questions: Questions | None = None

    @property
    def called_models(self) -> dict[str, Table]:
        """The models that are called, by name."""
        rewriters = [each["by"] for each in self.settings.get("transforms", {}).values() if "by" in each]
        raters = [*self.settings.get("quality_judges", []), *self.settings.get("gold_judges", [])]
        names = dict.fromkeys((*self.generators, *self.judges, *raters, *rewriters))
        return {name: self.models[name] for name in names if name in self.models}

    @property
    def paid(self) -> tuple[str, ...]:
        """The called models that may cost money."""
        return tuple(name for name, model in self.called_models.items() if is_paid(model))

    @property
    def simulated(self) -> bool:
        """Whether all called models are simulated."""
        return all(is_simulated(model) for model in self.called_models.values())

    @property
    def lacking(self) -> str | None:
        """A sentence on what is still to be chosen; None if nothing is."""
        if not self.study.strip():
            return "Name the study to write to."
        if not self.judges and not self.generators:
            return "Choose at least one judge or one model that answers."
        if self.judges and not self.paradigms:
            return "Choose at least one paradigm."
        if self.undecided is not None:
            return self.undecided
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
        return "No judge judges answers of its own, so the run cannot show whether a judge favours itself."
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
            "family judges answers of a third family with it; add a model of a third family that answers."
        )
    if len(judges) < FEWEST_JUDGES and not {*choices.paradigms} <= {*PAIR_PARADIGMS}:
        return "Two judges are too few to tell whether one favours itself; add a third."
    silent = [name for name in judges if name not in answerers]
    if silent:
        return (
            f"The run cannot show whether {join_names(silent, 4, 'or')} favours itself, as none of the "
            "answers is its own."
        )
    if choices.instances is not None and choices.instances < FEWEST_INSTANCES:
        return f"Fewer than {FEWEST_INSTANCES} questions are too few for a conclusion on any judge."
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
    if choices.questions is not None:
        document["data"] = FILE
    elif not choices.from_study:
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
    document |= choices.settings
    total = None if choices.questions is None else len(choices.questions.instances)
    if choices.instances is not None and (total is None or choices.instances < total):
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


@dataclass(frozen=True)
class RunPlace:
    """The store that a run writes to, its studies, and the study that is shown, if there is one."""

    root: str
    studies: tuple[str, ...] = ()
    name: str | None = None
    has_rubrics: bool = False


_FEW = 20
OWN_QUESTIONS = ("questions of your own", False)
FEWEST_JUDGES = 3
"""With fewer, the odds of one judge against others are undefined."""


def choose_run(place: RunPlace, models: dict[str, Table]) -> RunChoices:
    """Show the controls and return the choices."""
    first, second = st.columns(2)
    with first:
        source, from_study = _source(place)
        own = choose_questions() if (source, from_study) == OWN_QUESTIONS else None
        if own is not None and own.questions is not None:
            show_questions(own.questions)
        usual = source if from_study and "://" in place.root else f"{source}-run"
        key = "run_study"
        if own is not None:
            usual, key = own.name, f"run_study_own_{own.name}"
        study = st.text_input(
            "Write to study", value=usual, key=key, max_chars=100,
            help="A new study, or an existing one to add to",
        )  # fmt: skip
        whole = st.toggle("All questions", own is not None, key="run_whole_own" if own else "run_whole")
        number = st.number_input("How many questions", 1, 100_000, _FEW, key="run_instances", disabled=whole)
        seed = st.number_input("Sampling seed", 0, 2**31, 0, key="run_seed")
    with second:
        names = list(models)
        usual_models = names if names == list(SIMULATED) else None  # one's own are for oneself to choose
        judges = st.multiselect("Judges", names, usual_models, key="run_judges")
        generators = st.multiselect(
            "Models that answer", names, usual_models, key="run_generators",
            help="Missing answers are collected first; leave empty to judge existing answers",
        )  # fmt: skip
        usual_paradigms, which = _usual_paradigms(place, own)
        paradigms = st.multiselect(
            "Paradigms", list(PARADIGM_WORDS), usual_paradigms, key=f"run_paradigms{which}",
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
    settings, undecided = choose_settings(paradigms, judges, models)
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
        settings=settings,
        undecided=undecided if own is None or own.lacking is None else own.lacking,
        questions=None if own is None else own.questions,
    )


def _usual_paradigms(place: RunPlace, own: OwnQuestions | None) -> tuple[list[str], str]:
    """Return the paradigms to begin with, and a mark of what they depend on."""
    if own is None:
        return ["single_rubric" if place.has_rubrics else PAIR_PARADIGMS[0]], ""
    has_criteria = own.questions is not None and bool(own.questions.rubrics)
    names = [PAIR_PARADIGMS[0], *(["single_rubric"] if has_criteria else [])]
    return names, "_own_criteria" if has_criteria else "_own"


def _source(place: RunPlace) -> tuple[str, bool]:
    """Show the sources of questions; return the chosen name, and whether it is a study of the store."""
    studies = [(name, True) for name in place.studies]
    data_sets = ((name, False) for name, entry in catalogue().items() if entry.measures is None)
    options = [*studies, OWN_QUESTIONS, *data_sets]
    words = {True: "study", False: "data set to download"}
    index = next((k for k, (name, _) in enumerate(studies) if name == place.name), 0)
    return st.selectbox(
        "Questions from", options, index=index, key="run_source",
        format_func=lambda option: (
            sentence_case(option[0]) if option == OWN_QUESTIONS else f"{option[0]} ({words[option[1]]})"
        ),
    )  # fmt: skip
