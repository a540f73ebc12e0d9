"""A pytest plugin that checks judges against a rule in your own test suite.

    @pytest.mark.judge("results/nightly", "my-judge", max_excess=10)
    def test_my_judge_is_fair(spb_judge):
        spb_judge()

A judge that fails the rule fails the test; if the study is too small to decide, the test is skipped.
A rule that applies to no judge fails it too.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import SpbError, UsageError, unknown
from engine.wording import in_python

if TYPE_CHECKING:
    from engine.explore.gate import GateResult

Check = Callable[..., "list[GateResult]"]
RULES = ("max_excess", "max_ratio", "require", "independent", "group", "seed")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "judge(study, *judges, max_excess=, max_ratio=, require=, independent=, group=): what the fixture "
        "spb_judge checks",
    )


@pytest.fixture
def spb_judge(request: pytest.FixtureRequest) -> Check:
    """Return a function that checks the judges of a study, with the arguments of the marker `judge`.

    Arguments of the function override the marker's. It returns the results if all judges pass. A study, judge
    or rule that does not exist fails the test.
    """
    marker = request.node.get_closest_marker("judge")
    args, kwargs = (marker.args, marker.kwargs) if marker else ((), {})

    def check(study: str | None = None, *judges: str, **rule: Any) -> "list[GateResult]":
        from engine import open_study
        from engine.explore.gate import check_judges, overall
        from engine.report.gate_results import estimate_text

        arguments, rule = (study, *judges) if study is not None else args, kwargs | rule
        try:
            if not arguments:
                raise UsageError('no study is named; name one, as in @pytest.mark.judge("results/mine")')
            for name in rule:
                if name not in RULES:
                    raise unknown("rule", name, RULES)
            results = check_judges(open_study(arguments[0]), arguments[1:], **rule)
        except SpbError as error:
            raise pytest.fail.Exception(error.message.in_python(), pytrace=False) from None
        doubtful = [each for each in results if each.status != "PASS"]
        words = "; ".join(
            f"{each.judge}: {estimate_text(each)}, {in_python(each.reason)}" for each in doubtful
        )
        status = overall(results)
        if status == "FAIL":
            pytest.fail(words, pytrace=False)
        if status == "INCONCLUSIVE":
            pytest.skip(words or "the study has no judges")
        return results

    return check
