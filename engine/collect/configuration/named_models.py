"""Models by the names that litellm knows them by, as tables of a run's configuration."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.collect.configuration.config import ModelConfig
from engine.collect.configuration.model_keys import KEY_VARIABLES, SIMULATED, address_of, provider_of
from engine.collect.configuration.prices import listed_price, listed_providers
from engine.errors import UsageError, unknown
from engine.importers.families import resolve, twins
from engine.phrases import join_names

_WITHOUT_ADDRESS = ("lm_studio", "hosted_vllm")
"""Providers without a usual address: calls without one would go to somebody else."""
OWN_MACHINE = ("ollama", "ollama_chat", "lm_studio", "llamafile", "hosted_vllm")
"""Providers that run on a machine of the user's, and charge nothing."""

_MAKERS = {
    "Claude": "anthropic",
    "Gemini": "gemini",
    "Mistral": "mistral",
    "Grok": "xai",
    "DeepSeek": "deepseek",
}
"""The provider of models by their family, by litellm's name; others' models have many, or OpenAI."""

_NO_COST = {"input_per_million": 0.0, "output_per_million": 0.0}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Families, addresses and prices (US dollars per million tokens) of models, by their names."""

    families: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedModels:
    """The table of each model in `[models]`, by its name in the study, and notes on what was assumed."""

    tables: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()

    @property
    def families(self) -> dict[str, str]:
        """The family of each model."""
        return {name: str(table["family"]) for name, table in self.tables.items()}


def models_by_name(names: Sequence[str], settings: ModelSettings | None = None) -> NamedModels:
    """Return the models of names such as `openai/gpt-5`; in the study each is called by its last part.

    UsageError for a name without a provider, one that is given twice, and settings of other models.
    """
    settings = settings or ModelSettings()
    if lacking := [name for name in names if not _is_full(name)]:
        raise UsageError(
            f"model {lacking[0]!r} is not a provider and a name; write it as litellm knows it, such as "
            f"{','.join(name if _is_full(name) else likely_name(name) for name in dict.fromkeys(names))}"
        )
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"model {name!r} is named twice; keep one")
    short = {name: name.rpartition("/")[2] or name for name in names}
    shared = {name for name, times in Counter(short.values()).items() if times > 1}
    in_study = {name: name if short[name] in shared else short[name] for name in names}
    families, addresses, prices = (
        _by_full_name(option, given, in_study)
        for option, given in (
            ("--family", settings.families),
            ("--api-base", settings.addresses),
            ("--price", settings.prices),
        )
    )
    tables: dict[str, dict[str, Any]] = {}
    guessed: list[str] = []
    for name in names:
        facts = resolve(short[name] if is_of_unknown_maker(name) else name)
        if name not in families and facts.state != "sure":
            guessed.append(in_study[name])
        table: dict[str, Any] = {"model": name, "family": families.get(name, facts.family)}
        if name in addresses:
            table["api_base"] = addresses[name]
        if name in prices:
            table["price"] = dict(zip(_NO_COST, prices[name], strict=True))
        elif provider_of(name) in OWN_MACHINE and not name.endswith("cloud"):
            table["price"] = dict(_NO_COST)
        if provider_of(name) in _WITHOUT_ADDRESS and not address_of(ModelConfig.model_validate(table)):
            raise UsageError(
                f"model {name!r} needs the address of its server; give --api-base {short[name]}=URL"
            )
        tables[in_study[name]] = table
    return NamedModels(tables, tuple(_notes(tables, guessed, [n for n in names if n not in prices])))


def has_known_provider(name: str) -> bool:
    """Return whether a name begins with a provider that litellm knows, or with `simulated`."""
    provider = provider_of(name)
    providers = {SIMULATED, *OWN_MACHINE, *KEY_VARIABLES}
    return _is_full(name) and (provider in providers or provider in listed_providers())


def is_of_unknown_maker(name: str) -> bool:
    """Return whether a name such as `openai/my-vet` says only in whose protocol a model is called.

    Servers of one's own are called so too: neither the rest of the name nor a list of prices says that the
    model is OpenAI's.
    """
    provider, _, rest = name.partition("/")
    is_protocol = provider == "openai" and listed_price(name) is None
    return is_protocol and resolve(rest).state == "unknown"


def needs_address(name: str) -> bool:
    """Return whether calls of a model need an address, and neither name nor environment says one."""
    return provider_of(name) in _WITHOUT_ADDRESS and not address_of(ModelConfig(model=name))


def _is_full(name: str) -> bool:
    provider, slash, rest = name.partition("/")
    return bool(slash and provider.strip() and rest.strip())


def likely_name(name: str) -> str:
    """Return a name with the provider that makes models of its family."""
    bare = name.strip("/ ") or "gpt-5"
    return f"{_MAKERS.get(resolve(bare).family, 'openai')}/{bare.removeprefix('openai/')}"


def _by_full_name(option: str, given: Mapping[str, Any], in_study: Mapping[str, str]) -> dict[str, Any]:
    """Return settings by the full names of models, which may be given by their names in the study."""
    full_names = {short: name for name, short in in_study.items()} | {name: name for name in in_study}
    for name in given:
        if name not in full_names:
            raise unknown(f"model of {option}", name, in_study)
    return {full_names[name]: value for name, value in given.items()}


def _notes(
    tables: Mapping[str, Mapping[str, Any]], guessed: Sequence[str], unpriced: Sequence[str]
) -> list[str]:
    notes = []
    if guessed:
        families = join_names([f"{name} ({tables[name]['family']})" for name in guessed], 6)
        notes.append(f"family taken from the name alone: {families}; --family {guessed[0]}=NAME corrects it")
    notes += [
        f"{join_names(group)} look like one model in several forms, of one family"
        for group in twins(table["model"] for table in tables.values())
    ]
    local = [
        name
        for name, table in tables.items()
        if table["model"] in unpriced and provider_of(table["model"]) in OWN_MACHINE and "price" in table
    ]
    if local:
        verb = "runs" if len(local) == 1 else "run"
        notes.append(f"{join_names(local, 6)} {verb} on a machine of yours, and no cost is counted")
    return notes
