"""The tables of a study, declared once: columns, keys, and the values that are allowed."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from engine.paradigms import PARADIGMS, SHORTFALLS

SCHEMA_VERSION = 1

Kind = Literal["text", "integer", "number", "boolean", "time"]
Status = Literal["ok", "unparsed", "refused", "error"]
Provenance = Literal["api", "imported", "simulated", "mixed"]
DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
"""The dimensions of quality ratings and structured pairs; the rubric_id of their rows."""
Beside = Literal["plain", "itself"]
"""What a response is paired with, if not the other response under the same transform."""
BESIDE: tuple[Beside, ...] = get_args(Beside)
STATUSES: tuple[Status, ...] = get_args(Status)
OUTCOMES = {"generator": 1, "tie": 0, "opponent": -1}
"""The stored outcome of a preference, by the side that is better."""
PROVENANCES: tuple[Provenance, ...] = get_args(Provenance)


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column: what it holds, which values it may take, and its default.

    `required` columns must be present and filled in; any other takes `default` if absent (None: null).
    `refers` names the table whose key the value must be found in. `low` and `high` bound a number, inclusive;
    `choices` lists the allowed texts; `pattern` is a regular expression that any other text must match.
    """

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    default: str | int | float | bool | None = None
    refers: str | None = None
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    low: float | None = None
    high: float | None = None
    json: bool = False


