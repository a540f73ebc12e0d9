"""What the New run page asks for, as the text of a configuration."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import UsageError
from engine.judges.batch_gateway import has_batches
from explorer.askable import Table, is_paid


@dataclass(frozen=True)
class Wanted:
    """A run as it was put together on the page.

    `source` is a data set of the catalogue, or a study in the store whose texts are taken (`from_study`);
    `study` is where the verdicts go. `cap` is in US dollars, None where nothing can be spent. `batches` hands
    the calls to the providers' batch interfaces.
    """

    source: str
    from_study: bool
    study: str
    generators: tuple[str, ...]
    judges: tuple[str, ...]
    paradigms: tuple[str, ...]
    instances: int | None
    seed: int
    cap: float | None
    models: dict[str, Table]
    batches: bool = False

    @property
    def asked(self) -> dict[str, Table]:
        """The models that are called, by name."""
        names = dict.fromkeys((*self.generators, *self.judges))
        return {name: self.models[name] for name in names if name in self.models}

    @property
    def paid(self) -> tuple[str, ...]:
        """The models among those asked that may cost money."""
        return tuple(name for name, model in self.asked.items() if is_paid(model))

    @property
    def lacking(self) -> str | None:
        """What is still to be chosen, in words; None where nothing is."""
        if not self.study.strip():
            return "Name the study that the answers go to."
        if not self.judges and not self.generators:
            return "Choose at least one judge or one model that answers."
        if self.judges and not self.paradigms:
            return "Choose how the judges are asked."
        if self.paid and not self.cap:
            return f"{', '.join(self.paid)} may cost money: say how much may be spent at most."
        live = [name for name, model in self.asked.items() if not has_batches(str(model.get("model", "")))]
        if self.batches and live:
            return f"There are no batches for {', '.join(live)}: ask it live, or choose others."
        return None


def configuration(wanted: Wanted, root: str) -> str:
    """Return the configuration in TOML, which `spb run` checks as it checks any other.

    Raises UsageError for questions of a study that is not on this disk, where the answers go to another.
    """
    told: dict[str, Any] = {"study": wanted.study.strip(), "seed": wanted.seed}
    if not wanted.from_study:
        told["data"] = wanted.source
    elif wanted.source != wanted.study.strip():
        if "://" in root:
            raise UsageError(
                f"the store {root!r} is not on this disk: let the answers go to the study "
                f"{wanted.source!r} itself"
            )
        told["data"] = str(Path(root, wanted.source).absolute())
    told["generators"] = list(wanted.generators)
    told["judges"] = list(wanted.judges)
    told["paradigms"] = list(wanted.paradigms)
    if wanted.instances is not None:
        told["sample"] = {"n": wanted.instances}
    if wanted.batches:
        told["mode"] = "batch"
    if wanted.cap:
        told["run"] = {"max_usd": wanted.cap}
    told["models"] = wanted.asked
    return tomli_w.dumps(told)
