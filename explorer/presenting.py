"""A study presented: findings and pinned views, one on a screen, each with an address of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.findings import Findings
from engine.store.info import Pin
from engine.stories import MAIN

if TYPE_CHECKING:
    from engine.store import StudyInfo

START = "start"
SHOWN = ("findings", "pins", "all")
"""What is presented: findings that stand, pinned views, findings in doubt too; both where none is named."""

_FINDING, _ANSWER, _PIN = "finding:", "answer:", "pin:"


@dataclass(frozen=True)
class Screen:
    """One screen: its name in the address, and the claim, question or pinned view that it shows.

    The first one names none of them.
    """

    name: str
    claim: str | None = None
    question: str | None = None
    pin: Pin | None = None


@dataclass(frozen=True)
class Presented:
    """The screens in their order, the one that is shown, and what is said of a name that is none."""

    screens: tuple[Screen, ...]
    place: int
    lost: str | None = None

    @property
    def screen(self) -> Screen:
        """The screen that is shown."""
        return self.screens[self.place]

    def at(self, place: int) -> str:
        """Return the name of the screen at a place, of the nearest one where there is none."""
        return self.screens[min(max(place, 0), len(self.screens) - 1)].name


def presented(
    found: Findings | None, pins: Sequence[Pin], asked: str | None, *, doubtful: bool = False
) -> Presented:
    """Return the screens of findings (of none where None is given) and of pinned views.

    `asked` names the screen that is shown; a finding in doubt that it names is shown too. `doubtful`: all of
    them are.
    """
    screens = [Screen(START)]
    if found is not None:
        screens += _of_findings(found, asked, doubtful=doubtful)
    screens += [Screen(f"{_PIN}{one.id}", pin=one) for one in pins]
    names = [screen.name for screen in screens]
    if asked is None or asked in names:
        return Presented(tuple(screens), names.index(asked or START))
    told = f"There is no screen {asked!r} in this study now; the first is shown."
    return Presented(tuple(screens), 0, told)


def _of_findings(found: Findings, asked: str | None, *, doubtful: bool) -> list[Screen]:
    """Return a screen for the answer to each question, and after it one for each claim."""
    screens = []
    for answer in found.answers:
        screens.append(Screen(f"{_ANSWER}{answer.question}", question=answer.question))
        screens += [
            Screen(f"{_FINDING}{claim.id}", claim=claim.id)
            for claim in found.claims
            if claim.question == answer.question
            and (claim.stands or doubtful or asked == f"{_FINDING}{claim.id}")
        ]
    return screens


def stories(info: "StudyInfo") -> tuple[str, ...]:
    """Return the stories that can be presented, the main one first."""
    return tuple(dict.fromkeys([MAIN, *info.stories]))
