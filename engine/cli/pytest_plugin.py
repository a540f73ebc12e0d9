"""A pytest plugin that checks judges against a rule in your own test suite.

    @pytest.mark.judge("results/nightly", "my-judge", max_excess=10)
    def test_my_judge_is_fair(spb_judge):
        spb_judge()

A judge that fails the rule fails the test; if the study is too small to decide, the test is skipped. All
markers of a test hold, those of its class and module too. A rule that applies to no judge fails the test, and
so does a test that never calls `spb_judge`.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import SpbError, UsageError, unknown
from engine.wording import in_python

if TYPE_CHECKING:
    from engine.explore.gate import GateResult
    from engine.study import Study

Check = Callable[..., "list[GateResult]"]
RULES = ("max_excess", "max_ratio", "require", "independent", "group", "seed")
_STUDY_AND_JUDGE = ("study", "judge", "judges")
_EXAMPLE = '@pytest.mark.judge("results/mine")'
_IS_CALLED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "judge(study, *judges, max_excess=, max_ratio=, require=, independent=, group=, seed=): what the "
        "fixture spb_judge checks. study is a study's name, its folder, or a Study, such as one of "
        "engine.from_frame; it and judge=, or judges=, may be given by name. Without judges all are checked. "
        "Several markers all hold.",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passes and has never called the `spb_judge` that it takes."""
    result = yield
    if not item.stash.get(_IS_CALLED, True):
        pytest.fail("spb_judge is never called, so no judge is checked; call spb_judge()", pytrace=False)
    return result


@pytest.fixture
def spb_judge(request: pytest.FixtureRequest) -> Check:
    """Return a function that checks the judges of a study, with the arguments of each marker `judge`.

    Arguments of the function override the markers'. It returns the results if all judges pass. A study, judge
    or rule that does not exist fails the test.
    """
    item = request.node
    item.stash[_IS_CALLED] = False

    def check(*subject: "str | Study", **options: Any) -> "list[GateResult]":
        from engine.explore.gate import overall

        item.stash[_IS_CALLED] = True
        markers = [(each.args, each.kwargs) for each in item.iter_markers("judge")] or [((), {})]
        try:
            checks = [_with(args, kwargs, subject, options) for args, kwargs in markers]
            results = [(each, rule) for of_what, rule in checks for each in _results(*of_what, rule)]
        except SpbError as error:
            raise pytest.fail.Exception(error.message.in_python(), pytrace=False) from None
        status = overall([each for each, _ in results])
        words = "; ".join(_words(each, rule) for each, rule in results if each.status != "PASS")
        if status == "FAIL":
            pytest.fail(words, pytrace=False)
        if status == "INCONCLUSIVE":
            pytest.skip(words or "the study has no judges")
        return [each for each, _ in results]

    return check


def _with(
    args: Sequence[Any], kwargs: Mapping[str, Any], subject: Sequence[Any], options: Mapping[str, Any]
) -> tuple[tuple[Any, Sequence[Any]], dict[str, Any]]:
    """Return the study, its judges and the rule of a marker, in which a call's arguments count first."""
    of_call = _subject(subject, options)
    of_what = of_call if "study" in of_call else _subject(args, kwargs) | of_call
    if "study" not in of_what:
        raise UsageError(f"no study is named; name one, as in {_EXAMPLE}")
    rule = {name: value for name, value in {**kwargs, **options}.items() if name not in _STUDY_AND_JUDGE}
    for name in rule:
        if name not in RULES:
            raise unknown("rule", name, (*RULES, *_STUDY_AND_JUDGE))
    return (of_what["study"], of_what.get("judges", ())), rule


def _subject(args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the study and the judges that are given by place or by name, as far as they are."""
    given: dict[str, Any] = {}
    if args:
        given["study"] = args[0]
    if args[1:]:
        given["judges"] = args[1:]
    for name in _STUDY_AND_JUDGE:
        if name not in options:
            continue
        key, value = "study" if name == "study" else "judges", options[name]
        if key in given:
            raise UsageError(f"{name}={value!r} is given beside {given[key]!r}; give one of them")
        given[key] = (value,) if key == "judges" and isinstance(value, str) else value
    return given


def _results(study: "str | Study", judges: Sequence[str], rule: Mapping[str, Any]) -> "list[GateResult]":
    from engine import open_study
    from engine.explore.gate import check_judges
    from engine.study import Study

    files = study if isinstance(study, Study) else open_study(study)
    return check_judges(files, tuple(judges), **rule)


def _words(result: "GateResult", rule: Mapping[str, Any]) -> str:
    """Return a judge's number, the rule with its bound, and why the judge does not pass it."""
    from engine.explore.gate import MAX_EXCESS
    from engine.report.gate_results import estimate_text

    given = {name: value for name, value in rule.items() if name not in ("group", "seed")}
    written = ", ".join(f"{name}={value!r}" for name, value in (given or {"max_excess": MAX_EXCESS}).items())
    return (
        f"{result.judge}: {estimate_text(result)}; the rule is {written}: {in_python(result.rule)}; "
        f"{in_python(result.reason)}"
    )
