"""The steps of a run: quality is judged before pairs are drawn by it, and such pairs are not counted."""

from typing import Any

import pytest
from collect.plan.small import config

from engine.collect.plan.stages import draws_from_itself, steps_of


def settings(paradigms: list[str], **fields: Any) -> Any:
    return config(paradigms=paradigms).model_copy(update=fields)


@pytest.mark.parametrize(
    ("paradigms", "pairs", "judging"),
    [
        (["quality", "pairwise"], "equal", [["quality"], ["quality", "pairwise"]]),
        (
            ["pairwise", "quality", "familiarity"],
            "null",
            [["quality"], ["pairwise", "quality", "familiarity"]],
        ),
        (["quality", "pairwise"], "all", [["quality", "pairwise"]]),
        (["pairwise"], "equal", [["pairwise"]]),
        (["quality"], "equal", [["quality"]]),
    ],
)
def test_quality_is_judged_first_where_pairs_are_drawn_by_it(
    paradigms: list[str], pairs: str, judging: list[list[str]]
) -> None:
    steps = list(steps_of(settings(paradigms, pairs=pairs)))

    assert [stage for stage, _ in steps] == ["responses", "rewrites", *["judgments"] * len(judging)]
    assert [step.paradigms for stage, step in steps if stage == "judgments"] == judging


@pytest.mark.parametrize(
    ("stage", "paradigms", "fields", "draws"),
    [
        ("judgments", ["quality", "pairwise"], {"pairs": "equal"}, True),
        ("responses", ["quality", "pairwise"], {"pairs": "equal"}, False),
        ("judgments", ["quality"], {"pairs": "equal"}, False),
        ("judgments", ["pairwise"], {"pairs": "proxy", "checker": "exact"}, True),
        ("judgments", ["pairwise"], {"pairs": "proxy"}, False),
        ("judgments", ["pairwise"], {"pairs": "all", "checker": "exact"}, False),
        ("judgments", ["single_rubric"], {"pairs": "proxy", "checker": "exact"}, False),
    ],
)
def test_pairs_are_drawn_by_the_run_itself_through_quality_or_a_checker(
    stage: Any, paradigms: list[str], fields: dict[str, Any], draws: bool
) -> None:
    assert draws_from_itself(stage, settings(paradigms, **fields)) is draws
