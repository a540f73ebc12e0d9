"""How answers are judged in a new run, beyond its paradigms: variants, orders, pairs, and changed answers."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import streamlit as st

from engine.collect.configuration.config import FEWEST_GOLD_JUDGES, Change, DrawnRule, Task
from engine.collect.paradigms.template_files import shipped_variants
from engine.collect.paradigms.templates import REWRITE
from engine.paradigms import (
    LIST_PARADIGMS,
    OPTION_PARADIGMS,
    PAIR_PARADIGMS,
    PARADIGMS,
    RANK_PARADIGMS,
    Paradigm,
)
from engine.phrases import join_names

VARIANT_WORDS = {
    "default": "the usual one",
    "cot": "with reasons first",
    "forced": "one letter, no ties",
    "forced_tie": "one letter, ties allowed",
    "structured": "by criteria, then the winner",
}
TASK_WORDS: dict[Task, str] = {
    "general": "any kind",
    "objective": "with one right answer",
    "help": "helpful answers",
    "facts": "facts",
    "translation": "translations",
    "code": "programs",
    "summary": "summaries",
    "choice": "multiple choice",
    "reading": "reading of a text",
}
ORDERING_WORDS = {"original": "as in the study", "reversed": "reversed", "rotated": "every rotation"}
PAIR_WORDS: dict[DrawnRule, str] = {
    "equal": "answers of equal quality",
    "null": "answers of other models, for comparison",
    "contrast": "answers far apart in quality",
    "proxy": "answers of equally good other models in place of the judge's",
}
CHANGE_WORDS: dict[Change, str] = {
    "rewrite": "rewritten by a model",
    "author": "with their author's name",
    "padding": "made longer with empty words",
    "authority": "with an appeal to an authority",
    "injection": "with a request for a good grade",
    "identical": "an answer beside itself",
}

Settings = dict[str, Any]
"""Fields of a run's configuration, with their values, where they are not the defaults."""


def choose_settings(
    paradigms: Sequence[str], judges: Sequence[str], models: Mapping[str, object]
) -> tuple[Settings, str | None]:
    """Show what applies to the chosen paradigms; return the settings, and what is still to be chosen."""
    settings: Settings = {}
    every = {*paradigms}
    with st.expander("How answers are judged, and changed", key="run_settings"):
        left, right = st.columns(2)
        with left:
            _variants(paradigms, settings)
            _orders(every, settings)
        with right:
            _pairs(every, settings)
            if "quality" in every:
                raters = st.multiselect(
                    "Judges of quality", list(models), key="run_quality_judges",
                    placeholder="the judges above", disabled=not judges,
                )  # fmt: skip
                if raters:
                    settings["quality_judges"] = raters
            too_few = _gold_judges(every, models, settings)
            lacking = _changes(models, settings)
    return settings, too_few or lacking


def _variants(paradigms: Sequence[str], settings: Settings) -> None:
    names = dict.fromkeys(name for each in paradigms for name in shipped_variants(_kind(each)))
    variants = st.multiselect(
        "Versions of the judge's prompt", list(names) or ["default"], ["default"], key="run_variants",
        format_func=lambda name: f"{name}: {VARIANT_WORDS[name]}" if name in VARIANT_WORDS else name,
    )  # fmt: skip
    if variants and variants != ["default"]:
        settings["variants"] = variants
    task = st.selectbox("Kind of answers", get_args(Task), key="run_task", format_func=TASK_WORDS.__getitem__)
    if task != "general":
        settings["task"] = task


def _kind(paradigm: str) -> Paradigm:
    return next(name for name in PARADIGMS if name == paradigm)


def _orders(paradigms: set[str], settings: Settings) -> None:
    """Ask for the orders of criteria and of lists, and how often orders are repeated."""
    if paradigms & {*LIST_PARADIGMS}:
        orderings = st.multiselect(
            "Orders of criteria", list(ORDERING_WORDS), ["original"], key="run_orderings",
            format_func=lambda name: ORDERING_WORDS.get(name, name), accept_new_options=True,
            help="Also single rotations, such as rotated-2",
        )  # fmt: skip
        if orderings and orderings != ["original"]:
            settings["orderings"] = orderings
    if paradigms & {*OPTION_PARADIGMS}:
        repeats = int(st.number_input("Repeats of each score", 0, 100, 0, key="run_repeats"))
        if repeats:
            settings["repeats"] = repeats
    if paradigms & {*RANK_PARADIGMS}:
        lists = int(st.number_input("Orders of each list", 1, 100, 2, key="run_lists"))
        if lists != 2:
            settings["lists"] = lists


def _pairs(paradigms: set[str], settings: Settings) -> None:
    if paradigms & {*PAIR_PARADIGMS}:
        rules = st.multiselect(
            "Which answers are compared", get_args(DrawnRule), key="run_pairs", placeholder="all",
            format_func=PAIR_WORDS.__getitem__,
        )  # fmt: skip
        if rules:
            settings["pairs"] = list(rules)


def _gold_judges(paradigms: set[str], models: Mapping[str, object], settings: Settings) -> str | None:
    """Ask for the judges whose outcomes say which of two answers is better, where all pairs are compared."""
    if "pairwise" not in paradigms or "pairs" in settings:
        return None
    names = st.multiselect(
        "Gold judges", list(models), key="run_gold_judges", placeholder="none",
        help="They compare all pairs too; their outcomes say which answer is better",
    )  # fmt: skip
    if names:
        settings["gold_judges"] = names
    if 0 < len(names) < FEWEST_GOLD_JUDGES:
        return f"Choose at least {FEWEST_GOLD_JUDGES} gold judges, or none."
    return None


def _changes(models: Mapping[str, object], settings: Settings) -> str | None:
    """Ask how answers are changed before they are judged once more."""
    rewritings = shipped_variants(REWRITE)
    options = [*rewritings, *(name for name in CHANGE_WORDS if name != "rewrite")]
    names = st.multiselect(
        "Also judge answers", options, key="run_transforms", placeholder="as written only",
        format_func=lambda name: CHANGE_WORDS.get(name, f"{CHANGE_WORDS['rewrite']}: {name}"),
    )  # fmt: skip
    rewritten = [name for name in names if name in rewritings]
    author = None
    if rewritten:
        author = st.selectbox("Model that rewrites", list(models), index=None, key="run_rewriter")
        if author is None:
            return f"Choose the model that rewrites the answers ({join_names(rewritten)})."
    if names:
        settings["transforms"] = {
            name: {"make": "rewrite", "by": author} if name in rewritten else {"make": name} for name in names
        }
    return None
