"""A run's configuration: its fields, bounds and defaults, read from TOML, and the options of one start."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl, unquote, urlsplit

import pydantic
from pydantic import Field, PrivateAttr

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.errors import UsageError
from engine.paradigms import Paradigm
from engine.plain_words import mistake_words, system_words
from engine.store.location import check_name

# ------------------------------------------------------------------------------
# The fields of a run's configuration, with their bounds and defaults.


PairRule = Literal["all", "equal", "null", "contrast", "proxy"]
DrawnRule = Literal["equal", "null", "contrast", "proxy"]
Task = Literal["general", "objective", "help", "facts", "translation", "code", "summary", "choice", "reading"]
ORDERINGS = ("original", "reversed", "rotated", "rotated-2", "rotated-3, ...")
"""How the rubrics of a list may be ordered; `rotated` stands for every rotation."""

_FEWEST_GOLD_JUDGES = 3

Item = TypeVar("Item")
_ORDERING = re.compile(r"original|reversed|rotated|rotated-([2-9]|[1-9][0-9]{1,3})")


def _distinct(names: list[Item]) -> list[Item]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is listed twice; keep one")
    return names


Distinct = Annotated[list[Item], pydantic.AfterValidator(_distinct)]
"""A list without repeated items."""


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_VARIABLE = 64


def _variable(name: str) -> str:
    """Refuse what cannot be an environment variable's name, or looks like a key."""
    mixes_kinds = all(any(map(kind, name)) for kind in (str.isupper, str.islower, str.isdigit))
    may_be_key = name.startswith(_PREFIXES) or (len(name) >= _SHORTEST_KEY and mixes_kinds)
    if may_be_key or len(name) > _LONGEST_VARIABLE or _VARIABLE.fullmatch(name) is None:
        raise ValueError("it must be the name of an environment variable, not a key")
    return name


def _calls_at_once(value: object) -> object:
    if value == "auto" or (type(value) is int and value >= 1):
        return value
    raise ValueError('it must be "auto" or a whole number of calls, 1 or more')


def _switch_or_folder(value: object) -> object:
    is_folder = isinstance(value, str) and value.strip() and "\0" not in value and "://" not in value
    if is_folder or isinstance(value, bool):
        return value
    raise ValueError("it must be true, false, or a folder on this machine")


