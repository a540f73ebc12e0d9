"""What stands beside a model's name and is no part of it: `gpt-4o says`, `pass_gpt-4o`."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

VERDICT_WORDS = frozenset(
    (
        *("judge", "judged", "judges", "verdict", "verdicts", "score", "scores", "winner", "vote", "choice"),
        *("rating", "label", "judgment", "judgement", "decision", "preference", "grade", "eval", "by"),
        *("says", "said", "pass", "passed", "ok", "met", "result", "opinion", "assessment", "evaluation"),
        *("grader", "rater", "reviewer", "evaluator", "mark", "marks", "rated", "found", "ruling", "critic"),
    )
)
"""What the name of a judge's column may say beside the judge."""

_VARIANTS = frozenset(
    (
        *("mini", "nano", "micro", "tiny", "small", "medium", "large", "xl", "xxl", "big", "pro", "plus"),
        *("max", "ultra", "lite", "light", "flash", "turbo", "fast", "instruct", "chat", "base", "it", "hf"),
        *("thinking", "think", "reasoning", "preview", "exp", "experimental", "latest", "stable", "beta"),
        *("alpha", "free", "vision", "audio", "code", "coder", "haiku", "sonnet", "opus", "high", "low"),
        *("minimal", "none", "distill", "search", "online", "extended", "dev", "new", "next"),
        *("batch", "realtime", "tts", "omni", "air", "scout", "maverick", "guard", "prompt", "nitro"),
    )
)
"""Words after a model's name that make it another model's."""


def common_remark(columns: Sequence[str], models: Collection[str]) -> tuple[str, str] | None:
    """Return what stands before and after the name of one of `models` in each of several columns.

    None where it is not the same in all, or may be a part of the name. `models` are in small letters.
    """
    lower = [column.casefold() for column in columns]
    if len(lower) < 2:
        return None
    for model in sorted(models, key=len, reverse=True):
        before, sign, after = lower[0].partition(model)
        if not sign or not (before or after) or not (_is_remark(before) and _is_remark(after)):
            continue
        names = [each.removeprefix(before).removesuffix(after) for each in lower]
        if {*names} <= {*models}:
            return columns[0][: len(before)], columns[0][len(columns[0]) - len(after) :]
    return None


def models_before_remarks(names: Iterable[str], models: Iterable[str]) -> dict[str, str]:
    """Return those names that begin with one of some models before what is no part of a name, with the model.

    What follows several models alike is none, unless its words make another model: `v2` of each judge.
    """
    longest = sorted(models, key=len, reverse=True)
    beginnings: dict[str, str] = {}
    for name in names:
        hits = (each for each in longest if name.casefold().startswith(each.casefold()))
        if (model := next(hits, None)) is not None and not name[len(model) :][:1].isalnum():
            beginnings[name] = model
    rests = Counter(name[len(model) :] for name, model in beginnings.items())
    return {
        name: model
        for name, model in beginnings.items()
        if _is_remark(rest := name[len(model) :]) or (rests[rest] > 1 and _VARIANTS.isdisjoint(_words(rest)))
    }


def _is_remark(rest: str) -> bool:
    """Return whether what is beside a name is no part of it; by a hyphen it is words of verdicts alone."""
    words = _words(rest)
    if not rest:
        return True
    is_apart = words and not (rest[0].isalnum() and rest[-1].isalnum()) and not {*rest} & {*"/@"}
    if not is_apart or any(not word.isalpha() or word in _VARIANTS for word in words):
        return False
    return "-" not in (rest[0], rest[-1]) or {*words} <= VERDICT_WORDS


def _words(rest: str) -> list[str]:
    return re.findall(r"\w+", rest.replace("_", " ").casefold())
