"""The controls of a new run."""

import streamlit as st

from engine.datasets import catalogue
from engine.schema import Paradigm
from explorer import context
from explorer.askable import Table
from explorer.run_form import Wanted

PARADIGM_WORDS: dict[Paradigm, str] = {
    "single_rubric": "one rubric at a time",
    "all_rubrics": "all rubrics of a response at once",
    "direct_assessment": "one score for a response",
    "pairwise": "two responses side by side, in both orders",
}

_FEW = 20


def chosen(here: context.Context, models: dict[str, Table]) -> Wanted:
    """Show what can be chosen and return what is."""
    first, second = st.columns(2)
    with first:
        source, from_study = _source(here)
        usual = source if from_study and "://" in here.root else f"{source}-run"
        study = st.text_input(
            "Answers go to the study", value=usual, key="run_study", max_chars=100,
            help="A new study, or one of this store that the verdicts are added to",
        )  # fmt: skip
        whole = st.toggle("All instances", key="run_whole")
        few = st.number_input("Instances", 1, 100_000, _FEW, key="run_instances", disabled=whole)
        seed = st.number_input("Seed of the sample", 0, 2**31, 0, key="run_seed")
    with second:
        names = list(models)
        judges = st.multiselect("Judges", names, key="run_judges")
        generators = st.multiselect(
            "Models that answer", names, key="run_generators",
            help="Their missing responses are collected first; none: the responses there are get judged",
        )  # fmt: skip
        paradigms = st.multiselect(
            "How judges are asked", list(PARADIGM_WORDS), ["single_rubric"], key="run_paradigms",
            format_func=PARADIGM_WORDS.__getitem__,
        )  # fmt: skip
        cap = st.number_input(
            "Spend at most (US dollars)", 0.0, 100_000.0, 0.0, 0.5, key="run_cap",
            help="Required for models that cost money; the run stops before it would pass it",
        )  # fmt: skip
        batches = st.toggle(
            "In batches, at half the price", key="run_batches",
            help="The providers answer within a day; the run can be left and gone on with",
        )  # fmt: skip
    return Wanted(
        source=source,
        from_study=from_study,
        study=study,
        generators=tuple(generators),
        judges=tuple(judges),
        paradigms=tuple(paradigms),
        instances=None if whole else int(few),
        seed=int(seed),
        cap=cap or None,
        models=models,
        batches=batches,
    )


def _source(here: context.Context) -> tuple[str, bool]:
    """Show where the questions come from; return its name, and whether it is a study of the store."""
    studies = [(name, True) for name in here.studies]
    options = [*studies, *((name, False) for name in catalogue())]
    words = {True: "study", False: "data set, downloaded"}
    index = next((k for k, (name, _) in enumerate(studies) if name == here.name), 0)
    return st.selectbox(
        "Questions from", options, index=index, key="run_source",
        format_func=lambda option: f"{option[0]} ({words[option[1]]})",
    )  # fmt: skip
