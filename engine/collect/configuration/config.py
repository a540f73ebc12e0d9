"""The fields of a run's configuration, with their bounds and defaults."""

import math
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import pydantic
from pydantic import Field, PrivateAttr

from engine.collect.configuration.config_secrets import KEY_PREFIXES, SHORTEST_KEY
from engine.paradigms import Paradigm

PairRule = Literal["all", "equal", "null", "contrast", "proxy"]
DrawnRule = Literal["equal", "null", "contrast", "proxy"]
Task = Literal["general", "objective", "help", "facts", "translation", "code", "summary", "choice", "reading"]
ORDERINGS = ("original", "reversed", "rotated", "rotated-2", "rotated-3, ...")
"""How the rubrics of a list may be ordered; `rotated` stands for every rotation."""


FEWEST_GOLD_JUDGES = 3


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
    may_be_key = name.startswith(KEY_PREFIXES) or (len(name) >= SHORTEST_KEY and mixes_kinds)
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


PRICE_FORM = '"IN/OUT", in US dollars per million tokens sent and received, such as "0.8/4"'


def dollars_per_million(text: str) -> tuple[float, float]:
    """Return the prices of a text such as `0.8/4`, of tokens sent and received; ValueError for others."""
    sent, received = (float(part) for part in text.split("/"))
    if not (0 <= sent < math.inf and 0 <= received < math.inf):
        raise ValueError
    return sent, received


def _price(value: object) -> object:
    """Return the table of a price that is written in short."""
    if isinstance(value, dict | Price):
        return value
    try:
        return dict(zip(Price.model_fields, dollars_per_million(str(value)), strict=True))
    except ValueError:
        raise ValueError(f"write it as {PRICE_FORM}") from None


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
    the paradigm familiarity: in its chat format, or as plain text that the server echoes. By `protocol` a
    base model continues a text: a judge's verdict is the option whose continuation is likelier. The models
    of `fallback` are called instead, one after the other, if a call of a judge or a rewriter failed for one
    of the causes in `fallback_on`.
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
    price: Annotated[Price | None, pydantic.BeforeValidator(_price)] = Field(
        None, description='its price, where litellm does not know it; `"0.8/4"` is short for the table'
    )
    batch_price: Annotated[Price | None, pydantic.BeforeValidator(_price)] = Field(
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
        "chat", description="how log-probabilities of answers are requested (paradigm `familiarity`)"
    )
    protocol: Literal["chat", "completion"] = Field(
        "chat",
        description="`completion`: a base model that continues a text; its verdict is the likelier letter",
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
    """Which questions take part: `n` of them, spread over the values of a column."""

    n: int = Field(ge=1, description="how many questions")
    stratify: Literal["category", "theme", "language", "segment"] | None = Field(
        None, description="column over whose values they are spread"
    )
    min_per_stratum: int = Field(0, ge=0, description="fewest questions of each value")


Change = Literal["rewrite", "author", "padding", "authority", "injection", "identical"]


class Transform(_Fields):
    """How answers are changed, and whose.

    `make = "rewrite"`: the model `by` rewrites them with `template`, by default that of the transform's name.
    The others need no model: `author` tells the judge the author (from `names`, else the model's name in the
    study), `padding`, `authority` and `injection` add words that improve no answer, and `identical` pairs a
    answer with itself.
    """

    make: Change = Field(
        "rewrite", description="how answers are changed: rewritten by a model, or without one"
    )
    by: str | None = Field(None, description="model that rewrites")
    template: str | None = Field(
        None,
        description="template of the rewriting, or its path; without it that of the transform's name",
    )
    names: dict[str, str] = Field({}, description="`author`: the names shown for models")
    generators: list[str] = Field([], description="whose answers are changed; without it everybody's")


class Drawing(_Fields):
    """How pairs are drawn (MEASURES sections 9 and 10)."""

    quality: Literal["judged", "reference"] = Field(
        "judged", description="what says which answers are equally good"
    )
    epsilon: float = Field(0.25, ge=0, description="largest difference in quality of equal answers, of 10")
    gap: float = Field(2.0, ge=0, description="smallest difference of clearly different ones, of 10")
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
    trial_usd: float = Field(
        0.0, ge=0, description="what trial calls cost before the run, in dollars; counts toward `max_usd`"
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
    `lists` is the number of orders in which the answers to a question are shown for ranking.
    `judge_transforms` are the transforms whose answers are judged (`none`: as written), all by default.
    `quality_judges` replace `judges` in the paradigm `quality`; their scores define equal quality.
    `gold_judges` compare all pairs too; their outcomes, and that of their panel `gold`, become preferences.
    `checker` decides the answers before they are judged: `rubrics` for the programs that criteria name, or a
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
        "all", description="which answers are compared: all, or those drawn by a rule, or by several"
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
    lists: int = Field(2, ge=1, description="in how many orders `listwise` shows the answers")
    seed: int = Field(0, ge=0, lt=2**63, description="seed of samples and of drawn pairs")
    judge_transforms: list[str] | None = Field(
        None, min_length=1, description="which transforms are judged (`none`: as written); without it all"
    )
    checker: Literal["rubrics", "exact", "choice", "boxed"] | None = Field(
        None,
        description="programs that check the answers before they are judged: by criteria, or final answers",
    )
    sample: Sample | None = Field(None, description="which questions take part; without it all")
    drawing: Drawing = Field(Drawing(), description="how pairs are drawn")
    transforms: dict[str, Transform] = Field({}, description="changes of answers, by name")
    models: dict[str, ModelConfig] = Field({}, description="the models, by name")
    run: Limits = Field(Limits(), description="how the calls are made")

    _text: str = PrivateAttr("")
    _folder: Path = PrivateAttr(Path())
    _notes: tuple[str, ...] = PrivateAttr(())

    @pydantic.field_validator("orderings")
    @classmethod
    def _known_orderings(cls, value: list[str]) -> list[str]:
        for name in value:
            if _ORDERING.fullmatch(name) is None:
                raise ValueError(f"unknown ordering {name!r}; choose from: {', '.join(ORDERINGS)}")
        return value

    @property
    def text(self) -> str:
        """The TOML that was read, with what it left out; it contains no keys."""
        return self._text

    @property
    def notes(self) -> tuple[str, ...]:
        """What was added to the text that was read, in words."""
        return self._notes

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
