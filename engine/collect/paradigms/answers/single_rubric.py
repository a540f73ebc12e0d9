"""Reads one verdict on one criterion: `{"criteria_met": true}`.

A form that answers of every paradigm may have, such as tags, is added in `parts.answer_forms`.
"""

import re
from collections.abc import Mapping

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import (
    MARKUP,
    UnclearAnswerError,
    agreed,
    objects_with,
)
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation


def read_verdict(request: CallRequest, reply: Reply) -> list[Values]:
    row, text = blank_rows(request)[0], reply.text
    if not (passages := objects_with(reply, "criteria_met")):
        return [row]
    answer = agreed(text, passages)
    row = verdict_row(row, answer.value)
    if row["met"] is not None and _denies(text[: answer.start], text[answer.end :], row["met"]):
        raise UnclearAnswerError
    return [row]


def verdict_row(blank: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return blank
    met = _truth(result.get("criteriamet"))
    reason = explanation(result.get("explanation"))
    return blank | {"status": "unparsed" if met is None else "ok", "met": met, "explanation": reason}


def _truth(value: object) -> bool | None:
    """Return a JSON boolean, or one written as text; None for anything else."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip(MARKUP + ".").casefold())
    return value if isinstance(value, bool) else None


_CRITERION = r"(?:criterion|criteria|requirement)"
_MET_STATED = re.compile(
    rf"\b{_CRITERION}\s+(?:is|are|was|were|has been)(?:n['’]t)?\s+(?:\w+\s+){{0,2}}?"
    r"(?:un)?(?:met|satisfied|fulfilled)\b"
    r"|(?:\b(?:not|fails? to)\s+|n['’]t\s+)?\b(?:meets?|satisf(?:y|ies)|fulfils?)\s+"
    rf"(?:the|this|that)\s+{_CRITERION}"
    r"|\bcriteria[_ ]?met\W{1,5}(?:(?:is|should be|must be)\W{1,3})?(?:true|false)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\bnot\b|n['’]t\b|\bno\b|\bnever\b|\bfail(?:s|ed)?\b|\black(?:s|ing)?\b|\bmiss(?:es|ing)\b|\bwithout\b|\bignor\w*",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\bfalse\b|\bnot\b|n['’]t\b|\bfails?\b|\bun|\bnever\b", re.IGNORECASE)


def _denies(before: str, after: str, met: bool) -> bool:
    """Return whether words beside a verdict state the opposite, or find fault after a favourable one."""
    if met and _FAULT.search(after):
        return True
    plain = f"{before}\n{after}".replace("*", "")
    return any((_DENIAL.search(match[0]) is None) != met for match in _MET_STATED.finditer(plain))
