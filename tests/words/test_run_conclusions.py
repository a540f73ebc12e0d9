"""Which conclusions of runs taken together one run alone does not give."""

from types import SimpleNamespace
from typing import Any

from engine.conclusions import FAVOURS, NOT_SHOWN, OVERRATES, TOO_FEW, group_code
from engine.words.run_conclusions import MOST_RUNS, conclusions_of_runs

NONE = group_code(NOT_SHOWN)
GROUP = group_code(OVERRATES)


def rows(group: str, **conclusions: str) -> list[dict[str, Any]]:
    return [{"judge": name, "conclusion": code} for name, code in {None: group, **conclusions}.items()]


def words_on(together: list[dict[str, Any]], **alone: list[dict[str, Any]]) -> str:
    measure = SimpleNamespace(options=(), name="scorecard")
    study = SimpleNamespace(
        result=lambda _, **given: SimpleNamespace(rows=alone[given["run"]]),
        remember=lambda _, compute: compute(),
    )
    return conclusions_of_runs(study, SimpleNamespace(rows=together, measure=measure, filters={}), [*alone])  # type: ignore[arg-type]


def test_what_differs_is_said_of_each_run() -> None:
    together = rows(NONE, a=FAVOURS, b=NOT_SHOWN, c=TOO_FEW)

    text = words_on(
        together,
        mon=rows(GROUP, a=OVERRATES, b=NOT_SHOWN, c=NOT_SHOWN),
        tue=rows(NONE, a=FAVOURS, b=TOO_FEW, c=OVERRATES),
    )

    assert text == (
        "Conclusions differ: in run mon alone, the judges as a group overrate their own answers and a "
        "overrates its own answers; in run tue alone, c overrates its own answers."
    )


def test_runs_that_say_the_same_are_named_together_and_a_claim_may_be_lost() -> None:
    alone = rows(NONE, a=NOT_SHOWN)

    assert words_on(rows(NONE, a=FAVOURS), mon=alone, tue=alone) == (
        "Conclusions differ: in run mon and run tue alone, no difference is shown for a."
    )
    assert words_on(rows(NONE, a=FAVOURS), mon=rows(NONE, a=FAVOURS), tue=alone) == (
        "Conclusions differ: in run mon alone, they are the same; in run tue alone, no difference is shown "
        "for a."
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
