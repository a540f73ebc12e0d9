"""The tables of `docs/claims.md`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from .judges import AUTHOR, USUAL
from .kinds import Kind
from .trial import ABOUT_SELF, CLAIMS, OVERRATES, Answers, Truth, counted

AnswersByKind = Mapping[Kind, Sequence[Answers]]
PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
PLANTED_JUDGE = USUAL.names[AUTHOR]


def nulls(answers_by_kind: AnswersByKind) -> str:
    """Return a table with a row for each kind without self-preference: the scorecard's claims."""
    heads = ("studies", "drawn", "claims falsely", "overrates", "claims about family")
    rows = []
    for kind, answers in answers_by_kind.items():
        of_self = [bool(each.claimed(*CLAIMS)) for each in answers]
        overrating = [bool(each.claimed(*OVERRATES)) for each in answers]
        family = [bool(each.claimed_of_family()) for each in answers if each.relatives]
        rows.append([_named(kind), str(len(answers)), _share(of_self), _share(overrating), _share(family)])
    return _table(heads, rows)


def planted(answers_by_kind: AnswersByKind, truths: Mapping[Kind, Truth]) -> str:
    """Return a table with a row for each kind with a planted judge: detection, and its intervals."""
    heads = (
        *("studies", "drawn", "found", "found or overrating", "family found", "others claimed"),
        *("estimate", "planted"),
        *("interval holds it", "interval of the ratio holds its expectation"),
    )
    rows = []
    for kind, answers in answers_by_kind.items():
        author = [each.conclusions.get(PLANTED_JUDGE) for each in answers]
        family = [each.relatives[PLANTED_JUDGE] for each in answers if PLANTED_JUDGE in each.relatives]
        others = [
            bool((each.claimed(*CLAIMS) | each.claimed_of_family()) - {PLANTED_JUDGE}) for each in answers
        ]
        number, value = next(iter(truths[kind].number.items()))
        estimates = [each.estimate for each in answers if each.estimate is not None]
        rows.append(
            [
                _named(kind),
                str(len(answers)),
                _share([one == "favours_itself" for one in author]),
                _share([one in ("favours_itself", "overrates_itself") for one in author]),
                _share([one == "favours_family" for one in family]),
                _share(others),
                f"{np.median(estimates):.3g}" if estimates else "",
                f"{value:.3g}",
                _share([each.holds[number] for each in answers if number in each.holds]),
                _share([each.holds["ratio_outside"] for each in answers if "ratio_outside" in each.holds]),
            ]
        )
    return _table(heads, rows)


def rules(answers_by_kind: AnswersByKind) -> str:
    """Return a table with a row for each kind: the studies with a standing claim, by rule."""
    heads = ("studies", "drawn", "claims falsely", "which rules", "other claims")
    rows = []
    for kind, answers in answers_by_kind.items():
        wrong = [any(rule in ABOUT_SELF for rule in each.rules) for each in answers]
        by_rule = counted(list(answers)).most_common()
        listed = (
            ", ".join(f"`{rule}` {number}" for rule, number in by_rule if (rule in ABOUT_SELF) == about)
            for about in (True, False)
        )
        rows.append([_named(kind), str(len(answers)), _share(wrong), *listed])
    return _table(heads, rows)


def put_into(text: Mapping[str, str]) -> None:
    """Write tables into the page, each between its marks; ValueError if these are missing."""
    page = PAGE.read_text()
    for part, table in text.items():
        begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
        before, opened, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not (opened and closed):
            raise ValueError(f"{PAGE} has no place marked {begin!r} to {end!r}")
        page = f"{before}{begin}\n{table}\n{end}{after}"
    PAGE.write_text(page)


def _named(kind: Kind) -> str:
    return f"{kind.name} ({kind.words})" if kind.words else kind.name


def _share(marks: Sequence[bool]) -> str:
    return f"{100 * np.mean(marks):.0f} %" if marks else ""


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    heads = list(heads)
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
