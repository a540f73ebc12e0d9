"""Every measure, declared once."""

from dataclasses import dataclass
from typing import Any, Literal

from engine.errors import unknown
from engine.schema import COMPARABLE

FieldKind = Literal["text", "count", "share", "ratio", "points", "number", "flag", "list"]
OptionKind = Literal["name", "number", "integer", "switch", "names"]


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a measure's rows.

    `interval`: it carries a 95% interval in the columns `<name>_low` and `<name>_high`. `null`: it is
    tested against this value, with `<name>_p` and `<name>_p_adjusted`.
    """

    name: str
    kind: FieldKind
    meaning: str
    interval: bool = False
    null: float | None = None

    def columns(self) -> list[str]:
        """Return the columns that the field makes."""
        names = [self.name]
        if self.interval:
            names += [f"{self.name}_low", f"{self.name}_high"]
        if self.null is not None:
            names += [f"{self.name}_p", f"{self.name}_p_adjusted"]
        return names


@dataclass(frozen=True, slots=True)
class Option:
    """An option that belongs to one measure alone."""

    name: str
    kind: OptionKind
    meaning: str
    default: Any = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure: its words, where it is defined, its rows, and the module that computes it.

    `keys` are the fields that tell rows apart. `headline` is the field that `--against` compares, as a
    ratio where `compared_as` says so. `level`, where given, is the only one at which it is taken. A measure
    that is not `sliced` is of a whole study: it has no groups and no comparison.
    """

    name: str
    title: str
    question: str
    formula: str
    paper: str
    section: str
    left_out: str
    module: str
    keys: tuple[str, ...]
    fields: tuple[Field, ...]
    headline: str
    compared_as: Literal["ratio", "difference"] = "difference"
    options: tuple[Option, ...] = ()
    paradigms: tuple[str, ...] = COMPARABLE
    level: Literal["rubric", "instance"] | None = None
    sliced: bool = True


def _key(name: str, meaning: str) -> Field:
    return Field(name, "text", meaning)


def _count(name: str, meaning: str) -> Field:
    return Field(name, "count", meaning)


def _share(name: str, meaning: str, *, interval: bool = True) -> Field:
    return Field(name, "share", meaning, interval)


def _ratio(name: str, meaning: str) -> Field:
    return Field(name, "ratio", meaning, interval=True, null=1.0)


_JUDGE = _key("judge", "the judge; none on the row of means")
_FAMILY = _key("family", "the judge's family")
_SMALL = Field("small", "flag", "fewer than 30 cases stand behind the headline number")
_MEMBERS = Option("members", "names", "the committee's judges; without it the first committee of study.json")

HSPP = Measure(
    name="hspp",
    title="Harmful self-preference ratio",
    question="Among rubrics that a response truly failed, how many times likelier is a judge to pass its own?",
    formula="O(J, J) / mean of O(J, G) over generators G outside J's family",
    paper="rubric-self-preference, equations 1 and 2",
    section="MEASURES 2",
    left_out="generators without a failed rubric have no rate and are left out of the means",
    module="engine.measures.hspp",
    keys=("judge",),
    headline="hspp_self",
    compared_as="ratio",
    fields=(
        _JUDGE,
        _FAMILY,
        _share("o_self", "overestimation of the judge's own responses"),
        _share("o_family", "mean overestimation of its relatives, itself not among them"),
        _share("o_other", "mean overestimation of generators outside its family"),
        _ratio("hspp_self", "o_self / o_other: 1 means no self-preference"),
        _ratio("hspp_family", "o_family / o_other"),
        _ratio("hspp_family_with_self", "the same with the judge among its family"),
        _ratio(
            "hspp_matched", "the ratio over rubrics that the judge's own response and the other both failed"
        ),
        Field("difference_self", "share", "o_self - o_other", interval=True, null=0.0),
        _count("n_self", "unfavourable references of its own responses; lost comparisons at instance level"),
        _count("n_family", "the same for its relatives"),
        _count("n_other", "the same for generators outside its family"),
        _count("n_matched", "rubrics failed by both, over generators outside its family"),
        _share("l2w_share_self", "of its own losses overestimated, those made wins", interval=False),
        _share("l2w_share_other", "of others' losses overestimated, those made wins", interval=False),
        _SMALL,
        _count("judges", "on the row of means: judges with a defined ratio"),
    ),
)