class _Fields(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Price(_Fields):
    """What a model costs, in US dollars."""

    input_per_million: float = Field(ge=0, description="dollars for a million tokens of prompts")
    output_per_million: float = Field(ge=0, description="dollars for a million tokens of answers")


class Params(pydantic.BaseModel):
    """Parameters sent with each call; others that the provider knows are passed on unchanged."""

    model_config = pydantic.ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

    temperature: float | None = Field(None, ge=0, description="randomness of the answers")
    top_p: float | None = Field(
        None, ge=0, le=1, description="share of the probability that tokens are drawn from"
    )
    max_tokens: int | None = Field(None, ge=1, description="longest answer, in tokens")
    seed: int | None = Field(None, description="seed of the provider's sampling")
    reasoning_effort: str | None = Field(None, description="how long a model thinks, in the provider's words")

    def to_dict(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


FallbackCause = Literal["unknown_model", "quota", "outage", "content_policy"]
"""Why a model may be replaced for a call; `outage`: no answer after all retries."""


class ModelConfig(_Fields):
    """A model: how to call it, and what is known about it.

    `structured` says whether answers must follow a JSON schema: `auto` requests it from servers with OpenAI's
    protocol until they refuse. `prompt_logprobs` is how its log-probabilities of responses are obtained, for
    the paradigm familiarity: in its chat format, or as plain text that the server echoes. The models of
    `fallback` are called instead, one after the other, if a call of a judge or a rewriter failed for one of
    the causes in `fallback_on`.
    """

    model: str = Field(
        min_length=1,
        description="name as litellm knows it: `openai/gpt-4o`; `simulated/NAME` answers offline",
    )
    family: str | None = Field(
        None, min_length=1, description="family; without one, the model is a family of its own"
    )
    provider: str | None = Field(None, description="who offers it")
    size_b: float | None = Field(None, ge=0, description="billions of parameters")
    active_b: float | None = Field(None, ge=0, description="billions of parameters used for a token")
    base_model: str | None = Field(None, description="model that it was tuned from first of all")
    tuned_from: str | None = Field(None, description="model whose weights it was tuned from")
    distilled_from: str | None = Field(None, description="model whose outputs it was trained on")
    stage: Literal["base", "post-trained", "reasoning"] | None = Field(
        None, description="stage of its training"
    )
    open_weights: bool | None = Field(None, description="whether its weights are public")
    price: Price | None = Field(None, description="its price, where litellm does not know it")
    batch_price: Price | None = Field(
        None, description="its price in batches; without it litellm's, else half of `price`"
    )
    api_base: str | None = Field(None, min_length=1, description="address of a server of your own")
    api_key_env: Annotated[str, pydantic.AfterValidator(_variable)] | None = Field(
        None,
        description="environment variable that holds its key; without it the provider's usual one",
    )
    logprobs: bool = Field(
        False,
        description="whether to request token probabilities (`forced`, `forced_tie`, `recognition`)",
    )
    prompt_logprobs: Literal["chat", "completions"] = Field(
        "chat", description="how log-probabilities of responses are requested (paradigm `familiarity`)"
    )
    structured: Literal["auto", "always", "never"] = Field(
        "auto",
        description="whether answers must follow a JSON schema; `auto`: until a server refuses",
    )
    fallback: Distinct[str] = Field(
        [], description="models called in its place, one after the other, if a call fails"
    )
    fallback_on: Distinct[FallbackCause] = Field(
        ["unknown_model", "quota", "outage"], description="for which causes"
    )
    concurrency: int | None = Field(
        None, ge=1, description="calls of this model in flight; without it that of `[run]`"
    )
    requests_per_minute: float | None = Field(
        None, gt=0, description="requests that the provider allows this key in a minute"
    )
    tokens_per_minute: float | None = Field(
        None, gt=0, description="tokens that the provider allows this key in a minute"
    )
    timeout_s: float | None = Field(
        None, gt=0, description="seconds that an answer of this model may take; without it that of `[run]`"
    )
    params: Params = Field(Params(), description="parameters sent with each call")
    simulated: dict[str, Any] = Field({}, description="what a simulated model plants")


class Sample(_Fields):
    """Which instances take part: `n` of them, spread over the values of a column."""

    n: int = Field(ge=1, description="how many instances")
    stratify: Literal["category", "theme", "language"] | None = Field(
        None, description="column over whose values they are spread"
    )
    min_per_stratum: int = Field(0, ge=0, description="fewest instances of each value")


Change = Literal["rewrite", "author", "padding", "authority", "injection", "identical"]


class Transform(_Fields):
    """How responses are changed, and whose.

    `make = "rewrite"`: the model `by` rewrites them with `template`, by default that of the transform's name.
    The others need no model: `author` tells the judge the author (from `names`, else the model's name in the
    study), `padding`, `authority` and `injection` add words that improve no answer, and `identical` pairs a
    response with itself.
    """

    make: Change = Field(
        "rewrite", description="how responses are changed: rewritten by a model, or without one"
    )
    by: str | None = Field(None, description="model that rewrites")
    template: str | None = Field(
        None,
        description="template of the rewriting, or its path; without it that of the transform's name",
    )
    names: dict[str, str] = Field({}, description="`author`: the names shown for models")
    generators: list[str] = Field([], description="whose responses are changed; without it everybody's")


class Drawing(_Fields):
    """How pairs are drawn (MEASURES sections 9 and 10)."""

    quality: Literal["judged", "reference"] = Field(
        "judged", description="what says which responses are equally good"
    )
    epsilon: float = Field(0.25, ge=0, description="largest difference in quality of equal responses, of 10")
    gap: float = Field(2.0, ge=0, description="smallest difference of clearly different ones")
    third_party: Literal["all", "out_of_family"] = Field(
        "all", description="whose scores say so: everybody's, or those of other families"
    )
    null_pairs: int = Field(10, ge=1, description="null pairs for each question")
    contrast_pairs: int = Field(100, ge=1, description="contrast pairs in all")
    max_proxies: int | None = Field(None, ge=1, description="most proxies for each pair")
    reference: str | None = Field(None, description="source of the reference taken as true")


class Limits(_Fields):
    """How the calls are made; batches are polled every `poll_s` seconds.

    `concurrency` bounds the calls under way; `auto`: as many as each provider turns out to accept. `retry_on`
    lists further HTTP statuses to retry. The calls are divided among `processes`. `max_minutes` after a
    start, no new calls begin. `cache` reuses paid answers, from the default folder or the one that it names.
    `keep_raw` stores raw requests and answers.
    """

    concurrency: Annotated[int | Literal["auto"], pydantic.BeforeValidator(_calls_at_once)] = Field(
        "auto", description="calls in flight; `auto`: as many as each provider accepts"
    )
    timeout_s: float = Field(
        600, gt=0, description="seconds that an answer may take once the request is sent"
    )
    retries: int = Field(5, ge=0, description="how often a failed call is repeated")
    processes: int = Field(1, ge=1, le=64, description="processes of this machine that share the calls")
    retry_on: list[Annotated[int, Field(ge=400, le=599)]] = Field(
        [], description="further HTTP statuses to repeat calls for"
    )
    max_minutes: float | None = Field(
        None, gt=0, description="minutes after which no calls begin; the same command continues"
    )
    max_usd: float | None = Field(
        None, ge=0, description="spending cap of the run in dollars, over all its starts"
    )
    poll_s: float = Field(30, gt=0, description="seconds between looks at a batch")
    cache: Annotated[bool | str, pydantic.BeforeValidator(_switch_or_folder)] = Field(
        False, description="whether to reuse answers already paid for: true, false, or the cache's folder"
    )
    keep_raw: bool = Field(False, description="whether to keep raw requests and answers")


class RunConfig(_Fields):
    """A run: the data, who answers, who judges and how.

    `columns` names columns of a file of questions in `data` whose names do not say what they hold.
    `task` is the kind of answers judged, which selects the wording of the shipped templates.
    `lists` is the number of orders in which the responses to an instance are shown for ranking.
    `judge_transforms` are the transforms whose responses are judged (`none`: as written), all by default.
    `quality_judges` replace `judges` in the paradigm `quality`; their scores define equal quality.
    `gold_judges` compare all pairs too; their outcomes, and that of their panel `gold`, become preferences.
    `checker` decides the responses before they are judged: `rubrics` for the programs that rubrics name, or a
    verifier of reference answers.
    """

    study: str = Field(description="name of the study that is written, or continued")
    data: str | None = Field(
        None,
        min_length=1,
        description="data set, exchange folder or file of questions; none for a stored study",
    )
    columns: dict[str, str] = Field(
        {}, description="columns of a file of questions whose names do not say what they hold"
    )
    generators: Distinct[str] = Field([], description="models that answer")
    judges: Distinct[str] = Field([], description="models that judge")
    quality_judges: Distinct[str] = Field(
        [], description="judges of the paradigm `quality`; without them the judges"
    )
    gold_judges: Distinct[str] = Field(
        [],
        description="three or more judges that compare all pairs too; their outcomes are the gold of `dbg`",
    )
    paradigms: Distinct[Paradigm] = Field([], description="how judges are asked")
    variants: Distinct[str] = Field(
        ["default"], min_length=1, description="prompt templates: shipped ones by name, your own by path"
    )
    task: Task = Field(
        "general", description="kind of answers judged, which sets the wording of the shipped templates"
    )
    answer_template: str | None = Field(
        None,
        min_length=1,
        description="template around the prompts of answers: `200_words`, `boxed`, or the path of your own",
    )
    pairs: PairRule | list[DrawnRule] = Field(
        "all", description="which responses are compared: all, or those drawn by a rule, or by several"
    )
    mode: Literal["live", "batch"] = Field(
        "live", description="`batch` hands the calls to the provider's batch interface"
    )
    orderings: Distinct[str] = Field(
        ["original"],
        min_length=1,
        description="orders of the criteria in `all_rubrics`; equal orders are one call",
    )
    repeats: int = Field(0, ge=0, description="how often `score_rubric` repeats the order 1 to n")
    lists: int = Field(2, ge=1, description="in how many orders `listwise` shows the responses")
    seed: int = Field(0, ge=0, lt=2**63, description="seed of samples and of drawn pairs")
    judge_transforms: list[str] | None = Field(
        None, min_length=1, description="which transforms are judged (`none`: as written); without it all"
    )
    checker: Literal["rubrics", "exact", "choice", "boxed"] | None = Field(
        None,
        description="programs that check the answers before they are judged: by criteria, or final answers",
    )
    sample: Sample | None = Field(None, description="which instances take part; without it all")
    drawing: Drawing = Field(Drawing(), description="how pairs are drawn")
    transforms: dict[str, Transform] = Field({}, description="changes of responses, by name")
    models: dict[str, ModelConfig] = Field({}, description="the models, by name")
    run: Limits = Field(Limits(), description="how the calls are made")

    _text: str = PrivateAttr("")
    _folder: Path = PrivateAttr(Path())

    @pydantic.field_validator("orderings")
    @classmethod
    def _known_orderings(cls, value: list[str]) -> list[str]:
        for name in value:
            if _ORDERING.fullmatch(name) is None:
                raise ValueError(f"unknown ordering {name!r}; choose from: {', '.join(ORDERINGS)}")
        return value

    @property
    def text(self) -> str:
        """The TOML that was read; it contains no keys."""
        return self._text

    @property
    def folder(self) -> Path:
        """The folder that paths in the configuration are relative to."""
        return self._folder

    @property
    def data_path(self) -> Path:
        """The path of `data`, if it is a folder or a file of questions rather than the name of a data set."""
        return self.folder / os.path.expanduser(self.data or "")

    @property
    def has_local_data(self) -> bool:
        """Whether `data` is on this disk: a folder, or a file of questions."""
        if self.data is None or "\0" in self.data:
            return False
        path = os.fspath(self.data_path)
        return os.path.isdir(path) or (os.path.exists(path) and bool(self.data_path.suffix))

    @property
    def rules(self) -> tuple[PairRule, ...]:
        return (self.pairs,) if isinstance(self.pairs, str) else tuple(self.pairs)

    @property
    def judged_transforms(self) -> tuple[str, ...]:
        return tuple(self.judge_transforms or ("none", *self.transforms))

    @property
    def rewritings(self) -> dict[str, Transform]:
        return {name: each for name, each in self.transforms.items() if each.make == "rewrite"}

    def judges_of(self, paradigm: Paradigm) -> tuple[str, ...]:
        if paradigm == "pairwise":
            return tuple(dict.fromkeys((*self.judges, *self.gold_judges)))
        return tuple(self.quality_judges or self.judges) if paradigm == "quality" else tuple(self.judges)

    def models_with_fallback(self) -> tuple[str, ...]:
        rewriters = [transform.by for transform in self.transforms.values()]
        names = dict.fromkeys([*self.judges, *self.quality_judges, *self.gold_judges, *rewriters])
        return tuple(name for name in names if name in self.models and self.models[name].fallback)

    def run_models(self) -> tuple[str, ...]:
        """Return the models of `[models]` that may be called, in order."""
        rewriters = [rewriting.by for rewriting in self.rewritings.values()]
        names = {*self.generators, *self.judges, *self.quality_judges, *self.gold_judges, *rewriters}
        names |= {spare for name in self.models_with_fallback() for spare in self.models[name].fallback}
        return tuple(name for name in self.models if name in names)

    def model_rows(self) -> list[dict[str, Any]]:
        """Return the rows of the table `models`; a model without a family is related to itself only."""
        facts = {"provider", "size_b", "active_b", "base_model", "tuned_from", "distilled_from"}
        facts |= {"stage", "open_weights"}
        rows = []
        for name in self.run_models():
            model = self.models[name]
            rows.append({"model": name, "family": model.family or name, **model.model_dump(include=facts)})
        return rows


# ------------------------------------------------------------------------------
# Detection of keys: a configuration is stored with its run and may be published, so it must contain none.


_SECRET_FIELD = re.compile(
    r"(api|access|private|secret|auth)[_-]?key|secret|password|passwd|credential|authorization|bearer"
    r"|(^|[_-])(key|token)$",
    re.IGNORECASE,
)
_PREFIXES = ("sk-", "sk_", "AIza", "gsk_", "hf_", "xai-", "AKIA", "ghp_", "r8_", "pplx-", "Bearer ", "eyJ")
_SHORTEST_KEY = 20
_WORD_ENDS = re.compile(r"[\s/?&=,;:'\"<>()\[\]{}#]+")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_SENT_TABLES = frozenset(
    {"headers", "extra_headers", "default_headers", "query", "extra_query", "default_query"}
)
"""Tables of `params` that are sent as headers, or as parameters of the address."""
_SECRET_PARAMETER = re.compile(
    r"(set-)?cookie|code|sig|sign|signature|auth|x-auth|session(_?id)?|sas|hmac|pass|pwd|ticket",
    re.IGNORECASE,
)


def names_secret(field: str) -> bool:
    """Return whether a field of that name would hold a secret; `api_key_env` holds only a variable's name."""
    return field != "api_key_env" and _SECRET_FIELD.search(field) is not None


def looks_secret(value: object) -> bool:
    """Return whether a text is shaped like a key, or is an address that holds one."""
    if not isinstance(value, str):
        return False
    if (value.startswith(_PREFIXES) and len(value) >= _SHORTEST_KEY) or _holds_key(value):
        return True
    return "://" in value and _is_secret_address(value)


def _holds_key(text: str) -> bool:
    """Return whether a word of a text is shaped like a provider's key."""
    words = (word for word in _WORD_ENDS.split(text) if len(word) >= _SHORTEST_KEY)
    return any(word.startswith(_PREFIXES) and any(map(str.isdigit, word)) for word in words)


def _is_secret_address(address: str) -> bool:
    """Return whether an address has a password, or a key in its path or its parameters."""
    try:
        parts = urlsplit(address)
        if parts.password is not None:
            return True
    except ValueError:
        return False
    parameters = (*parse_qsl(parts.query), *parse_qsl(parts.fragment))
    return _mixes_kinds(unquote(parts.path)) or any(_sends_secret(*each) for each in parameters)


def _mixes_kinds(path: str) -> bool:
    """Return whether a path holds a run of small and large letters and digits that is no word."""
    runs = re.findall(rf"[A-Za-z0-9]{{{_SHORTEST_KEY},}}", path)
    return any(all(any(map(kind, run)) for kind in (str.isupper, str.islower, str.isdigit)) for run in runs)


def _sends_secret(name: str, value: object) -> bool:
    """Return whether a header or a parameter of an address holds a secret, by its name or its value."""
    if names_secret(name) or _SECRET_PARAMETER.fullmatch(name) is not None:
        return True
    if not isinstance(value, str):
        return False
    runs = _RUN.findall(value)
    return any(any(map(str.isdigit, run)) and any(map(str.isalpha, run)) for run in runs)


def secret_places(value: object, place: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    places = []
    if isinstance(value, Mapping):
        for name, inner in value.items():
            inner_place = (*place, str(name))
            # A table of that name may be a model called `token`; a list or a text is not.
            is_sent = place[-1:] != () and str(place[-1]).lower() in _SENT_TABLES
            of_secret = _sends_secret(str(name), inner) if is_sent else names_secret(str(name))
            if of_secret and not isinstance(inner, Mapping):
                places.append(inner_place)
            else:
                places += secret_places(inner, inner_place)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, inner in enumerate(value):
            places += secret_places(inner, (*place, number))
    elif looks_secret(value) and place[-1:] != ("api_key_env",):
        places.append(place)
    return places


# ------------------------------------------------------------------------------
# The options of one start of a run.


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th (from 1) of `count` parts of a plan, divided by the requests' keys."""

    number: int
    count: int

    @property
    def name(self) -> str:
        return f"{self.number}-of-{self.count}"

    def holds(self, key: str) -> bool:
        """Return whether the request with a key, its call's id, is in this part; each is in exactly one."""
        return int(key[:15], 16) % self.count == self.number - 1


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The command line's options for a run.

    `max_usd`, `cache` and `concurrency` override the configuration if given; `keep_raw` can only switch it
    on. `fresh` begins a new run instead of continuing the last one. `command` is what the user typed, for
    messages on how to continue. The journal is added to the study after `collect_calls` answers or
    `collect_seconds`, and at the end; a batch has at most `batch_calls` calls. After an interruption,
    answers under way have `grace_s` seconds to arrive. For distributed shards, `run_id` and `step` identify
    the run and its stage, and a lock is awaited for `wait_s` seconds. Judgments whose status or shortfall is
    in `redo` are withdrawn and requested again, even if the configuration changed. `share_usd` is what a
    shard may spend in this start, if others spend the rest of the cap. `no_cap` lifts a configuration's cap.
    """

    max_usd: float | None = None
    no_cap: bool = False
    fresh: bool = False
    shard: Shard | None = None
    share_usd: float | None = None
    command: str | None = None
    collect_calls: int = 20_000
    batch_calls: int = 10_000
    collect_seconds: float = 30.0
    grace_s: float = 5.0
    run_id: str | None = None
    step: int | None = None
    wait_s: float = 0.0
    redo: frozenset[str] = frozenset()
    cache: bool | str | None = None
    keep_raw: bool = False
    concurrency: int | Literal["auto"] | None = None


# ------------------------------------------------------------------------------
# Parsing TOML into a configuration; errors name the place, the value and what is allowed.


_NO_KEY = (
    "a configuration must not contain a key, as it is stored with the run; put the key into an environment "
    'variable and write its name: api_key_env = "NAME"; an address that holds one belongs in a variable '
    "too, such as OPENAI_API_BASE"
)
_LONGEST_VALUE = 80


def load_config(path: str | Path) -> RunConfig:
    """Read and check a configuration; UsageError names the file, the field, the value and the choices."""
    place = os.fspath(path)
    try:
        text = text_of(os.path.expanduser(path), WRITTEN_BY_HAND)
    except (OSError, ValueError) as error:
        why = system_words(error) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{place!r} cannot be read: {why}; give a configuration in TOML") from error
    return parse_config(text, place, Path(os.path.expanduser(path)).absolute().parent)


def parse_config(text: str, place: str = "the configuration", folder: Path | None = None) -> RunConfig:
    """Parse and check a configuration; its paths are relative to `folder`. Raises like `load_config`."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise UsageError(f"{place}: not TOML: {_without_values(error, text)}; correct that line") from None
    for secret in secret_places(raw):
        raise UsageError(f"{place}: {_toml_place(secret)}: {_NO_KEY}")
    for number, line in enumerate(text.splitlines(), start=1):  # comments and names are stored too
        if _holds_key(line):
            raise UsageError(f"{place}: line {number}: {_NO_KEY}")
    try:
        config = RunConfig.model_validate(raw)
    except pydantic.ValidationError as error:
        raise UsageError(f"{place}: {_first_mistake(error)}") from None
    config._text, config._folder = text, (folder or Path.cwd())
    try:
        _check_together(config)
    except UsageError as error:
        raise UsageError(f"{place}: {error.args[0]}") from None
    return config


def _without_values(error: Exception, text: str) -> str:
    """Return what is wrong and where, without quoting the text, which may be a key."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    last_line = f"line {len(text.splitlines())}, the end of the file"
    return re.sub(r"\(at (.*)\)$", r"(\1)", str(error)).replace("(end of document)", f"({last_line})")


def _first_mistake(error: pydantic.ValidationError) -> str:
    mistakes = error.errors(include_url=False)
    mistake = next((m for m in mistakes if m["type"] == "extra_forbidden"), mistakes[0])
    place, kind, value = mistake["loc"], mistake["type"], mistake["input"]
    name = _toml_place(place)
    if kind == "extra_forbidden":
        return f"{name}: unknown field; choose from: {', '.join(_fields_at(place[:-1]))}"
    if kind == "missing":
        return f"{name} is missing; give it a value"
    if any(names_secret(str(part)) or part == "api_key_env" for part in place):
        return f"{name}: {_NO_KEY}"
    quote = repr(value)
    quote = quote if len(quote) <= _LONGEST_VALUE else quote[:_LONGEST_VALUE] + "…"
    if kind == "literal_error":
        choices = ", ".join(re.findall(r"'([^']*)'", mistake["ctx"]["expected"]))
        return f"{name}: unknown value {quote}; choose from: {choices}"
    return f"{name} is {quote}: {mistake_words(mistake)}"


def _toml_place(place: tuple[str | int, ...]) -> str:
    """Return a place in TOML notation; list positions count from 1, and branches of a union are left out."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f" (number {part + 1})"
        elif not part.startswith(("literal[", "list[")):
            text += f".{part}" if text else part
    return text


def _fields_at(place: tuple[str | int, ...]) -> list[str]:
    model: Any = RunConfig
    for part in place:
        if not _is_table(model):  # a table of tables, by name
            model = get_args(model)[1]
            continue
        model = model.model_fields[str(part)].annotation
        if get_origin(model) is not dict:  # an optional table
            model = next((each for each in get_args(model) if _is_table(each)), model)
    return list(model.model_fields) if _is_table(model) else []


def _is_table(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, pydantic.BaseModel)


def _check_together(config: RunConfig) -> None:
    try:
        check_name(config.study)
    except UsageError as error:
        raise UsageError(f"study: {error}") from None
    if not config.judges and not config.generators and not config.quality_judges:
        raise UsageError("there are neither judges nor generators; name at least one of them")
    if (config.judges or config.quality_judges) and not config.paradigms:
        raise UsageError('paradigms is empty; name at least one, such as ["single_rubric"]')
    for field in ("judges", "quality_judges", "gold_judges"):
        for name in getattr(config, field):
            _check_choice(name, config.models, field, "model")
    for paradigm in config.paradigms:
        if not config.judges_of(paradigm):
            raise UsageError(f"judges is empty, and {paradigm!r} needs some; name them")
    _check_gold(config)
    _check_transforms(config)
    _check_fallbacks(config)
    for name, model in config.models.items():
        if model.simulated:
            from engine.simulation.planted import parse_planted

            parse_planted(_toml_place(("models", name, "simulated")), model.simulated)
    if config.sample is not None and config.sample.min_per_stratum and config.sample.stratify is None:
        raise UsageError(
            f"sample.min_per_stratum is {config.sample.min_per_stratum!r} and sample.stratify is "
            "missing; name the column, such as category"
        )
    _check_data(config)
    _check_templates(config)
    if config.checker == "boxed":
        from engine.checkers import make_check

        try:
            make_check("boxed", {"reference_answer": "1"})
        except UsageError as error:
            raise UsageError(f"checker: {error}") from None


def _check_gold(config: RunConfig) -> None:
    """Refuse gold judges that could decide nothing."""
    if not config.gold_judges:
        return
    if len(config.gold_judges) < _FEWEST_GOLD_JUDGES:
        raise UsageError(
            f"gold_judges has {len(config.gold_judges)}, and a panel needs {_FEWEST_GOLD_JUDGES}; name more"
        )
    if "pairwise" not in config.paradigms or config.pairs != "all":
        raise UsageError('gold_judges compare all pairs; write paradigms = ["pairwise"] and pairs = "all"')


def _check_transforms(config: RunConfig) -> None:
    for name, transform in config.transforms.items():
        if name == "none":
            raise UsageError("transforms.none: 'none' means not rewritten; choose another name")
        if transform.make == "rewrite":
            if transform.by is None:
                raise UsageError(f"transforms.{name}.by is missing; name the model that rewrites")
            _check_choice(transform.by, config.models, f"transforms.{name}.by", "model")
        elif transform.by is not None or transform.template is not None:
            field = "by" if transform.by is not None else "template"
            raise UsageError(
                f"transforms.{name}.{field} is {getattr(transform, field)!r}, and "
                f"{transform.make!r} needs no model; leave it out"
            )
        if transform.names and transform.make != "author":
            raise UsageError(
                f"transforms.{name}.names is given, and {transform.make!r} names nobody; leave it out"
            )
        for generator in transform.generators:
            if config.generators:
                _check_choice(generator, config.generators, f"transforms.{name}.generators", "generator")


def _check_fallbacks(config: RunConfig) -> None:
    """Refuse a fallback whose verdicts could be confused with others of the run."""
    stands_for: dict[str, str] = {}
    for name in config.models_with_fallback():
        field = _toml_place(("models", name, "fallback"))
        if config.mode == "batch":
            raise UsageError(f'{field}: batches have no fallback; leave it out, or write mode = "live"')
        for spare in config.models[name].fallback:
            _check_choice(spare, config.models, field, "model")
            if spare in (*config.judges, *config.quality_judges, *config.gold_judges):
                raise UsageError(
                    f"{field}: {spare!r} is a judge of this run and has verdicts of its own; name another"
                )
            if spare in stands_for:
                raise UsageError(
                    f"{field}: {spare!r} stands in for {stands_for[spare]!r} already, and would have two "
                    "verdicts on one response; name another"
                )
            stands_for[spare] = name


def _check_data(config: RunConfig) -> None:
    is_questions = config.has_local_data and not config.data_path.is_dir()
    if config.columns and not is_questions:
        raise UsageError("columns applies to data that is a file of questions; leave it out")
    if is_questions:
        from engine.importers.question_file import COLUMNS

        for name in config.columns:
            _check_choice(name, COLUMNS, "columns", "column")
    if config.data is None or config.has_local_data:
        return
    from engine.importers.datasets import catalogue

    names = catalogue()
    if config.data not in names:
        raise UsageError(
            f"data: {config.data!r} is neither a file, a folder nor a known data set; give a file of "
            f"questions, a folder of tables, or choose from: {', '.join(names)}"
        )


def _check_templates(config: RunConfig) -> None:
    from engine.collect.paradigms.templates import answer_template, judging_templates, rewriting_template

    try:
        judging_templates(config.paradigms, config.variants, config.task, config.folder)
    except UsageError as error:
        raise UsageError(f"variants: {error}") from None
    if config.answer_template is not None:
        try:
            answer_template(config.answer_template, config.folder)
        except UsageError as error:
            raise UsageError(f"answer_template: {error}") from None
    for name, rewriting in config.rewritings.items():
        try:
            rewriting_template(name, rewriting.template, config.folder)
        except UsageError as error:
            raise UsageError(f"transforms.{name}.template: {error}") from None


def _check_choice(name: str, names: Mapping[str, object] | list[str], field: str, kind: str) -> None:
    if name not in names:
        choices = ", ".join(names) or "(there are none)"
        raise UsageError(f"{field}: unknown {kind} {name!r}; choose from: {choices}")
