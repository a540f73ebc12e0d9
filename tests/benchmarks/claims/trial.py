"""Draws studies of a kind, runs the scorecard and the rules on them, and counts."""

import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study

from .judges import AUTHOR, USUAL
from .kinds import Kind
from .pairs import PairStudies, PairVotes
from .rubrics import RubricStudies, RubricVerdicts
from .scores import Scores, ScoreStudies

Drawn = RubricVerdicts | PairVotes | Scores

CLAIMS = ("favours_itself", "disfavours_itself")
"""What is said if both questions are answered: a judge overrates its answers because they are its own."""
OF_FAMILY = ("favours_family", "disfavours_family")
OVERRATES = ("overrates_itself", "underrates_itself")
OF_GROUP = ("judges_favour_themselves", "judges_disfavour_themselves")
SIDES = {
    **dict.fromkeys(("favours", "overrates", "judges_favour", "judges_overrate"), 1),
    **dict.fromkeys(("disfavours", "underrates", "judges_disfavour", "judges_underrate"), -1),
}
"""The sign of a claim, by the beginning of its code."""
RESAMPLES = 300
"""Resamples of the rules' intervals: enough to estimate a share of studies."""

ABOUT_SELF = (
    *("group", "conclusion", "own-failures", "equal-pairs", "beyond-gold", "own-points", "relatives"),
    *("beyond-quality", "slices", "opponents", "own-places", "read-slices", "leave-self-out"),
    *("leave-family-out", "members", "sizes"),
)
"""Rules whose claims are false if no judge overrates its own answers; others describe a ranking or costs.

Claims that a committee helps are about self-preference too. What `use-committee` advises follows from them,
and stands also where it advises against.
"""


@dataclass(frozen=True)
class Truth:
    """The expected numbers of the author's judge: `ratio_outside`, and its deciding number by name."""

    ratio: float | None = None
    number: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: Kind) -> "Truth":
        """Return the values for very many instances."""
        rng, studies = np.random.default_rng(11), kind.studies
        if isinstance(studies, RubricStudies):
            odds = float(np.exp(kind.planted))
            return cls(studies.expected_ratio(rng), {"odds_self": odds})
        if isinstance(studies, PairStudies):
            return cls(None, {"vote_outside": studies.expected_gap(rng)})
        assert isinstance(studies, ScoreStudies)
        return cls(None, {"bonus_outside": studies.expected_bonus(rng)})


@dataclass(frozen=True)
class Answers:
    """The results for one study.

    `conclusions` are by judge, on itself and (`relatives`) on its family; `rules` are the rules of findings
    with a standing claim, with the judges concerned; `holds` says by number whether the interval of the
    author's judge covers the truth; `estimate` is its deciding number, `reason` why it is not more; `group`
    and `families` conclude on the judges together. `signs`, `relatives_signs` and `group_sign` are those of
    the true difference between a judge's verdicts and other judges' (0: none), as drawn for the study.
    """

    conclusions: dict[str, str] = field(default_factory=dict)
    relatives: dict[str, str] = field(default_factory=dict)
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    holds: dict[str, bool] = field(default_factory=dict)
    estimate: float | None = None
    reason: str | None = None
    group: str | None = None
    families: str | None = None
    signs: dict[str, int] = field(default_factory=dict)
    relatives_signs: dict[str, int] = field(default_factory=dict)
    group_sign: int = 0

    def claimed(self, *conclusions: str) -> set[str]:
        """Return the judges with one of these conclusions."""
        return {judge for judge, conclusion in self.conclusions.items() if conclusion in conclusions}

    def claimed_of_family(self) -> set[str]:
        """Return the judges concluded to favour or disfavour their families."""
        return {judge for judge, conclusion in self.relatives.items() if conclusion in OF_FAMILY}

    def wrong(self) -> set[str]:
        """Return the judges of which a claim has another sign than the truth, or where nothing is."""
        return _wrong(self.conclusions, self.signs)

    def wrong_of_family(self) -> set[str]:
        """Return the same of claims about families."""
        return _wrong(self.relatives, self.relatives_signs)

    def wrong_of_group(self) -> bool:
        """Return whether the claim about all judges has another sign than the truth."""
        return bool(_wrong({"": self.group or ""}, {"": self.group_sign}))


