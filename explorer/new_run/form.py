"""The controls of a new run."""

from dataclasses import dataclass

import streamlit as st

from engine.importers.datasets.catalogue import catalogue
from engine.paradigms import PAIR_PARADIGMS, PARADIGMS, TRAITS
from engine.phrases import sentence_case
from explorer.new_run import available_models
from explorer.new_run.available_models import Table
from explorer.new_run.own_questions import OwnQuestions, choose_questions, show_questions
from explorer.new_run.run_choices import RunChoices
from explorer.new_run.run_settings import choose_settings


@dataclass(frozen=True)
class RunPlace:
    """The store that a run writes to, its studies, and the study that is shown, if there is one."""

    root: str
    studies: tuple[str, ...] = ()
    name: str | None = None
    has_rubrics: bool = False


_FEW = 20
OWN_QUESTIONS = ("questions of your own", False)


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
        is_usual = names == list(available_models.SIMULATED)  # one's own are for oneself to choose
        usual_models = names if is_usual else None
        judges = st.multiselect("Judges", names, usual_models, key="run_judges")
        generators = st.multiselect(
            "Models that answer", names, usual_models, key="run_generators",
            help="Missing answers are collected first; leave empty to judge existing answers",
        )  # fmt: skip
        usual_paradigms, which = _usual_paradigms(place, own)
        paradigms = st.multiselect(
            "Paradigms", list(PARADIGMS), usual_paradigms, key=f"run_paradigms{which}",
            format_func=lambda name: TRAITS[name].choice,
        )  # fmt: skip
        cap = st.number_input(
            "Spending limit (US dollars)", 0.0, 100_000.0, 0.0, 0.5, key="run_cap",
            help="Required for models that cost money; the run stops before exceeding it. Start calls each "
            "model once first, which counts toward it",
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
