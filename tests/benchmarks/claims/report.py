"""The tables of `docs/claims.md`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from .analysts import METHODS
from .judges import AUTHOR, USUAL
from .kinds import Kind
from .missing_gate import EXTRA
from .trial import ABOUT_SELF, CLAIMS, OF_GROUP, OVERRATES, Answers, Truth, counted, side

Fits = Mapping[str, Mapping[str, int]]
AnswersByKind = Mapping[Kind, Sequence[Answers]]
PAGE = Path(__file__).parents[3] / "docs" / "claims.md"
PLANTED_JUDGE = USUAL.names[AUTHOR]


def nulls(answers_by_kind: AnswersByKind) -> str:
    """Return a table with a row for each kind without self-preference: the scorecard's claims."""
    heads = ("studies", "drawn", "favours itself", "wrong sign", "overrates, rightly", "family", "all judges")
    rows = []
    for kind, answers in answers_by_kind.items():
        families = [bool(each.claimed_of_family() | each.wrong_of_family()) for each in answers]
        rows.append(
            [
                _named(kind),
                str(len(answers)),
                _sure([bool(each.claimed(*CLAIMS)) for each in answers]),
                _sure([bool(each.wrong()) for each in answers]),
                _share([bool(each.claimed(*OVERRATES) - each.wrong()) for each in answers]),
                _sure(families) if kind.studies.judges.family_size > 1 else "",
                _sure([each.group in OF_GROUP or each.wrong_of_group() for each in answers]),
            ]
        )
    return _table(heads, rows)


def planted(answers_by_kind: AnswersByKind, truths: Mapping[Kind, Truth]) -> str:
    """Return a table with a row for each kind with a planted judge: detection, and its intervals."""
    heads = (
        *("studies", "drawn", "found", "found or overrating", "family found"),
        *("others favour", "others' wrong sign", "estimate", "planted", "interval holds it"),
    )
    rows = []
    for kind, answers in answers_by_kind.items():
        author = [each.conclusions.get(PLANTED_JUDGE) for each in answers]
        family = [each.relatives[PLANTED_JUDGE] for each in answers if PLANTED_JUDGE in each.relatives]
        others = [each.claimed(*CLAIMS) - kind.partial for each in answers]
        of_families = [each.claimed_of_family() - kind.partial_to_family for each in answers]
        wrong = [(each.wrong() | each.wrong_of_family()) - {PLANTED_JUDGE} for each in answers]
        number, value = next(iter(truths[kind].number.items()))
        estimates = [each.estimate for each in answers if each.estimate is not None]
        rows.append(
            [
                _named(kind),
                str(len(answers)),
                _sure([one == "favours_itself" for one in author]),
                _sure([one in ("favours_itself", "overrates_itself") for one in author]),
                _share([one == "favours_family" for one in family]) if kind.planted_family else "",
                _share([bool(one | two) for one, two in zip(others, of_families, strict=True)]),
                _share([bool(each) for each in wrong]),
                f"{np.median(estimates):.3g}" if estimates else "",
                f"{value:.3g}",
                _share([each.holds[number] for each in answers if number in each.holds]),
            ]
        )
    return _table(heads, rows)


def common(answers_by_kind: AnswersByKind) -> str:
    """Return a table with a row for each kind in which all judges favour themselves alike."""
    heads = ("studies", "drawn", "all judges favour", "favour or overrate", "judges named", "wrong sign")
    rows = []
    for kind, answers in answers_by_kind.items():
        judges = len(kind.partial)
        named = np.mean([len(each.claimed("favours_itself", "overrates_itself")) for each in answers])
        rows.append(
            [
                _named(kind),
                str(len(answers)),
                _sure([each.group == "judges_favour_themselves" for each in answers]),
                _sure([side(each.group or "") > 0 for each in answers]),
                f"{named:.1f} of {judges}",
                _sure([bool(each.wrong()) or side(each.group or "") < 0 for each in answers]),
            ]
        )
    return _table(heads, rows)


def analysts(fitted: Mapping[Kind, tuple[Sequence[Answers], Sequence[Fits]]]) -> str:
    """Return a table of the claims that the scorecard and an analyst's methods make on the same studies.

    In kinds without a planted judge, the share of studies with a claim; in the others, those that find the
    planted judge, and those with a claim about another.
    """
    heads = ("studies", "drawn", "favours itself", "favours or overrates", *METHODS)
    rows = []
    for kind, (answers, claims) in fitted.items():
        signs = [{judge: side(code) for judge, code in each.conclusions.items()} for each in answers]
        firm = [
            {judge: sign for judge, sign in by_judge.items() if sign and judge in each.claimed(*CLAIMS)}
            for each, by_judge in zip(answers, signs, strict=True)
        ]
        either = [{judge: sign for judge, sign in each.items() if sign} for each in signs]
        methods = [firm, either, *([each[method] for each in claims] for method in METHODS)]
        rows.append([_named(kind), str(len(answers)), *(_claims_in(kind, each) for each in methods)])
    return _table(heads, rows)


def _claims_in(kind: Kind, claims: Sequence[Mapping[str, int]]) -> str:
    others = _share([bool(set(each) - kind.partial) for each in claims])
    if not kind.partial:
        return others
    return f"{_share([each.get(PLANTED_JUDGE, 0) > 0 for each in claims])}, others {others}"


def gate(rows: Sequence[Sequence[Any]]) -> str:
    """Return a table of how often missing verdicts are called unequal, by how unequal they are."""
    more = [f"{100 * extra:.0f} points more" for extra in EXTRA[1:]]
    heads = ("instances", "of others' missing", "equally", *more)
    lines = []
    for kind, shares in rows:
        words = f"{100 * kind['rate']:.0f} %, {'whole responses' if kind['whole'] else 'single verdicts'}"
        lines.append([str(kind["instances"]), words, *(f"{100 * share:.0f} %" for share in shares)])
    return _table(heads, lines)


def rules(answers_by_kind: AnswersByKind) -> str:
    """Return a table with a row for each kind: the studies with a standing claim, by rule."""
    heads = ("studies", "drawn", "about self-preference", "which rules", "other claims")
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


def _sure(marks: Sequence[bool]) -> str:
    """Return a share and, if drawn at all, the exact 95 % interval of a binomial share."""
    if not marks:
        return ""
    interval = binomtest(sum(marks), len(marks)).proportion_ci()
    return f"{_share(marks)} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _table(heads: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    heads = list(heads)
    lines = [f"| {' | '.join(heads)} |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
