"""The choices on the New run page, as the text of a configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from engine.collect.client.litellm_batches import has_batches
from engine.errors import UsageError
from engine.importers.own_questions.question_checks import Questions
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import join_names
from engine.stats.conclusions.conclusion_rules import FEWEST_INSTANCES
from explorer import data
from explorer.new_run import available_models
from explorer.new_run.available_models import Table
from explorer.new_run.own_questions import FILE


@dataclass(frozen=True)
class RunChoices:
    """A run as configured on the page.

    `source` is a data set of the catalogue or, with `from_study`, a study in the store whose texts are used;
    the verdicts go to `study`. `questions` are the user's own, in place of a source. `cap` is in US dollars,
    None without a limit; `trial_usd` is what calling each model once took of it. `batches` uses the
    providers' batch interfaces, `cache` reuses paid answers, `keep_raw` stores requests and answers as sent.
    `settings` are further fields of the configuration, `undecided` says which of them still needs a choice.
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
    trial_usd: float = 0.0
    batches: bool = False
    cache: bool = False
    keep_raw: bool = False
    settings: Table = field(default_factory=dict)
    undecided: str | None = None
    questions: Questions | None = None

    @property
    def called_models(self) -> dict[str, Table]:
        """The models that are called, by name."""
        rewriters = [each["by"] for each in self.settings.get("transforms", {}).values() if "by" in each]
        raters = [*self.settings.get("quality_judges", []), *self.settings.get("gold_judges", [])]
        names = dict.fromkeys((*self.generators, *self.judges, *raters, *rewriters))
        return {name: self.models[name] for name in names if name in self.models}

    @property
    def paid(self) -> tuple[str, ...]:
        """The called models that may cost money."""
        return tuple(name for name, model in self.called_models.items() if available_models.is_paid(model))

    @property
    def simulated(self) -> bool:
        """Whether all called models are simulated."""
        return all(available_models.is_simulated(model) for model in self.called_models.values())

    @property
    def lacking(self) -> str | None:
        """A sentence on what is still to be chosen; None if nothing is."""
        if not self.study.strip():
            return "Name the study to write to."
        if not self.judges and not self.generators:
            return "Choose at least one judge or one model that answers."
        if self.judges and not self.paradigms:
            return "Choose at least one paradigm."
        if self.undecided is not None:
            return self.undecided
        if self.paid and not self.cap:
            return f"{', '.join(self.paid)} may cost money: set a spending limit."
        live = [
            name for name, model in self.called_models.items() if not has_batches(str(model.get("model", "")))
        ]
        if self.batches and live:
            return f"There are no batches for {', '.join(live)}: turn batches off, or choose other models."
        return None


def blind_spot(choices: RunChoices, answerers: Mapping[str, str]) -> str | None:
    """Return a sentence on what the chosen judges and responses cannot show; None if nothing.

    `answering` has the family of each model whose responses are judged. A judge is compared with a judge of
    another family, on responses of its own and on those of a third family (MEASURES section 15).
    """
    judges = {name: family_name(name, choices.models[name]) for name in choices.judges}
    if not judges or not answerers:
        return None
    judging_own = [name for name in judges if name in answerers]
    if not judging_own:
        return "No judge judges answers of its own, so the run cannot show whether a judge favours itself."
    families, answering = {*judges.values()}, {*answerers.values()}
    alone = [
        name
        for name in judging_own
        if not any(answering - {judges[name], other} for other in families - {judges[name]})
    ]
    if len(families) == 1:
        return (
            "All judges are of one family, so the run cannot show whether one favours itself; add a judge of "
            "another family."
        )
    if alone:
        return (
            f"The run cannot show whether {join_names(alone, 4, 'or')} favours itself: no judge of another "
            "family judges answers of a third family with it; add a model of a third family that answers."
        )
    if len(judges) < FEWEST_JUDGES and not {*choices.paradigms} <= {*PAIR_PARADIGMS}:
        return "Two judges are too few to tell whether one favours itself; add a third."
    silent = [name for name in judges if name not in answerers]
    if silent:
        return (
            f"The run cannot show whether {join_names(silent, 4, 'or')} favours itself, as none of the "
            "answers is its own."
        )
    if choices.instances is not None and choices.instances < FEWEST_INSTANCES:
        return f"Fewer than {FEWEST_INSTANCES} questions are too few for a conclusion on any judge."
    return None


def family_name(name: str, model: Table) -> str:
    """Return a model's family; one without is related to itself only."""
    return str(model.get("family") or name)


def answerer_families(choices: RunChoices, root: str) -> dict[str, str]:
    """Return the family of each model whose responses would be judged; empty if that is unknown."""
    if choices.generators:
        return {name: family_name(name, choices.models[name]) for name in choices.generators}
    if not choices.from_study:
        return {}
    study_files = data.files(root, choices.source)
    if not study_files.has("responses"):
        return {}
    generators = set(study_files.table("responses", ["generator"])["generator"].to_pylist())
    rows = study_files.table("models", ["model", "family"]).to_pylist()
    families = {row["model"]: row["family"] or row["model"] for row in rows}
    return {name: families.get(name, name) for name in generators}


def configuration(choices: RunChoices, root: str) -> str:
    """Return the configuration in TOML, which `spb run` checks like any other.

    Raises UsageError if the store is not on this disk and the questions are those of another study.
    """
    document: dict[str, Any] = {"study": choices.study.strip(), "seed": choices.seed}
    if choices.questions is not None:
        document["data"] = FILE
    elif not choices.from_study:
        document["data"] = choices.source
    elif choices.source != choices.study.strip():
        if "://" in root:
            raise UsageError(
                f"the store {root!r} is not on this disk: write the answers to the study "
                f"{choices.source!r} itself"
            )
        document["data"] = str(Path(root, choices.source).absolute())
    document["generators"] = list(choices.generators)
    document["judges"] = list(choices.judges)
    document["paradigms"] = list(choices.paradigms)
    document |= choices.settings
    total = None if choices.questions is None else len(choices.questions.instances)
    if choices.instances is not None and (total is None or choices.instances < total):
        document["sample"] = {"n": choices.instances}
    if choices.batches:
        document["mode"] = "batch"
    settings = {
        "max_usd": choices.cap,
        "trial_usd": choices.trial_usd,
        "cache": choices.cache,
        "keep_raw": choices.keep_raw,
    }
    if any(settings.values()):
        document["run"] = {name: value for name, value in settings.items() if value}
    document["models"] = choices.called_models
    return tomli_w.dumps(document)


FEWEST_JUDGES = 3
"""With fewer, the odds of one judge against others are undefined."""
