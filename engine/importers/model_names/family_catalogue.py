"""The families of models that are known, and the words in their names: `datasets/families.toml`."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from engine.shipped_files import DATASETS

Kind = Literal["open", "closed", "brand"]


@dataclass(frozen=True, slots=True)
class Family:
    """A series of pretrained models, and the words in their names.

    `owners` publish only this family: a name after one of them that says nothing else belongs to it. `loose`
    are words that others also use for models of their own. `published` are words in the names of a closed
    family's models whose weights were published after all.
    """

    name: str
    maker: str
    kind: Kind
    words: tuple[re.Pattern[str], ...]
    owners: tuple[str, ...] = ()
    loose: tuple[re.Pattern[str], ...] = ()
    published: tuple[re.Pattern[str], ...] = ()

    def kind_in(self, core: str) -> Kind:
        """Return the kind of a model by its name; it may differ from that of its family."""
        return "open" if first_match(self.published, core) else self.kind

    @property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        return self.words + self.loose


@dataclass(frozen=True, slots=True)
class Tuning:
    """Models that were tuned or distilled from others; `firm` overrides other words in the name."""

    words: tuple[re.Pattern[str], ...]
    family: str
    tuner: str | None = None
    base: str | None = None
    parent: str | None = None
    teachers: tuple[str, ...] = ()
    firm: bool = False
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All that is known of names as of `day`, from `datasets/families.toml`."""

    day: date
    makers: dict[str, str]
    providers: dict[str, str]
    sizes: dict[str, str]
    general: frozenset[str]
    families: tuple[Family, ...]
    tunings: tuple[Tuning, ...]

    def family(self, name: str) -> Family | None:
        return next((family for family in self.families if family.name == name), None)


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    content = tomllib.loads((DATASETS / "families.toml").read_text("utf-8"))
    for entry in content["tuned"]:
        entry["words"] = ["|".join(entry["words"])]
    for entry in (*content["family"], *content["tuned"]):
        for words in {"words", "loose", "published"} & entry.keys():
            entry[words] = [re.compile(rf"(?<![a-z])(?:{word})(?![a-z])") for word in entry[words]]
        entry.update({name: tuple(value) for name, value in entry.items() if isinstance(value, list)})
    day, general = content["date"], frozenset(content["general"])
    makers, providers, sizes = (content[name] for name in ("makers", "providers", "sizes"))
    families = tuple(Family(**entry) for entry in content["family"])
    tunings = tuple(Tuning(**entry) for entry in content["tuned"])
    return Catalogue(day, makers, providers, sizes, general, families, tunings)


def first_match(words: Iterable[re.Pattern[str]], core: str) -> re.Match[str] | None:
    """Return where the first of these words that a name has stands in it."""
    return next((match for word in words if (match := word.search(core))), None)
