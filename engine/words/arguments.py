"""What arguments in Python mean that are no filters nor options of measures, and the values of filters."""

ARGUMENTS: dict[str, tuple[str, str]] = {
    "against": ("measures", "a slice, or its filters, to compare with"),
    "by": ("measures", "a column to group by, or two, as a list"),
    "common": ("measures", "whether only answers count that are counted in all slices and judges compared"),
    "date": ("audit, card and report", "the date that is printed, as YYYY-MM-DD; by default today's"),
    "force": ("card and report", "whether a file that exists is overwritten"),
    "format": ("import_file", "the format of the file; else it is recognized"),
    "full": ("frames", "whether all columns are returned, not only those that are read first"),
    "group": ("gate", "whether the judges are checked together, as one"),
    "guess": ("from_frame and import_file", "whether a column is guessed that is not named"),
    "independent": ("gate", "whether a judge fails that judges its own family, whatever its verdicts"),
    "interval": ("measures", "how intervals are made: `percentile`, or `expanded`, wider if cases are few"),
    "leave_out": ("import_file", "metrics, scores or scorers of another tool that are not read"),
    "max_excess": (
        "gate",
        "own cases of 100 that may be passed beyond those expected (default rule: 10)",
    ),
    "max_ratio": ("gate", "the largest odds on own cases that pass; not for scores or pairs"),
    "mode": (
        "save and import_file",
        "`new`, which refuses the name of a study that exists, `append`, which adds to it, or `replace`",
    ),
    "power": ("power", "how often, of 1, the difference is to be found"),
    "require": ("gate", "the conclusion that passes: `no_material_preference` or `not_shown`"),
    "resamples": ("measures", "how many resamples of questions make the intervals; 0 for no intervals"),
    "seed": ("measures", "the seed of what is drawn, such as the resamples"),
    "set": (
        "from_frame and import_file",
        'columns with one value for all rows, such as `set={"reference_source": "program"}`',
    ),
    "slice": ("measures", "an `engine.Slice`, or the name of a saved one; other filters are added"),
    "whole_ids": ("import_file", "whether a question's id 1.0 is read as 1"),
}
"""Each argument: the functions that take it, and its meaning."""

VALUES: dict[str, dict[str, str]] = {
    "scores": {
        "fraction": "the share of an answer's criteria that the judge passes",
        "weighted": (
            "the points of the criteria met, by the sum of those above 0, at least 0 and at most 1 for each "
            "answer"
        ),
        "weighted_mean_clipped": "as weighted, but only a model's mean is kept between 0 and 1",
        "uniform": (
            "the criteria met with points above 0, less those met with points below 0, by the number of the "
            "first; at least 0 and at most 1"
        ),
    },
    "level": {
        "rubric": "single criteria are counted",
        "instance": "comparisons of two answers to a question are counted",
    },
    "polarity": {
        "positive": "criteria that are good to meet: their points are not below 0",
        "negative": "criteria that are good not to meet: their points are below 0",
    },
    "length_unit": {
        "characters": "the length of a criterion in characters",
        "words": "the length of a criterion in words",
    },
    "agreement_of": {
        "rubric": "how far judges agree on a criterion, over all answers",
        "verdict": "how far judges agree on a criterion of one answer",
    },
    "repeats": {
        "majority": "of repeats of a judgment the majority counts; of scores their mean",
        "first": "of repeats of a judgment the first counts",
    },
}
"""The values of filters, by the filter, where no column is called so."""