@dataclass(frozen=True)
class TableSchema:
    """One table: its columns in the order they are stored, its key, and whether a study must have it."""

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[ColumnSchema, ...]
    compulsory: bool = False

    def column(self, name: str) -> ColumnSchema:
        """Return the column of that name; KeyError if there is none."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, ColumnSchema]:
        return {column.name: column for column in self.columns}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def _text(name: str, meaning: str, **options: object) -> ColumnSchema:
    return ColumnSchema(name, "text", meaning, **options)  # type: ignore[arg-type]


def _share(name: str, meaning: str) -> ColumnSchema:
    return ColumnSchema(name, "number", meaning, low=0, high=1)


def _key(name: str, meaning: str, refers: str | None = None) -> ColumnSchema:
    return ColumnSchema(name, "text", meaning, required=True, refers=refers)


_INSTANCE = _key("instance_id", "the question", refers="instances")
_GENERATOR = _key("generator", "the model that wrote the answer", refers="models")

MODELS = TableSchema(
    "models",
    "the models that judged or answered",
    ("model",),
    (
        _key("model", "the model's name in this study"),
        _text("family", "its family; models with the same value are one family", required=True),
        _text("provider", "who serves the model"),
        ColumnSchema("size_b", "number", "parameters, in billions", low=0),
        ColumnSchema("active_b", "number", "active parameters, in billions", low=0),
        _text("model_id", "the provider's snapshot of the model"),
        _text("base_model", "the model it was trained from"),
        _text("tuned_from", "the fine-tuned model that it was tuned from"),
        _text("distilled_from", "the models whose outputs it was trained on, separated by commas"),
        _text("stage", "how far it was trained", choices=("base", "post-trained", "reasoning")),
        ColumnSchema("open_weights", "boolean", "whether its weights are public"),
    ),
    compulsory=True,
)

INSTANCES = TableSchema(
    "instances",
    "the prompts that models answered",
    ("instance_id",),
    (
        _key("instance_id", "the question"),
        _text("prompt", "plain text, or a JSON list of chat messages"),
        _text("theme", "the topic"),
        _text("category", "the kind of task"),
        _text("language", "the language of the prompt"),
        _text("segment", "a division of the study's own, such as channel or difficulty"),
        _text("reference_answer", "an answer known to be good"),
        _text("context", "background that the answer must rely on"),
    ),
    compulsory=True,
)

RUBRICS = TableSchema(
    "rubrics",
    "the criteria that answers are judged by",
    ("instance_id", "rubric_id"),
    (
        _INSTANCE,
        _key("rubric_id", "the criterion, unique within its question"),
        _text("criterion", "what the answer is checked for"),
        ColumnSchema("length", "integer", "length of the criterion, in characters", low=0),
        ColumnSchema(
            "points", "number", "points for meeting it; below 0 if meeting it is undesirable", default=1
        ),
        _text("axis", "the quality that it is about"),
        _text("theme", "its own topic, where the criteria of a question differ in it"),
        _text("checker", "the program that checks it"),
        _text("checker_kwargs", "the checker's arguments", json=True),
        _text("options", "criteria with scores only: a list of {score, text}", json=True),
    ),
)

RESPONSES = TableSchema(
    "responses",
    "what the models wrote",
    ("instance_id", "generator", "transform"),
    (
        _INSTANCE,
        _GENERATOR,
        _text("text", "text of the answer"),
        _text("finish_reason", "why the answer ended, in the provider's words"),
        _text("shortfall", "what is wrong with the answer, if anything", choices=SHORTFALLS),
        ColumnSchema("completion_tokens", "integer", "length of the answer, in tokens", low=0),
        _text("transform", "how the answer was rewritten or presented; none: as written", default="none"),
        _text("transformed_by", "the model that rewrote it", refers="models"),
        _text("author", "author's name shown to judges; null if none is shown"),
        _text(
            "beside",
            "what it is paired with: `plain`, the other answer as written; `itself`, the same "
            "text again; null, the other answer under the same transform",
            choices=BESIDE,
        ),
        _text("run_id", "the run that collected it", default="import"),
    ),
)

REFERENCES = TableSchema(
    "references",
    "verdicts and scores taken as true",
    ("instance_id", "generator", "rubric_id", "source"),
    (
        _INSTANCE,
        _GENERATOR,
        _key("rubric_id", "the criterion"),
        _text(
            "source",
            "who gave the verdict or score; any name that is no model's",
            required=True,
            choices=("program", "program:loose", "human"),
            pattern=r"(human|committee):.+|[^:]+",
        ),
        ColumnSchema("met", "boolean", "whether the criterion is met; null if the source could not tell"),
        ColumnSchema("score", "number", "score, for criteria with scores"),
    ),
)

PREFERENCES = TableSchema(
    "preferences",
    "which of two answers is better, according to gold judges or people",
    ("instance_id", "generator", "opponent", "source", "transform"),
    (
        _INSTANCE,
        _GENERATOR,
        _key("opponent", "the model that it is compared with", refers="models"),
        _key("source", "name of the gold judge, or human:<id>"),
        ColumnSchema(
            "outcome",
            "integer",
            "+1: the model's answer is better; 0: equal; -1: the opponent's is better",
            required=True,
            low=-1,
            high=1,
        ),
        _text("transform", "which rewriting of both was compared; none: as written", default="none"),
    ),
)

PAIRS = TableSchema(
    "pairs",
    "pairs drawn for judging",
    ("purpose", "judge", "instance_id", "generator", "opponent"),
    (
        _text(
            "purpose", "what the pair is for", required=True, choices=("equal", "null", "contrast", "proxy")
        ),
        _key("judge", "the judge that the pair is for", refers="models"),
        _INSTANCE,
        _GENERATOR,
        _key("opponent", "the model that wrote the other answer", refers="models"),
        _text("rule", "the rule that drew the pair"),
        ColumnSchema("seed", "integer", "the seed of the draw"),
    ),
)

RUNS = TableSchema(
    "runs",
    "how judgments and answers were collected",
    ("run_id", "model", "role", "paradigm", "variant"),
    (
        _key("run_id", "the run"),
        _key("model", "the model that was called", refers="models"),
        _text("role", "its role in the run", required=True, choices=("judge", "generator")),
        _text("paradigm", "the paradigm", choices=PARADIGMS),
        _text("variant", "the prompt template", default="default"),
        _text("provenance", "where the answers come from", choices=PROVENANCES),
        _text("model_id", "the provider's snapshot of the model"),
        ColumnSchema("temperature", "number", "sampling temperature", low=0),
        _share("top_p", "nucleus sampling threshold"),
        ColumnSchema("max_tokens", "integer", "most tokens per answer", low=0),
        ColumnSchema("seed", "integer", "seed sent with each call"),
        _text("reasoning", "reasoning effort requested"),
        ColumnSchema("logprobs", "boolean", "whether token probabilities were requested"),
        _text("template", "file of the prompt template"),
        _text("template_sha256", "SHA-256 of the prompt template"),
        _text("config", "configuration of the run (TOML)"),
        _text("software", "versions of the software that made the calls"),
        ColumnSchema("started_at", "time", "start of the run"),
        ColumnSchema("finished_at", "time", "end of the run"),
        ColumnSchema("calls", "integer", "HTTP requests, retries included", low=0),
        ColumnSchema("prompt_tokens", "integer", "tokens sent", low=0),
        ColumnSchema("completion_tokens", "integer", "tokens received", low=0),
        ColumnSchema(
            "cost_usd", "number", "cost of the answers, in US dollars; null if the price is unknown", low=0
        ),
        ColumnSchema("seconds", "number", "sum of the calls' durations in seconds, waiting included", low=0),
        ColumnSchema("structured", "integer", "answers that the server constrained to a JSON schema", low=0),
        _text("redone", "which answers were withdrawn and requested again, when, and what had changed"),
        ColumnSchema("cached", "integer", "calls answered from the answer cache", low=0),
        ColumnSchema("saved_usd", "number", "what the cached answers cost originally, in US dollars", low=0),
        _text("answered_as", "names of the model in its answers, with their numbers of calls (JSON)"),
        _text("fingerprints", "the server's fingerprints in the answers, with their numbers of calls (JSON)"),
        _text("addresses", "addresses that answered, with their numbers of calls (JSON)"),
        _text(
            "changed", "what differed between starts of the run: the name in answers, fingerprint, address"
        ),
    ),
)

TEMPLATES = TableSchema(
    "templates",
    "the prompt templates of runs",
    ("template_sha256",),
    (
        _key("template_sha256", "SHA-256 of the text, as in runs"),
        _text("paradigm", "the paradigm; null for templates that rewrite answers", choices=PARADIGMS),
        _text("variant", "name of the template", default="default"),
        _text("text", "text of the template, with placeholders such as {{response}}", required=True),
    ),
)

JUDGMENTS = TableSchema(
    "judgments",
    "one row for each verdict, score or choice of a judge",
    (
        *("judge", "paradigm", "variant", "transform", "instance_id", "generator", "opponent", "first"),
        *("rubric_id", "ordering", "trial", "run_id"),
    ),
    (
        _text("run_id", "the run that collected it", default="import"),
        _text("call_id", "the call that it came from; several rows may share one"),
        _key("judge", "the model that judged", refers="models"),
        _text("paradigm", "the paradigm", required=True, choices=PARADIGMS),
        _text("variant", "name of the prompt template", default="default"),
        _text("transform", "which rewriting of the answer was judged; none: as written", default="none"),
        _INSTANCE,
        _GENERATOR,
        _text("opponent", "pairs: the model that wrote the other answer", refers="models"),
        _text(
            "first",
            "pairs: which answer was shown first; `unknown` if not recorded, null if resolved "
            "over both orders",
            choices=("generator", "opponent", "unknown"),
        ),
        _text("rubric_id", "the criterion; for quality and structured pairs, the dimension"),
        _text(
            "ordering",
            "the order in which criteria or options were shown; for lists of answers, their models "
            "in the order shown, as a JSON list that identifies the list",
        ),
        ColumnSchema(
            "position",
            "integer",
            "place of the criterion, the chosen option or the listed answer, from 1",
            low=1,
        ),
        ColumnSchema("trial", "integer", "number of the repeat, from 0", default=0, low=0),
        ColumnSchema("met", "boolean", "paradigms of criteria: whether the judge finds the criterion met"),
        ColumnSchema(
            "score",
            "number",
            "the judge's score; for lists of answers, the rank (1 is the best); for familiarity, "
            "the mean log-probability per token of the answer",
        ),
        _text("choice", "pairs: the judge's choice", choices=("generator", "opponent", "tie")),
        _share("p_generator", "probability that the model's answer is chosen, ties left out"),
        _share("p_tie", "probability of a tie"),
        _share("p_mass", "total probability of the labels before they are normalized"),
        _text(
            "status", "whether the answer holds a verdict, and if not, why", default="ok", choices=STATUSES
        ),
        _text("shortfall", "what is wrong with an answer without a readable verdict", choices=SHORTFALLS),
        _text("explanation", "the judge's explanation"),
        _text("raw", "the model's answer, word for word"),
        _text("finish_reason", "why the answer ended, in the provider's words"),
        _text("stood_in_for", "the judge originally asked, if a fallback model answered", refers="models"),
        ColumnSchema("latency_s", "number", "duration of the call, in seconds", low=0),
        ColumnSchema("prompt_tokens", "integer", "tokens sent", low=0),
        ColumnSchema("completion_tokens", "integer", "tokens received", low=0),
        ColumnSchema("cost_usd", "number", "cost of the call, in US dollars", low=0),
        ColumnSchema("created_at", "time", "when the answer arrived"),
        ColumnSchema("cached", "boolean", "whether the answer came from the answer cache, at no cost"),
    ),
)

ANNOTATIONS = TableSchema(
    "annotations",
    "labels by people",
    ("annotator", "task", "item", "round"),
    (
        _key("annotator", "the labeller; `adjudicated` for a label that settles a disagreement"),
        _key("task", "the task; all its rows are of one kind"),
        _key("item", "the item within the task"),
        ColumnSchema("round", "integer", "1, or 2 for a hidden repeat", default=1, low=1),
        _text(
            "kind",
            "what the labeller was asked",
            choices=("equal_pair", "preference", "clusters", "rubric_verdict", "score"),
        ),
        _text("instance_id", "the question", refers="instances"),
        _text("generator", "the model that wrote the answer", refers="models"),
        _text("opponent", "pairs: the model that wrote the other answer", refers="models"),
        _text("rubric_id", "the criterion"),
        _text(
            "value",
            "the label, in terms of answers, never of sides. equal_pair: `generator` (is better), "
            "`equal` or `opponent`; preference: `generator`, `tie` or `opponent`; clusters, one row "
            'per question: a JSON object of models and quality levels, `{"model": 1}`; '
            "rubric_verdict: `met`, `not_met` or `cannot_tell`; score: the number. Null if skipped",
        ),
        _text("confidence", "how sure the labeller was"),
        _text("reason", "why the item was skipped, or settled this way"),
        _text("comment", "the labeller's comment"),
        ColumnSchema("seconds", "number", "time taken, in seconds", low=0),
        ColumnSchema("created_at", "time", "when the label was given"),
    ),
)

_TABLES = (
    *(MODELS, INSTANCES, RUBRICS, RESPONSES, REFERENCES, PREFERENCES, PAIRS, RUNS, TEMPLATES),
    *(JUDGMENTS, ANNOTATIONS),
)
TABLES: dict[str, TableSchema] = {table.name: table for table in _TABLES}
