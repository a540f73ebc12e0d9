"""Results of Ragas: which columns are metrics, their ranges, and whether a model computed them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import BadInputError
from engine.importers.formats.scored_calls import By, Score, rows_of_call
from engine.importers.reading.columns import is_index
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import allowance, apply_limits
from engine.importers.reading.rows import BadRowError, ImportStats, Row, number_of, text_or_none
from engine.importers.reading.study_builder import StudyRows
from engine.importers.reading.tables import nested_rows
from engine.wording import Sentence, command_words

_TEXT_COLUMNS = (
    *("user_input", "question", "response", "answer", "reference", "ground_truth", "ground_truths", "id"),
    *("contexts", "retrieved_contexts", "reference_contexts"),
    *("rubrics", "multi_responses", "synthesizer_name"),
)
PROGRAMS = (
    *("bleu_score", "rouge_score", "chrf_score"),
    *("exact_match", "string_present", "non_llm_string_similarity", "data_compare_score"),
    *("non_llm_context_precision_with_reference", "non_llm_context_recall"),
    *("id_based_context_precision", "id_based_context_recall", "tool_call_accuracy", "tool_call_f1"),
    *("semantic_similarity", "answer_similarity"),
)
"""Metrics computed without a model, or by embeddings alone."""

_BY_MODEL = (
    *("faithfulness", "faithfulness_with_hhem", "multi_modal_faithfulness", "multi_modal_relevance"),
    *("answer_relevancy", "answer_relevance", "response_relevancy", "answer_correctness", "answer_accuracy"),
    *("factual_correctness", "response_groundedness", "context_relevance", "context_relevancy"),
    *("nv_accuracy", "nv_context_relevance", "nv_response_groundedness"),
    *("context_precision", "context_recall", "context_utilization", "context_entity_recall"),
    *("llm_context_precision_with_reference", "llm_context_precision_without_reference"),
    *("llm_context_recall", "noise_sensitivity", "noise_sensitivity_relevant"),
    *("noise_sensitivity_irrelevant", "summary_score", "summarization_score", "topic_adherence"),
    *("agent_goal_accuracy", "agent_goal_accuracy_with_reference", "agent_goal_accuracy_without_reference"),
    *("llm_sql_equivalence", "llm_sql_equivalence_with_reference", "sql_semantic_equivalence"),
    *("aspect_critic", "harmfulness", "maliciousness", "coherence", "correctness", "conciseness"),
)
_BY_RUBRIC = (
    *("rubrics_score", "domain_specific_rubrics", "instance_rubrics", "simple_criteria"),
    *("simple_criteria_score", "labelled_rubrics_score", "reference_free_rubrics_score"),
)
"""Metrics whose scores lie on a rubric's own scale."""

_OF_RAGAS = frozenset((*PROGRAMS, *_BY_MODEL, *_BY_RUBRIC))
_COSINES = ("answer_relevancy", "answer_relevance", "response_relevancy", *PROGRAMS[-2:])
"""Metrics that are a cosine, or a mean of some: below 0 for opposite texts."""

_LOWER_IS_BETTER = "noise_sensitivity"  # begins the names of such metrics
_ROUNDING = 1e-6  # of a share computed as a sum