def side(conclusion: str) -> int:
    """Return 1 if a conclusion is a claim for a judge's own or relatives' answers, -1 against, 0 none."""
    of = conclusion.removesuffix("_itself").removesuffix("_family")
    return SIDES.get(of.removesuffix("_themselves").removesuffix("_their_families"), 0)


def _wrong(conclusions: dict[str, str], signs: dict[str, int]) -> set[str]:
    return {
        judge
        for judge, conclusion in conclusions.items()
        if side(conclusion or "") not in (0, signs.get(judge, 0))
    }


def draw(kind: Kind, number: int) -> Drawn:
    """Draw a study of a kind, the same for the same number."""
    return kind.studies.draw(np.random.default_rng([number, *kind.name.encode()]))


def opened(drawn: Drawn, folder: Path) -> Study:
    """Open a drawn study from a store in the folder."""
    info = StudyInfo(
        name="drawn",
        title="Drawn",
        provenance="simulated",
        source="drawn",
        committees=getattr(drawn, "committees", {}),
    )
    Store(folder).write("drawn", drawn.tables(), info, mode="new")
    return engine.open_study(str(folder / "drawn"))


def conclude(kind: Kind, numbers: range, truth: Truth) -> list[Answers]:
    """Run the scorecard on studies of a kind."""
    answers = []
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw(kind, number)
            answers.append(of_scorecard(opened(drawn, Path(folder)), truth, drawn))
    return answers


def try_rules(kind: Kind, numbers: range) -> list[Answers]:
    """Try the rules of findings on studies of a kind."""
    answers = []
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            study = opened(draw(kind, number), Path(folder))
            answers.append(Answers(rules=_standing(study)))
    return answers


def of_scorecard(study: Study, truth: Truth, drawn: Drawn) -> Answers:
    """Return the scorecard's results for a study, and the signs that its claims should have."""
    judges = drawn.studies.judges
    rest = judges.overrating(drawn.added)
    own = np.nan_to_num(np.diag(rest))
    np.fill_diagonal(rest, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_relatives = np.nan_to_num(np.nanmean(rest, axis=1))
    first, *rows = study.result("scorecard").rows
    author = next(row for row in rows if row["judge"] == USUAL.names[AUTHOR])
    expected = {"ratio_outside": truth.ratio, author["decided_by"]: truth.number.get(author["decided_by"])}
    ends = {"ratio_outside": "ratio_outside", author["decided_by"]: "estimate"}
    return Answers(
        conclusions={row["judge"]: row["conclusion"] for row in rows},
        relatives={row["judge"]: row["family_conclusion"] for row in rows if row["family_conclusion"]},
        holds={
            name: covers
            for name, value in expected.items()
            if (covers := _holds(author, ends[name], value)) is not None
        },
        estimate=author["estimate"],
        reason=author["reason"],
        group=first["conclusion"],
        families=first["family_conclusion"],
        signs=dict(zip(judges.names, np.sign(own).astype(int).tolist(), strict=True)),
        relatives_signs=dict(zip(judges.names, np.sign(of_relatives).astype(int).tolist(), strict=True)),
        group_sign=int(np.sign(own.mean())),
    )


def _holds(row: dict[str, Any], name: str, value: float | None) -> bool | None:
    low, high = ("low_plain", "high_plain") if name == "estimate" else (f"{name}_low", f"{name}_high")
    if value is None or row.get(low) is None or row.get(high) is None:
        return None
    return bool(row[low] <= value <= row[high])


def _standing(study: Study) -> dict[str, tuple[str, ...]]:
    standing: dict[str, list[str]] = {}
    for claim in study.findings(resamples=RESAMPLES).claims:
        if claim.stands:
            standing.setdefault(claim.rule, []).append(str(claim.at.get("judge", claim.id)))
    return {rule: tuple(judges) for rule, judges in standing.items()}


def counted(answers: list[Answers]) -> Counter[str]:
    """Return the number of studies in which each rule has a standing claim."""
    return Counter(rule for answer in answers for rule in answer.rules)
