"""Which conclusions of runs taken together one run alone does not give."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.conclusions import FAVOURS, NOT_SHOWN, OVERRATES, TOO_FEW, family_code, group_code
from engine.words.run_conclusions import MOST_RUNS, conclusions_of_runs, farthest_from

NONE = group_code(NOT_SHOWN)
GROUP = group_code(OVERRATES)


def rows(group: str, **conclusions: str) -> list[dict[str, Any]]:
    return [{"judge": name, "conclusion": code} for name, code in {None: group, **conclusions}.items()]


def study_of(**alone: list[dict[str, Any]]) -> Any:
    """A study that knows the scorecard of each run alone."""
    return SimpleNamespace(
        result=lambda _, **given: SimpleNamespace(rows=alone[given["run"]]),
        remember=lambda _, compute: compute(),
    )


def scorecard(rows: list[dict[str, Any]], *judges: str) -> Any:
    measure = SimpleNamespace(options=(), name="scorecard")
    return SimpleNamespace(rows=rows, measure=measure, filters={"judges": judges})


def words_on(together: list[dict[str, Any]], *judges: str, **alone: list[dict[str, Any]]) -> str:
    return conclusions_of_runs(study_of(**alone), scorecard(together, *judges), [*alone])


def test_what_differs_is_said_of_each_run() -> None:
    together = rows(NONE, a=FAVOURS, b=NOT_SHOWN, c=TOO_FEW)

    text = words_on(
        together,
        mon=rows(GROUP, a=OVERRATES, b=NOT_SHOWN, c=NOT_SHOWN),
        tue=rows(NONE, a=FAVOURS, b=TOO_FEW, c=OVERRATES),
    )

    assert text == (
        "Conclusions differ: in run mon alone, the judges as a group overrate their own answers, a overrates "
        "its own answers and no difference is shown for c; in run tue alone, c overrates its own answers and "
        "there are too few cases for b."
    )


def test_what_is_concluded_of_a_family_is_compared_too() -> None:
    together, alone = rows(NONE, a=OVERRATES, b=TOO_FEW), rows(NONE, a=OVERRATES, b=NOT_SHOWN)
    together[1]["family_conclusion"] = family_code(FAVOURS)
    alone[1]["family_conclusion"] = family_code(OVERRATES)

    assert words_on(together, mon=alone, tue=together) == (
        "Conclusions differ: in run mon alone, a overrates its family's answers and no difference is shown "
        "for b; in run tue alone, they are as in all together."
    )


def test_a_run_that_allows_no_conclusion_is_not_called_like_all_together() -> None:
    together = rows(NONE, a=FAVOURS, b=NOT_SHOWN)
    without = [{"judge": "z", "conclusion": None}]

    assert words_on(together, mon=rows(NONE, a=OVERRATES, b=NOT_SHOWN), tue=together, wed=without) == (
        "Conclusions differ: in run mon alone, a overrates its own answers; in run tue alone, they are as in "
        "all together. Run wed alone allows no conclusion."
    )
    assert words_on(together, mon=together, tue=together, wed=[]) == (
        "In run mon and run tue alone, the same judges favour, overrate or underrate themselves. Run wed "
        "alone allows no conclusion."
    )


def test_runs_that_say_the_same_are_named_together_and_a_claim_may_be_lost() -> None:
    alone = rows(NONE, a=NOT_SHOWN)

    assert words_on(rows(NONE, a=FAVOURS), mon=alone, tue=alone) == (
        "Conclusions differ: in run mon and run tue alone, no difference is shown for a."
    )
    assert words_on(rows(NONE, a=FAVOURS), mon=rows(NONE, a=FAVOURS), tue=alone) == (
        "Conclusions differ: in run tue alone, no difference is shown for a; in run mon alone, they are as "
        "in all together."
    )


def test_of_one_judge_alone_no_others_are_spoken_of() -> None:
    def of_a(code: str) -> list[dict[str, Any]]:
        return [{"judge": "a", "conclusion": code}]

    assert words_on(of_a(OVERRATES), mon=of_a(OVERRATES), tue=rows(NONE, a=OVERRATES, b=FAVOURS)) == (
        "In each run alone, the conclusion on a is the same."
    )
    assert words_on(of_a(NOT_SHOWN), mon=of_a(TOO_FEW), tue=of_a(NOT_SHOWN)) == (
        "In each run alone, a is not shown to favour, overrate or underrate itself either."
    )


def test_where_some_judges_are_shown_nothing_is_said_of_the_others() -> None:
    a, both = rows(NONE, a=NOT_SHOWN), rows(NONE, a=NOT_SHOWN, b=TOO_FEW)
    claim = rows(NONE, a=FAVOURS, b=TOO_FEW)

    assert words_on(a, "a", mon=a, tue=a) == (
        "In each run alone, a is not shown to favour, overrate or underrate itself either."
    )
    assert words_on(both, "a", "b", mon=both, tue=both) == (
        "In each run alone, none of a and b is shown to favour, overrate or underrate itself either."
    )
    assert words_on(claim, "a", "b", mon=claim, tue=claim) == (
        "In each run alone, the conclusions on a and b are the same."
    )


def test_where_no_claim_differs_that_is_said_and_very_many_runs_are_not_looked_at() -> None:
    one = rows(NONE, a=NOT_SHOWN)

    assert words_on(one, mon=rows(NONE, a=TOO_FEW), tue=one) == (
        "In each run alone, no judge is shown to favour, overrate or underrate itself either."
    )
    claim = rows(NONE, a=FAVOURS)
    assert words_on(claim, mon=claim, tue=claim) == (
        "In each run alone, the same judges favour, overrate or underrate themselves."
    )
    assert words_on(one, **{f"r{number}": rows(GROUP) for number in range(MOST_RUNS + 1)}) == ""


@pytest.mark.parametrize(
    ("alone", "words"),
    [
        (0.5, "For b, 89 and 5 of 100 were given and expected on these, 75 and 50 in run tue alone."),
        (0.00, ""),  # 75 more than expected, and 84 on both
        (None, ""),
    ],
)
def test_of_the_judge_that_is_farthest_from_its_number_in_a_run_both_are_said(alone, words) -> None:
    together = rows(GROUP, a=NOT_SHOWN, b=FAVOURS)
    of_run = rows(GROUP, a=NOT_SHOWN, b=FAVOURS)
    together[2] |= {"own_given": 0.89, "own_expected": 0.05}
    of_run[2] |= {"own_given": 0.75, "own_expected": alone}

    assert farthest_from(study_of(tue=of_run), scorecard(together), "tue") == words
