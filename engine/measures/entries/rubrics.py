"""Self-preference in rubric verdicts and whole scores (MEASURES sections 2 and 5 to 8)."""

from engine.measures.committees import committee_families_table, committee_size_table, committee_table
from engine.measures.entry import (
    FAMILY,
    JUDGE,
    SMALL,
    Field,
    FieldKind,
    Measure,
    Option,
    count,
    key,
    ratio,
    share,
)
from engine.measures.self_preference import (
    accuracy_table,
    agreement_curve_table,
    delta_table,
    hspp_table,
    overestimation_table,
)
from engine.schema import RUBRIC_PARADIGMS, SCORED

_COMMITTEE = (
    Option("members", "names", "the committee's judges; without it the first committee of study.json"),
    Option(
        "combine",
        "name",
        "how judgments are joined: verdicts and outcomes of pairs by majority, scores by mean or median",
        choices=("majority", "mean", "median"),
    ),
)


def _over_committees(name: str, kind: FieldKind, meaning: str) -> tuple[Field, ...]:
    """Return the fields of a number over committees: its mean and its ends."""
    return (
        Field(name, kind, f"mean over committees of the {meaning}", interval=True),
        Field(f"{name}_least", kind, "the least of them"),
        Field(f"{name}_most", kind, "the greatest of them"),
    )


HSPP = Measure(
    name="hspp",
    title="Harmful self-preference ratio",
    question="Among rubrics truly failed, how many times likelier is a judge to pass its own response?",
    formula="O(J, J) / mean of O(J, G) over generators G outside J's family",
    paper="rubric-self-preference, equations 1 and 2",
    left_out="generators without a failed rubric have no rate and are left out of the means",
    function=hspp_table,
    has_chart=True,
    keys=("judge",),
    headline="hspp_self",
    compared_as="ratio",
    fields=(
        JUDGE,
        FAMILY,
        share("o_self", "overestimation of the judge's own responses"),
        share("o_family", "mean overestimation of its family, itself not among them"),
        share("o_other", "mean overestimation of generators outside its family"),
        ratio("hspp_self", "o_self / o_other: 1 means no self-preference"),
        ratio("hspp_family", "o_family / o_other"),
        ratio("hspp_family_with_self", "the same with the judge among its family"),
        ratio(
            "hspp_matched", "the ratio over rubrics that the judge's own response and the other both failed"
        ),
        ratio("hspp_mantel_haenszel", "the matched ratio, each rubric weighted by its information"),
        Field("difference_self", "share", "o_self - o_other", interval=True, null=0.0),
        count("n_self", "unfavourable references of its own responses; lost comparisons at instance level"),
        count("n_family", "the same for its family"),
        count("n_other", "the same for generators outside its family"),
        count("n_matched", "rubrics failed by both, over generators outside its family"),
        share("l2w_share_self", "of its own losses overestimated, those made wins", interval=False),
        share("l2w_share_other", "of others' losses overestimated, those made wins", interval=False),
        SMALL,
        count("judges", "on the row of means: judges with a defined ratio"),
    ),
)

OVERESTIMATION = Measure(
    name="overestimation",
    title="Overestimation",
    question="How often does a judge pass what a generator failed, or fail what it met?",
    formula="O(J, G) = favourable verdicts on unfavourable references / unfavourable references",
    paper="rubric-self-preference, equations 3 and 4",
    left_out="verdicts without a reference; cells without an unfavourable reference have no rate",
    function=overestimation_table,
    has_chart=True,
    keys=("judge", "generator"),
    headline="rate",
    fields=(
        JUDGE,
        key("generator", "the model whose responses were judged"),
        key("relation", "the generator is the judge itself, of its family, or other"),
        share("rate", "overestimations / unfavourable references"),
        count("over", "overestimations"),
        count("n", "unfavourable references; lost comparisons at instance level"),
        share("under_rate", "underestimations / favourable references"),
        count("under", "underestimations"),
        count("under_n", "favourable references; won comparisons at instance level"),
        SMALL,
    ),
)

