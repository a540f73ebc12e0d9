"""What the gate says, for pipelines: Markdown for a pull request, JUnit XML for a test report."""

from collections import Counter
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from engine.explore.gate import GateResult, overall
from engine.report.markdown import escape_markdown
from engine.words import counted, in_sentence

_MARKS = {"PASS": "✅", "FAIL": "❌", "INCONCLUSIVE": "❔"}


def measured(result: GateResult) -> str:
    """Return the number that decided with its interval, a dash where there is none."""
    if result.estimate is None:
        return "–"
    return in_sentence(result.estimate, result.low, result.high)


def totals(results: Sequence[GateResult]) -> str:
    """Return how many judges came out how: `9 judges: 4 FAIL, 5 INCONCLUSIVE`."""
    if not results:
        return "no judge was found"
    by_status = Counter[str](result.status for result in results)
    shares = [f"{by_status[status]} {status}" for status in _MARKS if by_status[status]]
    return f"{counted(len(results), 'judge')}: {', '.join(shares)}"


def gate_markdown(study: str, results: Sequence[GateResult]) -> str:
    """Return a summary that fits a pull request: one line on the whole, one row for each judge."""
    status = overall(results)
    lines = [
        f"### {_MARKS[status]} Self-preference of judges in {escape_markdown(study)}: {status}",
        "",
        f"{totals(results)}.",
        "",
        "| Judge | Result | Measured | Why |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {_cell(result.judge)} | {_MARKS[result.status]} {result.status} | {measured(result)} "
        f"| {_cell(result.reason)} |"
        for result in results
    ]
    rules = " ".join(dict.fromkeys(result.rule for result in results)) or "no judge was found"
    return "\n".join([*lines, "", f"Rule: {escape_markdown(rules)}. Intervals are 95 %.", ""])


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
        words = _clean(f"{result.rule}: {measured(result)}; {result.reason}")
        if result.status == "FAIL":
            SubElement(case, "failure", {"message": words})
        elif result.status == "INCONCLUSIVE":
            SubElement(case, "skipped", {"message": words})
    body: bytes = tostring(suite, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body


def _cell(text: str) -> str:
    return escape_markdown(text).replace("|", "\\|").replace("\n", " ")


def _clean(text: str) -> str:
    """Leave out what XML cannot hold."""
    return "".join(letter for letter in text if letter.isprintable())
