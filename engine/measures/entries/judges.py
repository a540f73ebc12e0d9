"""The measure that chooses among judges, by what the other measures know of each."""

from engine.measures.entry import OF_JUDGE as JUDGE_AND_FAMILY
from engine.measures.entry import Field, Measure, Option, key, number
from engine.measures.which_judge import which_judge_table

WHICH_JUDGE = Measure(
    name="which-judge",
    title="Which judge to use",
    question="Which judge is fit for what?",
    formula=(
        "fit for use on others' answers: the whole interval of accuracy is at or above `enough`; never on "
        "its own: it overrates or favours itself; add a second judge: an excess of `bound` is possible"
    ),
    paper="none; defined by this project",
    left_out="nothing; a number that the study does not allow is empty",
    function=which_judge_table,
    headline="accuracy",
    sliced=False,
    options=(
        Option("enough", "number", "the accuracy required for use on others' answers", 0.8),
        Option("bound", "number", "the excess on its own answers, of 1, that must be ruled out", 0.1),
    ),
    fields=(
        *JUDGE_AND_FAMILY,
        Field(
            "accuracy",
            "share",
            "share of its verdicts (or comparisons) that equal the reference",
            interval=True,
        ),
        key("accuracy_of", "what accuracy counts: rubric verdicts, or comparisons of responses"),
        Field(
            "agreement",
            "number",
            "kappa with people's majority, or correlation with their scores",
            interval=True,
        ),
        key("agreement_of", "what people gave: verdicts, outcomes or scores"),
        Field("excess", "difference", "of 1, what it gives its own above what is expected", interval=True),
        Field("excess_family", "difference", "the same for its family's other models", interval=True),
        key("conclusion", "that of the scorecard"),
        Field("flip_rate", "share", "share of pairs whose winner changes with the order", interval=True),
        Field(
            "missing",
            "share",
            "share of its judgments without a verdict; the interval is naive",
            interval=True,
        ),
        number("cost_per_1000", "US dollars for 1,000 verdicts, where recorded"),
        key("advice", "what to use it for, from the intervals"),
    ),
)

JUDGE_ENTRIES = (WHICH_JUDGE,)
