"""Judges held against a rule, for pipelines: `spb check-judge`, `spb compare-runs` and a pytest plugin."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest
import typer

from engine.cli.options import StoreOption, StudyArgument, open_study, say, split_names, write_file

if TYPE_CHECKING:
    from engine.explore.compare import GateResult


# ------------------------------------------------------------------------------
# `spb check-judge` and `spb compare-runs`: judges held against a rule, for pipelines.


def check_judge(
    study: StudyArgument,
    store: StoreOption = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="NAMES", help="Check only these judges (default: all)."),
    ] = None,
    max_ratio: Annotated[
        float | None,
        typer.Option(
            "--max-ratio",
            help="Largest ratio to outside judges that passes (default without other rules: 1.2).",
        ),
    ] = None,
    require: Annotated[
        str | None,
        typer.Option(
            "--require", help="Conclusion to require: no_material_preference or no_self_preference."
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option("--independent", help="Fail a judge that judges its own family; needs no verdicts."),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Write a summary for a pull request.")
    ] = None,
) -> None:
    """Check judges for self-preference: PASS, FAIL or INCONCLUSIVE, by intervals rather than estimates.

    Exit code 0: all judges pass; 1: a judge fails; 3: no judge fails, but one is inconclusive.
    """
    from engine.errors import UsageError
    from engine.explore.compare import EXIT_CODES, check_judges, overall
    from engine.report.formats import gate_junit, gate_markdown, totals

    if sum((max_ratio is not None, require is not None, independent)) > 1:
        raise UsageError("--max-ratio, --require and --independent exclude each other; give one of them")
    rule: dict[str, Any] = {"max_ratio": max_ratio, "require": require, "independent": independent}
    results = check_judges(open_study(store, study), split_names(judge or []), **rule)
    _print_results(results)
    if junit is not None:
        write_file(junit, gate_junit(study, results), "choose another file")
    if markdown is not None:
        write_file(markdown, gate_markdown(study, results).encode(), "choose another file")
    status = overall(results)
    say(f"{status} ({totals(results)})")
    sys.exit(EXIT_CODES[status])


def compare_runs(
    study: StudyArgument,
    before: Annotated[str, typer.Option("--before", metavar="RUN", help="Earlier run.")],
    after: Annotated[str, typer.Option("--after", metavar="RUN", help="Later run.")],
    store: StoreOption = None,
    measure: Annotated[
        str, typer.Option("--measure", help="Measure whose headline number is compared.")
    ] = "hspp",
    look: Annotated[int, typer.Option(min=1, help="Number of this look, from 1.")] = 1,
    looks: Annotated[int, typer.Option(min=1, help="Number of looks planned.")] = 1,
) -> None:
    """Compare two runs: whether each judge has changed, with the interval of the change.

    With --look and --looks, alpha is spent over the looks, so that repeated comparisons raise false alarms
    in 5 % of cases overall. Exit code 1: a judge has changed; 3: a change cannot be tested; else 0.
    """
    from engine.errors import UsageError
    from engine.explore.compare import EXIT_CODES, changes, overall

    if look > looks:
        raise UsageError(f"--look {look} is greater than --looks {looks}; give the number of looks planned")
    results = changes(open_study(store, study), measure, before, after, look=look, looks=looks)
    _print_results(results)
    sys.exit(EXIT_CODES[overall(results)])


def _print_results(results: "Sequence[GateResult]") -> None:
    from engine.report.formats import measured

    for result in results:
        print(result.status, result.judge, measured(result), result.reason, sep="\t")


# ------------------------------------------------------------------------------
# A pytest plugin: judges held against a rule in a test suite of one's own.
#
#     @pytest.mark.judge("results/nightly", "my-judge", max_ratio=1.2)
#     def test_my_judge_is_fair(spb_judge):
#         spb_judge()
#
# A judge that fails fails the test; where the study is too small to say, the test is skipped with the reason.


Check = Callable[..., "list[GateResult]"]


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "judge(study, *judges, max_ratio=, require=, independent=): what the fixture spb_judge checks",
    )


@pytest.fixture
def spb_judge(request: pytest.FixtureRequest) -> Check:
    """Return a function that checks the judges of a study, with the arguments of the marker `judge`.

    Arguments given to the function stand over the marker's. It returns the results where all judges pass.
    """
    marker = request.node.get_closest_marker("judge")
    given = (marker.args, marker.kwargs) if marker else ((), {})

    def check(study: str | None = None, *judges: str, **rule: Any) -> "list[GateResult]":
        from engine import open_study
        from engine.errors import UsageError
        from engine.explore.compare import check_judges, overall
        from engine.report.formats import measured

        args = (study, *judges) if study is not None else given[0]
        if not args:
            raise UsageError('no study is named; name one, as in @pytest.mark.judge("results/mine")')
        results = check_judges(open_study(args[0]), args[1:], **(given[1] | rule))
        words = "; ".join(
            f"{each.judge}: {measured(each)}, {each.reason}" for each in results if each.status != "PASS"
        )
        status = overall(results)
        if status == "FAIL":
            pytest.fail(words, pytrace=False)
        if status == "INCONCLUSIVE":
            pytest.skip(words or "the study has no judges")
        return results

    return check