OVERESTIMATION = Measure(
    name="overestimation",
    title="Overestimation",
    question="How often does each judge credit each generator for what it failed, or fail it for what it met?",
    formula="O(J, G) = favourable verdicts on unfavourable references / unfavourable references",
    paper="rubric-self-preference, equations 3 and 4",
    section="MEASURES 2",
    left_out="verdicts without a reference; cells without an unfavourable reference have no rate",
    module="engine.measures.overestimation",
    keys=("judge", "generator"),
    headline="rate",
    fields=(
        _JUDGE,
        _key("generator", "the model whose responses were judged"),
        _key("relation", "the generator is the judge itself, of its family, or other"),
        _share("rate", "overestimations / unfavourable references"),
        _count("over", "overestimations"),
        _count("n", "unfavourable references; lost comparisons at instance level"),
        _share("under_rate", "underestimations / favourable references"),
        _count("under", "underestimations"),
        _count("under_n", "favourable references; won comparisons at instance level"),
        _SMALL,
    ),
)

ACCURACY = Measure(
    name="accuracy",
    title="Accuracy",
    question="How often does a judge agree with the reference, on rubrics and on comparisons?",
    formula="MRA: verdicts equal to the reference / verdicts; MIPA: comparisons with the reference's outcome / comparisons",
    paper="rubric-self-preference, equations 5 and 6",
    section="MEASURES 5",
    left_out="verdicts without a reference; comparisons in which a response has no score",
    module="engine.measures.accuracy",
    keys=("judge",),
    headline="mra",
    fields=(
        _JUDGE,
        _FAMILY,
        _share("mra", "share of rubric verdicts equal to the reference"),
        _count("mra_correct", "verdicts equal to the reference"),
        _count("mra_total", "verdicts with a reference"),
        _share(
            "mipa",
            "share of unordered pairs of responses ordered as the reference orders them, ties included",
        ),
        _count("mipa_correct", "pairs ordered so"),
        _count("mipa_total", "pairs with an outcome by judge and reference"),
    ),
)

DELTA = Measure(
    name="delta",
    title="Centered score delta",
    question="By how many points does a judge lift its own score, beyond its general leniency?",
    formula="delta(J, G) = 100 (raw(J, G) - mean over G of raw(J, G)), raw = Score_J(G) - Score*(G)",
    paper="rubric-self-preference, Figure 5",
    section="MEASURES 8",
    left_out="responses without a score by judge or reference",
    module="engine.measures.delta",
    keys=("judge", "generator"),
    headline="delta",
    level="instance",
    paradigms=("single_rubric", "all_rubrics", "direct_assessment"),
    fields=(
        _JUDGE,
        _key("generator", "the model whose score it is"),
        Field("delta", "points", "the centered difference, in points of 100", interval=True),
        _share("raw_delta", "judge's score minus the reference's, not centered"),
        _count("n", "instances with both scores"),
        Field(
            "bonus",
            "points",
            "the judge's own delta minus the mean over generators outside its family",
            True,
            0.0,
        ),
        Field("family_bonus", "points", "the same for its relatives", True, 0.0),
        _share("leniency", "mean raw difference over generators"),
        Field(
            "rank_shift",
            "number",
            "rank of the judge by its own scores minus by the reference; negative lifts",
        ),
        _share(
            "pair_order", "share of pairs of generators that the judge's scores order as the reference's do"
        ),
    ),
)

