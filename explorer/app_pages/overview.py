"""Overview: what the study is, and which judge credits itself most."""

import streamlit as st

from engine import findings
from engine.measures.result import Result
from engine.report.pages import TOLD
from explorer import (
    components,
    context,
    data,
    explanations,
    figures,
    holdings,
    judge_words,
    pair_figures,
)

HEADLINE = ("judge", "family", "hspp_self", "hspp_matched", "hspp_family", "n_self", "n_matched", "n_family")
RATIOS = ("hspp_self", "hspp_matched", "hspp_family")


def render(here: context.Context) -> None:
    """Show the headline and what the study holds."""
    result = data.result(here.key, "hspp")
    if result.rows:
        _headline(here, result)
    else:
        _others(here, result)
    holdings.failures(here)
    holdings.about(here)


def _headline(here: context.Context, result: Result) -> None:
    own = findings.self_preference(result.rows, result.filters["level"] or "rubric").sentences
    family = findings.family_preference(result.rows)
    told = (" ".join(own[:2]), " ".join(own[2:]), family.text)
    components.say(*filter(None, told), key="finding")
    holdings.cautions(here, result)
    drawn = data.figure(here.key, "ratios", (), (None, RATIOS, 740))
    st.subheader("Does a judge credit its own failures more often than others'?", anchor=False)
    if drawn.panels < drawn.all_panels:
        components.say(f"The {drawn.panels} judges with the highest ratios are drawn, of {drawn.all_panels}.")
    components.chart(drawn, "headline", TOLD["overview"], result)
    of_rubrics = result.filters["level"] == "rubric"
    fields = HEADLINE if of_rubrics else tuple(name for name in HEADLINE if "matched" not in name)
    components.measured(result, fields, "headline_numbers")
    _in_words(result)
    st.subheader("How often is a judge right?", anchor=False)
    accuracy = data.result(here.key, "accuracy")
    if not components.lacks_rows(accuracy):
        explanations.shortly(accuracy.measure, "accuracy")
        components.measured(accuracy, _accuracy_fields(accuracy), "accuracy")
        components.basis(accuracy, "accuracy")


def _others(here: context.Context, lacking: Result) -> None:
    """Show what the measures say that the study allows, where it has no ratio."""
    result = figures.attempt(here.key, "together", ())
    if not result.rows:
        components.lacks_rows(lacking)
        holdings.next_steps(here)
        return
    sentences = list(dict.fromkeys(row["sentence"] for row in result.rows))
    components.say(*sentences[: pair_figures.MOST_PANELS], key="finding")
    drawn = pair_figures.drawn(here.key, "together", ())
    st.subheader("What each measure says of each judge", anchor=False)
    pair_figures.say_cut(drawn)
    explanations.shortly(result.measure, "headline")
    lines = (f"The ratio is not among them: {lacking.reason}.", pair_figures.SIGN_COLOURS)
    components.figure(drawn, "headline", pair_figures.SIGNS_TOLD, lines, study=result.study)
    pages = "Equal quality, Quality baseline, Order effects and Together, under More"
    components.note(
        f"Each measure stands with its interval and its n on a page of its own: {pages}.", key="more"
    )


def _in_words(result: Result) -> None:
    """Say what the numbers mean, and those of each judge as a sentence."""
    with st.expander("What these numbers mean, judge by judge", key="in_words"):
        components.note(*judge_words.READING.splitlines(), key="how_to_read")
        st.text("\n\n".join(judge_words.sentences(result.rows, result.filters["level"] or "rubric")))


def _accuracy_fields(accuracy: Result) -> tuple[str, ...]:
    """Return the columns of accuracy that anything stands in: rubrics, pairs of responses, or both."""
    kinds = [kind for kind in ("mra", "mipa") if any(row[kind] is not None for row in accuracy.rows)]
    return ("judge", *(name for kind in kinds for name in (kind, f"{kind}_total")))


context.show(render)
