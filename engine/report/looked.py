"""A pinned view read against the study as it is now."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.choices import Choices
from engine.measures.catalogue import find
from engine.slices import FLAGS
from engine.store import StudyInfo
from engine.wording import title

if TYPE_CHECKING:
    from engine.study import Study

SAVED = ("slice", "b_slice")
"""The keys of saved slices: those of a view, and those of its second side."""

Keys = dict[str, tuple[str, ...]]


def unfolded(info: StudyInfo, view: Mapping[str, Sequence[str]]) -> tuple[Keys, tuple[str, ...]]:
    """Return a view with the filters of its saved slices in the place of their names; its own win.

    A slice that is not saved (any more) is left out, with a sentence that says so.
    """
    made: Keys = {key: tuple(texts) for key, texts in view.items()}
    lost = []
    for key in SAVED:
        name = next(iter(made.pop(key, ())), None)
        if name is None:
            continue
        if name not in info.slices:
            lost.append(f"There is no saved slice {name!r} in this study; it was left out.")
            continue
        prefix = key.removesuffix("slice")
        for filter_, texts in info.slices[name].items():
            made.setdefault(prefix + filter_, (texts,) if isinstance(texts, str) else tuple(texts))
    return made, tuple(lost)


@dataclass(frozen=True)
class Looked:
    """A study with the keys of a view; what is asked for and not there is noted in `gone`, once."""

    study: "Study"
    choices: Choices
    view: Mapping[str, Sequence[str]]
    gone: list[str] = field(default_factory=list)

    def one(self, key: str, allowed: Collection[str], label: str) -> str | None:
        """Return the text of a key; None where there is none, or where it is not allowed, which is said."""
        told = self.view.get(key) or ()
        if not told:
            return None
        if told[0] not in allowed:
            self._say(f"{label} {told[0]!r} is not in this study and was taken out of the view.")
            return None
        return told[0]

    def option(self, measure: str, name: str, label: str) -> str | None:
        """Return the text of a key that is an option of a measure, of the choices that it declares."""
        declared = next(option for option in find(measure).options if option.name == name)
        return self.one(name, declared.choices, label)

    def many(self, key: str, allowed: Collection[str], label: str) -> tuple[str, ...]:
        """Return the texts of a key that are allowed, and say which are not."""
        told = tuple(self.view.get(key) or ())
        for text in told:
            if text not in allowed:
                self._say(f"{label} {text!r} is not in this study and was taken out of the view.")
        return tuple(text for text in told if text in allowed)

    def number(self, key: str, bounds: tuple[float, float], label: str) -> float | None:
        """Return the number of a key; None where there is none, or none within the bounds, which is said."""
        told = self.view.get(key) or ()
        if not told:
            return None
        try:
            value = float(told[0])
        except ValueError:
            value = float("nan")
        if bounds[0] <= value <= bounds[1]:
            return value
        self._say(f"{label} {told[0]!r} is no number from {bounds[0]:g} to {bounds[1]:g}.")
        return None

    def filters(self, *idle: str, prefix: str = "") -> dict[str, Any]:
        """Return the filters of the view as arguments of a measure; none of the `idle`.

        `prefix` stands before their keys where they are those of a second side.
        """
        asked: dict[str, Any] = {}
        for flag in FLAGS:
            told = tuple(self.view.get(prefix + flag.name) or ())
            if not told or flag.name in idle:
                continue
            good = tuple(text for text in told if self.choices.allows(flag.name, text))
            if good != told:
                lost = ", ".join(repr(text) for text in told if text not in good)
                self._say(f"{title(flag.name)} {lost} is not in this study and was taken out of the view.")
            if good:
                several = flag.metadata["kind"] in ("names", "numbers")
                asked[flag.name] = good if several else good[0]
        return asked

    def _say(self, sentence: str) -> None:
        if sentence not in self.gone:
            self.gone.append(sentence)