AGREEMENT_CURVE = Measure(
    name="agreement-curve",
    title="Agreement curve",
    question="Does self-preference vanish on rubrics that judges agree on?",
    formula="mean HSPP-R_self over judges on rubrics with agreement of at least t",
    paper="rubric-self-preference, Figure 4",
    section="MEASURES 6",
    left_out="rubrics with verdicts of fewer than two judges have no agreement",
    module="engine.measures.agreement_curve",
    keys=("threshold", "level"),
    headline="hspp_self_mean",
    compared_as="ratio",
    paradigms=("single_rubric", "all_rubrics"),
    fields=(
        Field("threshold", "share", "the least agreement kept"),
        _key("level", "rubric or instance"),
        Field("hspp_self_mean", "ratio", "mean ratio over judges that have one", interval=True),
        _count("judges", "judges with a defined ratio"),
        Field("rubrics_kept", "share", "share of rubrics kept"),
    ),
)

COMMITTEE = Measure(
    name="committee",
    title="Committee",
    question="Does a committee's majority prefer a member's responses less than the member does?",
    formula="HSPP-R and accuracy of each member, and of the members' majority in its place",
    paper="rubric-self-preference, Figure 3",
    section="MEASURES 7",
    left_out="rubrics on which the committee is divided or fewer than three members have a verdict",
    module="engine.measures.committee",
    keys=("judge", "level"),
    headline="hspp_self_committee",
    compared_as="ratio",
    paradigms=("single_rubric", "all_rubrics"),
    options=(_MEMBERS,),
    fields=(
        _JUDGE,
        _key("level", "rubric or instance"),
        Field("members", "list", "the committee"),
        _ratio("hspp_self", "the member's own ratio"),
        _ratio("hspp_self_committee", "the committee's ratio for that member"),
        _ratio("hspp_family", "the member's ratio for its relatives"),
        _ratio("hspp_family_committee", "the committee's ratio for the member's relatives"),
        _share("mra", "the member's rubric accuracy"),
        _share("mra_committee", "the committee's rubric accuracy"),
        _share("mipa", "the member's pair accuracy"),
        _share("mipa_committee", "the committee's pair accuracy"),
    ),
)

REFERENCE_AGREEMENT = Measure(
    name="reference-agreement",
    title="Agreement of two sources",
    question="How far do two references, people, judges or runs agree?",
    formula="share equal, Cohen's kappa, balanced F1 = mean of the F1 of met and of not met, correlations",
    paper="rubric-self-preference, Table 3",
    section="MEASURES 14",
    left_out="items that only one of the two has",
    module="engine.measures.reference_agreement",
    keys=("a", "b", "kind"),
    headline="agreement",
    sliced=False,
    options=(
        Option("a", "name", "one source: a reference, a preference source, judge:<name> or run:<id>"),
        Option("b", "name", "the other source"),
    ),
    fields=(
        _key("a", "one source"),
        _key("b", "the other"),
        _key("kind", "verdict, outcome or score"),
        _count("n", "items that both have"),
        _share("agreement", "share of items on which they are equal"),
        Field("kappa", "number", "Cohen's kappa", interval=True),
        Field("balanced_f1", "share", "mean of the F1 of met and of not met", interval=True),
        Field("win_rate_a", "share", "share won by the first response, by a"),
        Field("win_rate_b", "share", "share won by the first response, by b"),
        Field("spearman", "number", "rank correlation of scores", interval=True),
        Field("pearson", "number", "correlation of scores", interval=True),
        Field("mean_difference", "number", "mean of |difference| of scores"),
        Field("median_difference", "number", "median of |difference| of scores"),
        Field("sd_difference", "number", "standard deviation of |difference| of scores"),
        Field("within", "list", "cumulative shares of |difference| up to 0, .25, .5, 1, 1.5, 2, and all"),
    ),
)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        HSPP,
        OVERESTIMATION,
        ACCURACY,
        DELTA,
        AGREEMENT_CURVE,
        COMMITTEE,
        REFERENCE_AGREEMENT,
    )
}


def find(name: str) -> Measure:
    """Return the measure of that name, underscores for hyphens allowed; UsageError naming all there are."""
    measure = MEASURES.get(name.replace("_", "-"))
    if measure is None:
        raise unknown("measure", name, MEASURES)
    return measure