class Ragas(FileReader):
    """Reads Ragas results, as `result.to_pandas()` saves them: a sample in each row, a metric in a column.

    `user_input`, `response` and `reference` (or `question`, `answer` and `ground_truth` of earlier versions)
    are texts. Columns named like metrics of Ragas are metrics, most of them from 0 to 1; a column of one's
    own is named by `--map NAME=COLUMN`. A metric that failed is empty or NaN. The file names neither the
    judge (`--judge`) nor the model that answered (`--generator`, or `--map generator=COLUMN`).
    """

    suffixes = (".csv", ".parquet", ".jsonl", ".json", ".arrow")
    expected = (
        "Ragas results (.csv, .parquet, .jsonl or .json): columns user_input and response, or question and "
        "answer, and a column for each metric"
    )
    judge_missing = "the file does not say who judged; give {--judge NAME}"
    rows_in = staticmethod(nested_rows)

    metrics: Mapping[str, str] = {}
    """The column of each metric of the file."""

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the samples of a file, after a first pass that finds the columns of metrics.

        A metric that failed in the first samples, or in all of them, counts too: its verdicts are missing.
        """
        is_numeric: dict[str, bool] = {}
        with apply_limits(allowance().limits):  # the file is unpacked twice, and counted once
            for row in self.rows_in(file, ImportStats(), self.expected):
                for name, value in row.values.items():
                    is_nan = isinstance(value, float) and value != value
                    is_number = value in (None, "") or is_nan or number_of(value) is not None
                    is_numeric[name] = is_numeric.get(name, True) and is_number
        self.metrics = self._metrics(file, is_numeric)
        self.tally.stored.update(self.metrics.values())
        yield from super().file_rows(file)

    def _metrics(self, file: Path, is_numeric: Mapping[str, bool]) -> dict[str, str]:
        """Return the metrics by name; BadInputError if no column is known to be one that a model computed."""
        own = {name: column for name, column in self.options.map.items() if name != "generator"}
        for name, column in own.items():
            if column not in is_numeric:
                columns = ", ".join(is_numeric)
                raise BadInputError(
                    f"{file.name}: --map {name}={column}: it has no column {column!r}, but {columns}"
                )
        others = [
            name
            for name in is_numeric
            if name not in (*_TEXT_COLUMNS, self._column(), *own.values())
            and not is_index(name)
            and not self.leaves_out(name)
        ]
        metrics = {name: name for name in others if base_name(name) in _OF_RAGAS} | own
        unknown = [name for name in others if is_numeric[name] and name not in metrics]
        names, example = ", ".join(map(repr, unknown)), next(iter(unknown), "")
        remedy = f"--map {example}={example} stores one as a metric"
        if unknown and all(base_name(name) in PROGRAMS for name in metrics):
            raise BadInputError(
                f"{file.name}: which columns are metrics? {names} are numbers, but not known as metrics of "
                "Ragas",
                command_words(f": {remedy}, --not {example} leaves it out", "; rename those that are"),
            )
        if unknown:
            not_stored = f"{names}: not known as metrics of Ragas, so not stored"
            self.tally.note(Sentence(not_stored, command_words(f" ({remedy})")))
        return metrics

    def read(self, row: Row) -> StudyRows:
        question = row.maybe_text("user_input") or row.text("question")
        if not self.metrics:
            raise BadRowError("no column is a metric")
        scores = [self._score(name, row.values.get(column)) for name, column in self.metrics.items()]
        output = text_or_none(row.values.get("response", row.values.get("answer")))
        truth = text_or_none(row.values.get("reference", row.values.get("ground_truth")))
        model = row.maybe_text(self._column())
        return rows_of_call(
            self.options, scores, question=question, output=output, model=model, reference_answer=truth
        )

    def _score(self, name: str, cell: object) -> Score:
        base, value = base_name(name), number_of(cell)
        least = -1 if base in _COSINES else 0
        is_share = base in _OF_RAGAS and base not in _BY_RUBRIC
        if value is not None and is_share and not least - _ROUNDING <= value <= 1 + _ROUNDING:
            self.tally.out_of_range[f"{name}, from {least} to 1"] += 1
            value = None
        if lower := base.startswith(_LOWER_IS_BETTER):
            self.tally.note(f"lower is better in {name!r}: its criteria have points of -1")
        by: By = "program" if base in PROGRAMS else "model"
        return Score(name, value, by, numeric=True, lower=lower)

    def _column(self) -> str:
        return self.options.map.get("generator", "generator")


def base_name(name: str) -> str:
    """Return a metric's name without its mode: `rouge_score` for `rouge_score(mode=fmeasure)`."""
    return name.partition("(")[0].strip().lower().replace(" ", "_").replace("-", "_")


_GENERATOR_NAMED = Sentence(
    "or ", command_words("--map generator=COLUMN, or --generator", "“Author of all answers”")
)

FORMAT = Ragas.as_format(
    "ragas",
    "Ragas results",
    "https://github.com/explodinggradients/ragas",
    ImportedField("user_input, question", "instances.prompt, instance_id", "the id is made of the text"),
    ImportedField("response, answer", "responses.text"),
    ImportedField("reference, ground_truth", "instances.reference_answer"),
    ImportedField("generator", "judgments.generator", _GENERATOR_NAMED),
    options=("judge", "generator", "map", "leave_out"),
    signs=(
        ("user_input", "response", "retrieved_contexts"),
        ("user_input", "response", "faithfulness"),
        ("user_input", "response", "reference"),
        ("question", "answer", "contexts", "faithfulness"),
        ("question", "answer", "contexts", "ground_truth"),
    ),
)
