"""The gate's results for pipelines: Markdown for a pull request, JUnit XML for a test report."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from xml.etree.ElementTree import Element, SubElement, tostring

from engine.explore.gate import TOGETHER, GateResult, overall
from engine.phrases import quantity
from engine.report.escape import escape_markdown, markdown_table

_MARKS = {"PASS": "✅", "FAIL": "❌", "INCONCLUSIVE": "❔"}


def estimate_text(result: GateResult, null: float | None = None, *, of_shares: bool = False) -> str:
    """Return the deciding number with its interval, a dash if there is none; a change `of_shares` in points.

    Enough digits are written that no end of the interval looks like the bound, or like `null`, the value of
    no change, which it is not.
    """
    if result.estimate is None:
        return "–"
    factor = 100 if of_shares or result.kind == "excess" else 1
    numbers = [number for number in (result.estimate, result.low, result.high) if number is not None]
    digits = 1 if factor == 100 else 2
    if result.bound is not None:
        digits = _digits_apart([factor * number for number in numbers], factor * result.bound, digits)
    if null is not None:
        digits = _digits_apart([factor * number for number in numbers[1:]], factor * null, digits)
    value, *ends = (f"{factor * number:z.{digits}f}" for number in numbers)
    interval = f"95% CI {ends[0]} to {ends[1]}" if len(ends) == 2 else "no confidence interval"
    thing = "own answer" if result.of_points else "own case"
    cases = f", {quantity(result.n_own, thing)}" if result.n_own else ""
    if result.n_matched:
        cases = f", {quantity(result.n_matched, 'pair')} of failures"
    if result.kind != "excess":
        return f"{value}{' points' if of_shares else ''} ({interval}){cases}"
    beside = cases
    if result.own_given is not None and result.own_expected is not None:
        given, expected = 100 * result.own_given, 100 * result.own_expected
        beside = f", {given:.1f} given and {expected:.1f} expected{cases}"
        if result.n_matched:
            beside = f", {given:.1f} of its own failures and {expected:.1f} of others' passed{cases}"
    return f"{value} {'points of' if result.of_points else 'of'} 100 ({interval}){beside}"


_MOST_DIGITS = 9
_SAME = 0.5 * 10.0**-_MOST_DIGITS
"""Numbers nearer than this to a bound are it, but for how computers add."""


def _digits_apart(numbers: Sequence[float], bound: float, least: int) -> int:
    """Return how many decimals tell the numbers from a bound that they are not."""
    apart = [number for number in numbers if isfinite(number) and abs(number - bound) > _SAME]
    return next(
        (
            digits
            for digits in range(least, _MOST_DIGITS)
            if all(float(f"{number:.{digits}f}") != bound for number in apart)
        ),
        _MOST_DIGITS,
    )


def totals(results: Sequence[GateResult]) -> str:
    """Return the number of judges by result: `9 judges: 4 FAIL, 5 INCONCLUSIVE`."""
    if not results:
        return "no judge was found"
    by_status = Counter[str](result.status for result in results)
    shares = [f"{by_status[status]} {status}" for status in _MARKS if by_status[status]]
    judges = [result for result in results if result.judge != TOGETHER]
    subjects = [TOGETHER] if len(judges) < len(results) else []
    subjects += [quantity(len(judges), "judge")] if judges else []
    return f"{' and '.join(subjects)}: {', '.join(shares)}"


def gate_markdown(study: str, results: Sequence[GateResult], remarks: Sequence[str] = ()) -> str:
    """Return a summary for a pull request: the overall result, a row for each judge, the rule, `remarks`."""
    status = overall(results)
    lines = [
        f"### {_MARKS[status]} Self-preference of judges in {escape_markdown(study)}: {status}",
        "",
        f"{totals(results)}.",
        "",
        markdown_table(("Judge", "Result", "Measured", "Why"), map(_cells, results)),
    ]
    rules = " ".join(dict.fromkeys(result.rule for result in results)) or "no judge was found"
    last = (f"Rule: {escape_markdown(rules)}. Intervals are 95%.", *map(escape_markdown, remarks))
    return "\n".join([*lines, "", *(f"{line}\n" for line in last)])


def gate_junit(study: str, results: Sequence[GateResult]) -> bytes:
    """Return the results as JUnit XML: a test case for each judge, an inconclusive one as skipped."""
    counts = {
        "failures": sum(result.status == "FAIL" for result in results),
        "skipped": sum(result.status == "INCONCLUSIVE" for result in results),
    }
    numbers = {"tests": str(len(results))} | {name: str(count) for name, count in counts.items()}
    suite = Element("testsuite", {"name": _clean(f"self-preference of judges in {study}"), **numbers})
    for result in results:
        case = SubElement(suite, "testcase", {"classname": "spb.check-judge", "name": _clean(result.judge)})
        words = _clean(f"{result.rule}: {estimate_text(result)}; {result.reason}")
        if result.status == "FAIL":
            SubElement(case, "failure", {"message": words})
        elif result.status == "INCONCLUSIVE":
            SubElement(case, "skipped", {"message": words})
    body: bytes = tostring(suite, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body


def _cells(result: GateResult) -> tuple[str, ...]:
    return result.judge, f"{_MARKS[result.status]} {result.status}", estimate_text(result), result.reason


def _clean(text: str) -> str:
    """Drop characters that are not printable, which XML may not allow."""
    return "".join(letter for letter in text if letter.isprintable())
