"""Options and fields that the measures of pairs of equal quality share."""

from engine.measures import entry
from engine.measures.entry import EPSILON, OF_TEN, QUALITY, Option

EQP = "equal-quality-pairs"

EQUAL_OPTIONS = (
    EPSILON,
    entry.choice(
        "third_party", "whether models of the judge's family count as third parties", "all", "out_of_family"
    ),
    entry.choice("null_pairs", "null pairs to use: ten drawn per question, or all", "drawn", "all"),
    Option("two_stage", "switch", "also resample the pairs within each resampled question", False),
)
QUALITY_OR_PEOPLE = (
    entry.choice(
        "quality",
        "what decides which answers are equal: judges' scores, the reference's scores or people's labels",
        "judges",
        "reference",
        "human",
    ),
    *(option for option in QUALITY if option.name != "quality"),
)
CONTRAST_OPTIONS = (
    Option(
        "gap",
        "number",
        f"smallest quality difference between a better and a worse answer; {OF_TEN}",
        2.0,
    ),
    Option("contrast_pairs", "integer", "pairs drawn per judge", 100),
)
BINOMIAL_OPTION = entry.choice(
    "binomial",
    "what the binomial test compares with: the near end of Null-PIR's interval, or Null-PIR itself",
    "near_end",
    "known",
)
MEAN_QUALITY = entry.estimate("mean_quality", "mean quality of the judge's own answers, of 0 to 10")
D_FIELD = entry.share(
    "d", "share of clearly different pairs in which it picks the better answer", title="D, discriminability"
)
OF_ALL_FIELDS = (
    entry.portion("d_all", "the same share of all pairs far apart, without a draw", title="D of all pairs"),
    entry.count("n_apart", "answers to all pairs far apart, of which those behind D are drawn"),
)
SPB_FIELD = entry.difference("spb", "PIR - Null-PIR; above 0 the judge prefers its own answers", title="SPB")