ACCURACY = Measure(
    name="accuracy",
    title="Accuracy",
    question="How often does a judge agree with the reference, on rubrics and on comparisons?",
    formula="MRA: verdicts equal to the reference / verdicts; MIPA: the same of comparisons' outcomes",
    paper="rubric-self-preference, equations 5 and 6",
    left_out="verdicts without a reference; comparisons in which a response has no score",
    function=accuracy_table,
    has_chart=True,
    keys=("judge",),
    headline="mra",
    fields=(
        JUDGE,
        FAMILY,
        share("mra", "share of rubric verdicts equal to the reference"),
        count("mra_correct", "verdicts equal to the reference"),
        count("mra_total", "verdicts with a reference"),
        share(
            "mipa",
            "share of unordered pairs of responses ordered as the reference orders them, ties included",
        ),
        count("mipa_correct", "pairs ordered so"),
        count("mipa_total", "pairs with an outcome by judge and reference"),
    ),
)

DELTA = Measure(
    name="delta",
    title="Centered score delta",
    question="By how many points does a judge lift its own score, beyond its general leniency?",
    formula="delta(J, G) = 100 (raw(J, G) - mean over G of raw(J, G)), raw = Score_J(G) - Score*(G)",
    paper="rubric-self-preference, Figure 5",
    left_out="responses without a score by judge or reference",
    function=delta_table,
    has_chart=True,
    keys=("judge", "generator"),
    headline="delta",
    level="instance",
    paradigms=SCORED,
    fields=(
        JUDGE,
        key("generator", "the model whose score it is"),
        Field("delta", "points", "the centered difference, in points of 100", interval=True),
        share("raw_delta", "judge's score minus the reference's, not centered"),
        count("n", "instances with both scores"),
        Field(
            "bonus",
            "points",
            "the judge's own delta minus the mean over generators outside its family",
            True,
            0.0,
        ),
        Field("family_bonus", "points", "the same for its family", True, 0.0),
        share("leniency", "mean raw difference over generators"),
        Field(
            "rank_shift",
            "number",
            "rank of the judge by its own scores minus by the reference; negative lifts",
            interval=True,
        ),
        share(
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
    left_out="rubrics with verdicts of fewer than two judges have no agreement",
    function=agreement_curve_table,
    has_chart=True,
    keys=("threshold", "level"),
    headline="hspp_self_mean",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    fields=(
        Field("threshold", "share", "the least agreement kept"),
        key("level", "rubric or instance"),
        Field("hspp_self_mean", "ratio", "mean ratio over judges that have one", interval=True),
        count("judges", "judges with a defined ratio"),
        Field("rubrics_kept", "share", "share of rubrics kept"),
    ),
)

COMMITTEE = Measure(
    name="committee",
    title="Committee",
    question="Does a committee's majority prefer a member's responses less than the member does?",
    formula="HSPP-R and accuracy of each member, and of the members' majority in its place",
    paper="rubric-self-preference, Figure 3",
    left_out="rubrics (or pairs) on which the committee is divided or fewer than three members speak",
    function=committee_table,
    has_chart=True,
    keys=("judge", "level"),
    headline="hspp_self_committee",
    compared_as="ratio",
    options=_COMMITTEE,
    fields=(
        JUDGE,
        key("level", "rubric or instance"),
        Field("members", "list", "the committee"),
        ratio("hspp_self", "the member's own ratio"),
        ratio("hspp_self_committee", "the committee's ratio for that member"),
        ratio("hspp_family", "the member's ratio for its family"),
        ratio("hspp_family_committee", "the committee's ratio for the member's family"),
        share("mra", "the member's rubric accuracy"),
        share("mra_committee", "the committee's rubric accuracy"),
        share("mipa", "the member's pair accuracy"),
        share("mipa_committee", "the committee's pair accuracy"),
        ratio("ratio_outside", "the member's own ratio against judges outside its family, one by one"),
        ratio("ratio_outside_committee", "that ratio under the committee's verdicts in the member's place"),
        count("n_self", "unfavourable references of the member's own responses; lost comparisons likewise"),
        count("n_self_committee", "those of them on which the committee is not divided"),
        SMALL,
    ),
)

COMMITTEE_SIZE = Measure(
    name="committee-size",
    title="Committees by size",
    question="How many judges does a committee need before its preference for its members' responses fades?",
    formula="mean over all committees of k of the judges of their mean HSPP-R and accuracy for their members",
    paper="rubric-self-preference, Figure 3, by size",
    left_out="rubrics (or pairs) that divide a committee, or that fewer than three (of two: both) judged",
    function=committee_size_table,
    has_chart=True,
    keys=("size", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=(
        *_COMMITTEE,
        Option("sizes", "names", "the sizes taken; without it all, from one judge alone to all of them", ()),
        Option(
            "most_committees", "integer", "of a size with more committees as many are drawn by the seed", 5000
        ),
    ),
    fields=(
        count("size", "judges in a committee; 1: each judge alone"),
        key("level", "rubric or instance"),
        Field("members", "list", "the judges that committees are made of"),
        count("committees", "committees taken; all there are unless more than `most_committees`"),
        *_over_committees("hspp_self", "ratio", "ratio for its members"),
        *_over_committees("hspp_family", "ratio", "ratio for its members' family"),
        *_over_committees("mra", "share", "rubric accuracy"),
        *_over_committees("mipa", "share", "pair accuracy"),
        share(
            "divided",
            "mean share of judged rubrics (or pairs) on which a committee is divided",
            interval=False,
        ),
        count("n_self", "fewest failures of its own responses behind a member's ratio"),
        SMALL,
    ),
)

COMMITTEE_FAMILIES = Measure(
    name="committee-families",
    title="Committees without a family",
    question="Does a committee's preference rest on the members of one family?",
    formula="mean HSPP-R and accuracy for the other members, by all members and by those outside one family",
    paper="rubric-self-preference, Figure 3, leaving a family out",
    left_out="rubrics (or pairs) on which the committee is divided or fewer than three members speak",
    function=committee_families_table,
    has_chart=True,
    keys=("without", "level"),
    headline="hspp_self",
    compared_as="ratio",
    options=_COMMITTEE,
    fields=(
        key("without", "the family whose members are left out"),
        key("level", "rubric or instance"),
        Field("members", "list", "the members left"),
        Field("hspp_self", "ratio", "mean ratio for the members left, as they judge together", interval=True),
        Field(
            "hspp_self_whole", "ratio", "the same members' mean ratio, as all judge together", interval=True
        ),
        Field("hspp_family", "ratio", "mean ratio for its family of the members left", interval=True),
        Field("hspp_family_whole", "ratio", "the same, as all judge together", interval=True),
        Field(
            "hspp_self_outside",
            "ratio",
            "mean ratio for those left out, as the others judge them",
            interval=True,
        ),
        Field("hspp_self_outside_whole", "ratio", "the same, as all judge together", interval=True),
        share("mra", "rubric accuracy of the members left together"),
        share("mra_whole", "rubric accuracy of all together"),
        share("mipa", "pair accuracy of the members left together"),
        share("mipa_whole", "pair accuracy of all together"),
        count("n_self", "fewest failures of its own responses behind the ratio of a member left"),
        count("n_self_outside", "the same of those left out"),
        SMALL,
    ),
)

RUBRIC_ENTRIES = (
    HSPP,
    OVERESTIMATION,
    ACCURACY,
    DELTA,
    AGREEMENT_CURVE,
    COMMITTEE,
    COMMITTEE_SIZE,
    COMMITTEE_FAMILIES,
)
