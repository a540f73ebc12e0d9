"""The tables of a study, declared once.

Readers, writers, the checks that import and validate share, and `docs/store.md` all use `TABLES`.
This module imports nothing but the standard library, so that asking for a column's name costs nothing.
"""

from dataclasses import dataclass
from typing import Literal

SCHEMA_VERSION = 1

Kind = Literal["text", "integer", "number", "boolean", "time"]
Paradigm = Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise", "score_rubric", "quality"]
Status = Literal["ok", "unparsed", "refused", "error"]
Provenance = Literal["api", "imported", "simulated", "mixed"]

PARADIGMS: tuple[Paradigm, ...] = (
    "single_rubric",
    "all_rubrics",
    "direct_assessment",
    "pairwise",
    "score_rubric",
    "quality",
)
RUBRIC_PARADIGMS: tuple[Paradigm, ...] = ("single_rubric", "all_rubrics")
COMPARABLE: tuple[Paradigm, ...] = ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
"""The paradigms in which responses can be compared, in the order of preference."""
DIMENSIONS = ("relevance", "accuracy", "depth", "logic", "clarity")
"""What quality is rated on and structured pairs are judged by; the rubric_id of such rows."""
STATUSES: tuple[Status, ...] = ("ok", "unparsed", "refused", "error")
PROVENANCES: tuple[Provenance, ...] = ("api", "imported", "simulated", "mixed")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it holds, which values it may take, and what stands where it is left out.

    `required` columns must be there and filled in; of the others, an absent one takes `default`
    (None: null). `refers` names the table whose key the value must be found in. `low` and `high`
    bound a number, ends included; `choices` closes a set; `pattern` is a regular expression that a
    text not among the choices may match instead.
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


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns in the order they are stored, its key, and whether a study must have it."""

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    compulsory: bool = False

    def column(self, name: str) -> Column:
        """Return the column of that name; KeyError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in stored order."""
        return tuple(column.name for column in self.columns)


def _text(name: str, meaning: str, **rest: object) -> Column:
    return Column(name, "text", meaning, **rest)  # type: ignore[arg-type]


def _key(name: str, meaning: str, refers: str | None = None) -> Column:
    return Column(name, "text", meaning, required=True, refers=refers)


_INSTANCE = _key("instance_id", "the instance", refers="instances")
_GENERATOR = _key("generator", "the model whose response it is", refers="models")

MODELS = Table(
    "models",
    "every model that judged or answered",
    ("model",),
    (
        _key("model", "the model's name in this study"),
        _text("family", "the models it is kin to share this name", required=True),
        _text("provider", "who serves it"),
        Column("size_b", "number", "parameters, in billions", low=0),
        Column("active_b", "number", "active parameters, in billions", low=0),
        _text("model_id", "the provider's snapshot"),
        _text("base_model", "the model it was trained from"),
        _text("stage", "how far it was trained", choices=("base", "post-trained", "reasoning")),
        Column("open_weights", "boolean", "whether its weights are public"),
    ),
    compulsory=True,
)

INSTANCES = Table(
    "instances",
    "the questions that models answered",
    ("instance_id",),
    (
        _key("instance_id", "the instance"),
        _text("prompt", "plain text, or a JSON list of chat messages"),
        _text("theme", "what it is about"),
        _text("category", "its kind of task"),
        _text("language", "the language it is written in"),
        _text("reference_answer", "an answer known to be good"),
        _text("context", "what the answer must rest on"),
    ),
    compulsory=True,
)

RUBRICS = Table(
    "rubrics",
    "the criteria that responses are judged by",
    ("instance_id", "rubric_id"),
    (
        _INSTANCE,
        _key("rubric_id", "the rubric, within its instance"),
        _text("criterion", "what is asked of a response"),
        Column("length", "integer", "characters of the criterion", low=0),
        Column("points", "number", "its weight; below 0 where meeting it is undesirable", default=1),
        _text("axis", "the quality it is about"),
        _text("theme", "its theme, where rubrics of one instance differ"),
        _text("checker", "the program that decides it"),
        _text("checker_kwargs", "the program's arguments", json=True),
        _text("options", "score rubrics: a list of {score, text}", json=True),
    ),
)

RESPONSES = Table(
    "responses",
    "what the generators wrote",
    ("instance_id", "generator", "transform"),
    (
        _INSTANCE,
        _GENERATOR,
        _text("text", "the response"),
        _text("finish_reason", "why it ended"),
        Column("completion_tokens", "integer", "its length in tokens", low=0),
        _text("transform", "the style or obfuscation it was rewritten in", default="none"),
        _text("transformed_by", "the model that rewrote it", refers="models"),
        _text("run_id", "the run that collected it", default="import"),
    ),
)

REFERENCES = Table(
    "references",
    "the verdicts and scores taken as true",
    ("instance_id", "generator", "rubric_id", "source"),
    (
        _INSTANCE,
        _GENERATOR,
        _key("rubric_id", "the rubric"),
        _text(
            "source",
            "who says so",
            required=True,
            choices=("program", "program:loose", "human"),
            pattern=r"(human|committee):.+",
        ),
        Column("met", "boolean", "whether the criterion is met; null where the source could not tell"),
        Column("score", "number", "the score of a score rubric"),
    ),
)

PREFERENCES = Table(
    "preferences",
    "which of two responses is better, as gold judges and people say",
    ("instance_id", "generator", "opponent", "source"),
    (
        _INSTANCE,
        _GENERATOR,
        _key("opponent", "the model it is compared with", refers="models"),
        _key("source", "the gold judge's model name, or human:<id>"),
        Column(
            "outcome",
            "integer",
            "+1 the generator is better, 0 equal, -1 the opponent is better",
            required=True,
            low=-1,
            high=1,
        ),
    ),
)

PAIRS = Table(
    "pairs",
    "the pairs drawn to be judged",
    ("purpose", "judge", "instance_id", "generator", "opponent"),
    (
        _text(
            "purpose",
            "what they were drawn for",
            required=True,
            choices=("equal", "null", "contrast", "proxy"),
        ),
        _key("judge", "the judge they were drawn for", refers="models"),
        _INSTANCE,
        _GENERATOR,
        _key("opponent", "the other response", refers="models"),
        _text("rule", "the rule they were drawn by"),
        Column("seed", "integer", "the seed of the draw"),
    ),
)

RUNS = Table(
    "runs",
    "how judgments and responses came about",
    ("run_id", "model", "role", "paradigm", "variant"),
    (
        _key("run_id", "the run"),
        _key("model", "the model that was called", refers="models"),
        _text("role", "what it did", required=True, choices=("judge", "generator")),
        _text("paradigm", "the way of judging", choices=PARADIGMS),
        _text("variant", "the prompt template", default="default"),
        _text("provenance", "where the answers come from", choices=PROVENANCES),
        _text("model_id", "the provider's snapshot"),
        Column("temperature", "number", "the sampling temperature", low=0),
        Column("top_p", "number", "the nucleus of sampling", low=0, high=1),
        Column("max_tokens", "integer", "the longest answer asked for", low=0),
        Column("seed", "integer", "the seed sent with each call"),
        _text("reasoning", "the reasoning effort asked for"),
        Column("logprobs", "boolean", "whether token probabilities were asked for"),
        _text("template", "the prompt template's file"),
        _text("template_sha256", "its content's hash"),
        _text("config", "the run's configuration (TOML)"),
        _text("software", "versions of what made the calls"),
        Column("started_at", "time", "when it began"),
        Column("finished_at", "time", "when it ended"),
        Column("calls", "integer", "HTTP requests, retries included", low=0),
        Column("prompt_tokens", "integer", "tokens sent", low=0),
        Column("completion_tokens", "integer", "tokens received", low=0),
        Column("cost_usd", "number", "what the answers cost; null where the price is unknown", low=0),
        Column("seconds", "number", "time the calls took, one after the other, waits included", low=0),
    ),
)

TEMPLATES = Table(
    "templates",
    "the words in which models were asked",
    ("template_sha256",),
    (
        _key("template_sha256", "the hash of the words, as in runs"),
        _text("paradigm", "the way of judging; null for a rewriting of responses", choices=PARADIGMS),
        _text("variant", "the template's name", default="default"),
        _text("text", "the words, with places such as {{response}} for the texts", required=True),
    ),
)

JUDGMENTS = Table(
    "judgments",
    "one row for each thing a judge said",
    (
        "judge",
        "paradigm",
        "variant",
        "transform",
        "instance_id",
        "generator",
        "opponent",
        "first",
        "rubric_id",
        "ordering",
        "trial",
        "run_id",
    ),
    (
        _text("run_id", "the run it belongs to", default="import"),
        _text("call_id", "the call it came from; several rows may share one"),
        _key("judge", "the model that judged", refers="models"),
        _text("paradigm", "the way of judging", required=True, choices=PARADIGMS),
        _text("variant", "the prompt template's name", default="default"),
        _text("transform", "which rewriting of the response was judged", default="none"),
        _INSTANCE,
        _GENERATOR,
        _text("opponent", "pairs: the other response's model", refers="models"),
        _text(
            "first",
            "pairs: which was shown first; unknown where that was not recorded, null where resolved",
            choices=("generator", "opponent", "unknown"),
        ),
        _text("rubric_id", "the rubric, or the dimension of quality and structured rows"),
        _text("ordering", "the order in which rubrics or options were shown"),
        Column("position", "integer", "1-based place of the rubric, or of the option chosen", low=1),
        Column("trial", "integer", "which of several repeats", default=0, low=0),
        Column("met", "boolean", "rubric paradigms: whether the judge found the criterion met"),
        Column("score", "number", "the score given"),
        _text("choice", "pairs: what the judge chose", choices=("generator", "opponent", "tie")),
        Column("p_generator", "number", "probability of the target over both responses", low=0, high=1),
        Column("p_tie", "number", "probability of a tie over all three labels", low=0, high=1),
        Column("p_mass", "number", "probability that the labels had together", low=0, high=1),
        _text("status", "whether there is a verdict, and if not, why", default="ok", choices=STATUSES),
        _text("explanation", "the judge's reason"),
        _text("raw", "what the model said"),
        Column("latency_s", "number", "seconds that the call took", low=0),
        Column("prompt_tokens", "integer", "tokens sent", low=0),
        Column("completion_tokens", "integer", "tokens received", low=0),
        Column("cost_usd", "number", "what the call cost", low=0),
        Column("created_at", "time", "when the answer came"),
    ),
    compulsory=False,
)

ANNOTATIONS = Table(
    "annotations",
    "labels given by people",
    ("annotator", "task", "item", "round"),
    (
        _key("annotator", "who; `adjudicated`: the label that settled a dispute"),
        _key("task", "the task; all its rows are of one kind"),
        _key("item", "the item of the task"),
        Column("round", "integer", "2 for a hidden repeat", default=1, low=1),
        _text(
            "kind",
            "what was asked",
            choices=("equal_pair", "preference", "clusters", "rubric_verdict", "score"),
        ),
        _text("instance_id", "the instance", refers="instances"),
        _text("generator", "the response's model", refers="models"),
        _text("opponent", "the other response's model", refers="models"),
        _text("rubric_id", "the rubric"),
        _text(
            "value",
            "the label, about responses and never about sides. equal_pair: `generator` (is better), `equal` "
            "or `opponent`; preference: `generator`, `tie` or `opponent`; clusters, a row for each question: "
            'a JSON object of models and levels of quality, `{"model": 1}`; rubric_verdict: `met`, `not_met` '
            "or `cannot_tell`; score: the number. Null where it was skipped",
        ),
        _text("confidence", "how sure"),
        _text("reason", "why it was skipped or settled so"),
        _text("comment", "the annotator's words"),
        Column("seconds", "number", "time taken", low=0),
        Column("created_at", "time", "when"),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        MODELS,
        INSTANCES,
        RUBRICS,
        RESPONSES,
        REFERENCES,
        PREFERENCES,
        PAIRS,
        RUNS,
        TEMPLATES,
        JUDGMENTS,
        ANNOTATIONS,
    )
}
