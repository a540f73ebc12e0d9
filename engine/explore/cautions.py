"""Cautions about numbers: family in the reference, failures, single orders, few cases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.explore.answering_models import notes_on
from engine.measures.rows import FEW
from engine.missing_verdicts import many_without_verdict
from engine.phrases import sentence_case
from engine.wording import Sentence, command_words

Row = dict[str, Any]

MOST_NAMES = 8  # most judges that one caution names; the others are counted

_CELLS = {
    "hspp_self": ("n_self", "own cases"),
    "hspp_matched": ("n_matched", "matched cases"),
    "hspp_family": ("n_family", "family cases"),
}


@dataclass(frozen=True)
class Caution:
    """A warning about numbers: the judges concerned, and a text with the extent and the remedy."""

    kind: Literal["family", "failures", "few", "order", "answered"]
    judges: tuple[str, ...]
    text: str


def family_in_reference(
    judges: Iterable[str],
    reference: str | None,
    members: Sequence[str],
    families: Mapping[str, str | None],
    *,
    leave_self_out: bool = False,
) -> list[Caution]:
    """Warn of judges compared with a committee in which they or their relatives vote.

    For use if relatives are not excluded. `leave_self_out`: the judge itself does not vote. No caution if the
    reference is not a committee.
    """
    if reference is None or not reference.startswith("committee:"):
        return []
    texts: dict[str, str] = {}
    for judge in judges:
        voters = [
            member
            for member in members
            if families.get(member) == families.get(judge) and not (leave_self_out and member == judge)
        ]
        if voters:
            texts[judge] = f"{judge} ({len(voters)} of {len(members)} members)"
    if not texts:
        return []
    text = Sentence(
        f"The judge's own family votes in the reference {reference}: {_join(texts.values())}. Whatever "
        "the family passes tends to count as true there, which can hide self-preference. Exclude each "
        "judge's family from its reference (filter “Exclude family”",
        command_words(", --exclude-family"),
        "), or choose another reference.",
    )
    return [Caution("family", tuple(texts), text)]


def many_failures(counts: Iterable[tuple[str, str, int]], runs: Iterable[Row]) -> list[Caution]:
    """Warn of judges many of whose judgments have no verdict; `counts` as in `many_without_verdict`.

    `runs` are the rows of that table, which say whom this program called: a run goes on, an import does not.
    """
    shares = many_without_verdict(counts)
    if not shares:
        return []
    called = {row["model"] for row in runs if row["role"] == "judge" and row["config"] is not None}
    remedies = []
    if not called.isdisjoint(shares):
        again = "continue the run, which retries errors"
        remedies.append(f"{again}, or read the raw answers and correct how they are parsed")
    if not called.issuperset(shares):
        remedies.append("if the file that was imported lacks them, import it again with them")
    text = (
        f"Many judgments have no verdict and are not counted: {_join(shares.values())}. If they are "
        f"missing where the judge is lenient, its ratio is wrong. {sentence_case('; '.join(remedies))}."
    )
    return [Caution("failures", tuple(shares), text)]


def single_orders(judges: Sequence[str], *, of_known_order: bool = False) -> list[Caution]:
    """Warn of judges whose pairs were judged, and count, in one order only, `of_known_order` if each is."""
    if not judges:
        return []
    if of_known_order:
        text = (
            f"Each pair was judged in one order only by {_join(judges)}: these votes include any preference "
            "for the first or the second place, which favours no model only if it was random which answer "
            "was shown first. Judge the pairs in the other order too."
        )
    else:
        text = (
            f"Each pair was judged in one order only, or in an unknown one, by {_join(judges)}: these votes "
            "include any preference for the first or the second place, which cannot be measured. Judge the "
            "pairs in the other order too; if they were, import which answer was shown first."
        )
    return [Caution("order", tuple(judges), text)]


def other_models(runs: Iterable[Mapping[str, Any]]) -> list[Caution]:
    """Warn of models of `runs` that another one answered for, or that changed between starts of a run."""
    return [
        Caution(
            "answered",
            (),
            Sentence(
                f"{note}. These verdicts may be another model's: check `model` and `api_base`, and if so "
                "judge again in a new run",
                command_words(" (--fresh)"),
                ".",
            ),
        )
        for note in notes_on(runs)
    ]


def few_cases(rows: Iterable[Row]) -> list[Caution]:
    """Warn of ratios in the rows of `hspp` that are based on fewer than FEW cases.

    Undefined ratios are not included, since their rows give a reason.
    """
    judges = {}
    for row in rows:
        if row.get("judge") is None:
            continue
        few = [
            f"{row[n]} {words}"
            for field, (n, words) in _CELLS.items()
            if row.get(field) is not None and row[n] < FEW
        ]
        if few:
            judges[row["judge"]] = f"{row['judge']} ({', '.join(few)})"
    if not judges:
        return []
    text = (
        f"Ratios based on fewer than {FEW} cases: {_join(judges.values())}. Trust the intervals, "
        "not the point estimates; widen the slice, or judge more questions."
    )
    return [Caution("few", tuple(judges), text)]


def _join(names: Iterable[str]) -> str:
    all_names = list(names)
    n_more = len(all_names) - MOST_NAMES
    parts = all_names[:MOST_NAMES] + ([f"and {n_more} more"] if n_more > 0 else [])
    return "; ".join(parts)
