"""Equal quality: archetypes, preference among equally good responses, and the effect of other prompts."""

import streamlit as st

from engine.report.exhibit import ABOUT, OF_RUBRICS, usual_quality
from explorer import data
from explorer.new_run import studies
from explorer.parts import components, figures, pair_figures, selection
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.workbench import filters, paradigms

NUMBERS = (
    *("judge", "pir", "null_pir", "spb", "spb_p_adjusted", "z_p", "binomial_p", "significant"),
    *("n_pairs", "n_null_pairs", "small"),
)
TYPES = ("judge", "archetype", "d", "spb", "crosses", "mean_quality", "n_contrast", "n_pairs")
VARIANTS = (
    *("judge", "variant", "baseline", "spb_baseline", "spb", "reduction", "reduction_p_adjusted"),
    *("eta", "mcnemar_p", "d_change", "cost_ratio", "n_pairs"),
)
QUALITIES = {"judges": "judges' quality scores", "reference": "the reference's scores"}
HUMAN = "human"
BANDS = "Bands are 95% intervals; hollow marks rest on fewer than 30 pairs."
REGIONS = "Dashed lines are the archetypes' borders: D 80%, SPB 5% and -5%."


def render(context: Context) -> None:
    """Show archetypes, firm choices, and other prompts."""
    slice_flags = filters.bar(context, OF_RUBRICS)
    extra = _quality_options(context)
    flags = (*slice_flags, *extra)
    if _archetypes(context, flags):
        _firm(context, flags)
        _mitigation(context, flags)
    by_scores = tuple(("quality", _usual(context)) if flag == ("quality", HUMAN) else flag for flag in extra)
    paradigms.beside(context, (*slice_flags, *by_scores))


@section
def _archetypes(context: Context, flags: data.FlagValues) -> bool:
    """Show each judge's archetype; return whether there are rows."""
    result = figures.attempt(context.key, "archetypes", flags)
    if studies.lacks_rows(context, result):
        return False
    components.say(*pair_figures.archetype_words(result.rows), key="finding_archetypes")
    empty = "No judge has both D and SPB, so there is nothing to draw."
    marks = f"{components.MARKS} {REGIONS}"
    pair_figures.show(context.key, "quadrant", flags, ABOUT["archetypes"], result, empty=empty, marks=marks)
    components.measure_table(result, TYPES, "archetypes")
    return True


def _usual(context: Context) -> str:
    return usual_quality(context.study.inventory.values("paradigm"))


def _quality_options(context: Context) -> data.FlagValues:
    """Show the controls that define equal quality, and return them as options."""
    selection.drop_unknown("quality", (*QUALITIES, HUMAN), "Quality from")
    if paradigms.source(context) == "people":
        return (("quality", HUMAN),)
    usual = _usual(context)
    left, right = st.columns([3, 2])
    with left:
        meaning = (
            "Largest difference in quality, on a scale of 0 to 10, at which responses count as equally good"
        )
        epsilon = selection.amount("epsilon", "Equal within (epsilon)", (0.0, 2.0), 0.25, meaning)
    with right:
        quality = selection.choice(
            "quality", tuple(QUALITIES), "Quality from", QUALITIES[usual], QUALITIES.__getitem__
        )
    return ("epsilon", epsilon), ("quality", quality or usual)


@section
def _firm(context: Context, flags: data.FlagValues) -> None:
    st.subheader("Firm choices of own and of equally good responses", anchor=False)
    result = figures.attempt(context.key, "equal-quality", flags)
    if components.lacks_rows(result):
        return
    doing = "firmly choose their own more often than an equally good response of others"
    components.say(pair_figures.preferring(result.rows, "spb", doing), key="finding_equal")
    description = "PIR and Null-PIR of each judge, and SPB, their difference."
    empty = "No judge has a pair of equal quality."
    pair_figures.show(context.key, "firm_choices", flags, description, result, empty=empty)
    components.measure_table(result, NUMBERS, "equal_numbers")
    if ("quality", HUMAN) not in flags:
        _by_epsilon(context, flags)
    if "category" in context.choices.groupings:
        _by_category(context, flags)


def _by_epsilon(context: Context, flags: data.FlagValues) -> None:
    st.subheader("By epsilon", anchor=False)
    result = figures.attempt(context.key, "equal-quality", (*flags, pair_figures.EPSILONS))
    components.say(pair_figures.epsilon_words(result.rows), key="finding_epsilons")
    description = "SPB of each judge at several epsilons."
    empty = "No judge has SPB at any epsilon."
    pair_figures.show(context.key, "by_epsilon", flags, description, result, empty=empty, marks=BANDS)


def _by_category(context: Context, flags: data.FlagValues) -> None:
    st.subheader("By category", anchor=False)
    result = figures.attempt(context.key, "equal-quality", flags, "category")
    if components.lacks_rows(result):
        return
    components.say(pair_figures.category_words(result.rows), key="finding_categories")
    description = "SPB of each judge in each category of the instances."
    empty = "No judge has SPB in any category."
    pair_figures.show(context.key, "categories", flags, description, result, empty=empty)
    with st.expander("Numbers by category", key="category_table"):
        components.measure_table(result, NUMBERS, "category_numbers", by="category")


@section
def _mitigation(context: Context, flags: data.FlagValues) -> None:
    st.subheader("Other prompts", anchor=False)
    result = figures.attempt(context.key, "mitigation", flags)
    if components.lacks_rows(result):
        return
    components.say(pair_figures.mitigation_words(result.rows), key="finding_mitigation")
    description = "SPB of each judge with the usual prompt and with each other one."
    empty = "No judge has SPB with both the usual and another prompt."
    marks = f"{components.MARKS} An arrow leads from SPB with the usual prompt to SPB with the other."
    pair_figures.show(context.key, "mitigation", flags, description, result, empty=empty, marks=marks)
    components.measure_table(result, VARIANTS, "mitigation_numbers")


show_page(render)
