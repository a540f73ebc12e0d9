"""Two responses side by side: LLM Comparator, PandaLM, language-model councils and WildBench."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.datasets import DataSet, DataSetImporter, FileRecord, Rows, json_lines
from engine.importers.reading.format import Field, FileReader, WholeFormat, each_file, file_in, instance_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    BadRowError,
    Choice,
    InstanceRows,
    Row,
    StudyRows,
    count_of,
    list_or_empty,
    number_of,
    object_or_empty,
    objects,
    refuse,
    side_of,
    tenth_of,
    text_or_none,
    verdict,
)
from engine.importers.reading.tables import nested_rows
from engine.store.study_files import StudyInfo


class LlmComparator(FileReader):
    """Reads LLM Comparator's JSON; a whole file is held in memory.

    A score above 0 means that A is better, below 0 that B is, and 0 a tie. This holds for ratings too,
    whichever was shown first (B if `is_flipped`). The file does not name the judge.
    """

    suffixes = (".json",)
    expected = (
        "LLM Comparator's JSON: an object with models (two objects with name) and examples, a list of "
        "objects with input_text, output_text_a, output_text_b and score or individual_rater_scores"
    )
    judge_missing = "the file does not say who judged; give --judge NAME"
    models: tuple[str, str] = ("", "")

    def rows(self) -> Iterator[Row]:
        for file, (models, examples) in each_file(self.files, _examples, self.tally):
            self.models = models
            yield from objects(file.name, examples, self.tally)

    def read(self, row: Row) -> StudyRows:
        prompt = _words(row, "input_text")
        tags = list_or_empty(row.values.get("tags"))
        category = text_or_none(tags[0]) if tags else None
        generator, opponent = self.models
        ratings = row.values.get("individual_rater_scores") or []
        if not isinstance(ratings, list):
            raise BadRowError("individual_rater_scores is not a list", ratings)
        verdicts: list[dict[str, Any]] = []
        for each in ratings:
            rating = row.within("individual_rater_scores", each)
            flipped, reason = rating.values.get("is_flipped"), rating.maybe_text("rationale")
            first = "unknown" if not isinstance(flipped, bool) else "opponent" if flipped else "generator"
            columns = {"first": first, "explanation": reason, "raw": rating.maybe_text("rating_label")}
            verdicts.append(columns | _outcome(rating.values.get("score")))
        if not verdicts:
            verdicts = [{"first": "unknown", **_outcome(row.values.get("score"))}]
        rows = InstanceRows(instance_of(prompt), prompt=prompt, category=category)
        for model, side in zip(self.models, "ab", strict=True):
            rows.response(model, _words(row, f"output_text_{side}"))
        for each in verdicts:
            rows.judgment(self.options.judge, "pairwise", generator, opponent=opponent, **each)
        return rows.tables


def _examples(file: Path) -> tuple[tuple[str, str], list[Any]]:
    """Return the two models of a file, and its examples."""
    content = json_object(file, LlmComparator.expected)
    models, examples = content.get("models"), content.get("examples")
    names = [model.get("name") for model in list_or_empty(models) if isinstance(model, dict)]
    if len(names) != 2 or not all(isinstance(name, str) and name for name in names) or len(set(names)) < 2:
        raise refuse(file.name, f"its models are {str(models)[:80]}", LlmComparator.expected)
    if not isinstance(examples, list):
        raise refuse(file.name, "it has no list of examples", LlmComparator.expected)
    return (str(names[0]), str(names[1])), examples


def _outcome(score: object) -> dict[str, Any]:
    number = number_of(score)
    side = None if number is None else "generator" if number > 0 else "opponent" if number < 0 else "tie"
    return verdict("choice", side)


def _words(row: Row, name: str) -> str:
    """Return a text, which may be a list of pieces; pieces other than text are left out."""
    value = row.get(name)
    if isinstance(value, list):
        pieces = [row.within(name, piece) for piece in value]
        return "\n".join(piece.words("data") for piece in pieces if piece.values.get("type") == "text")
    return row.words(name)


LLM_COMPARATOR = LlmComparator.as_format(
    "llm-comparator",
    "LLM Comparator examples",
    "https://github.com/PAIR-code/llm-comparator",
    Field("input_text", "instances.prompt, instance_id", "the id is made of the text"),
    Field("tags", "instances.category", "the first"),
    Field("output_text_a", "responses.text", "the first of models: generator"),
    Field("output_text_b", "responses.text", "the second of models: opponent"),
    Field("score", "judgments.choice", "if there are no ratings; its order is unknown"),
    Field("individual_rater_scores", "judgments.choice, first, explanation", "one judgment for each"),
)


NAME = "pandalm"
PEOPLE = ("annotator1", "annotator2", "annotator3")
CHOICES = {"0": "tie", "1": "generator", "2": "opponent"}
JUDGES = {"gpt35_verdict": "gpt-3.5-turbo", "pandalm_verdict": "pandalm-7b"}
FAMILIES = {
    "bloom-7b": "BLOOM",
    "cerebras-gpt-6.7B": "Cerebras-GPT",
    "llama-7b": "LLaMA",
    "opt-7b": "OPT",
    "pythia-6.9b": "Pythia",
    "gpt-3.5-turbo": "GPT",
    "pandalm-7b": "LLaMA",
}

_REMEDY = "give the human evaluation set of PandaLM as JSON Lines, one pair on each line"
_TEXTS = ("instruction", "input", "cmp_key", "response1", "response2")


@DataSetImporter
def import_pandalm(path: Path) -> DataSet:
    """Read PandaLM's human evaluation set: pairs with people's preferences and two judges' verdicts.

    A question is an instance. If a model answered it several times, pairs with further answers are instances
    of their own (`7`, `7-2`). Verdicts of a judge other than the three become `unparsed` rows. Raises
    BadInputError naming the line and the field.

    Each line is one pair: `instruction`, `input`, `cmp_key` (the two models, `one_other`), `response1`,
    `response2`, and for each of three annotators 0 (a tie), 1 or 2 (the better response).
    """
    path = file_in(path, ".jsonl", ".json", expected="the human evaluation set of PandaLM")
    info = StudyInfo(
        name=NAME,
        title="PandaLM: pairs compared by three people",
        dataset="PandaLM",
        provenance="imported",
        licence="Apache-2.0",
        source="https://github.com/WeOpenML/PandaLM",
        notes="In which order a judge or a person saw the two responses is not known.",
    )
    return DataSet(info, _rows(json_lines(path, _REMEDY)), families=FAMILIES)


def _rows(entries: Iterable[FileRecord]) -> dict[str, Rows]:
    rows: dict[str, Rows] = defaultdict(list)
    questions: dict[tuple[str | None, str], int] = {}
    instances: dict[str, dict[str, Any]] = {}
    answers: dict[str, dict[str, str]] = defaultdict(dict)  # the texts of each instance, by model
    judged_pairs = set()
    for entry in entries:
        category, prompt, texts = _question(entry)
        question = questions.setdefault((category, prompt), len(questions) + 1)
        names = (f"{question}" if part == 1 else f"{question}-{part}" for part in count(1))
        # The first instance to which no model has answered differently before.
        instance = next(
            name for name in names if all(answers[name].get(m, text) == text for m, text in texts.items())
        )
        new_instance = {"instance_id": instance, "prompt": prompt, "category": category}
        instances[instance] = instances.pop(instance, new_instance)  # in the order of their last lines
        rows["responses"] += [
            {"instance_id": instance, "generator": model, "text": text}
            for model, text in texts.items()
            if model not in answers[instance]
        ]
        answers[instance] |= texts
        keys = {"instance_id": instance, **dict(zip(("generator", "opponent"), texts, strict=True))}
        item = entry.text("idx") if "idx" in entry.values else str(entry.number)
        label = {"task": NAME, "item": item, "kind": "preference", **keys}
        for person in PEOPLE:
            entry.check_choice(person, entry.text(person), CHOICES)
            value = CHOICES[entry.text(person)]
            rows["annotations"].append({"annotator": person, **label, "value": value})
        if (instance, frozenset(texts)) in judged_pairs:
            continue  # a judge's second row on the same texts would count as a repeat
        judged_pairs.add((instance, frozenset(texts)))
        for field, judge in JUDGES.items():
            if field in entry.values:
                choice = (CHOICES | {"Tie": "tie"}).get(str(entry.values[field]))
                judgment = {"judge": judge, "paradigm": "pairwise", "first": "unknown", **keys}
                rows["judgments"].append(judgment | verdict("choice", choice))
    return rows | {"instances": list(instances.values())}


def _question(entry: FileRecord) -> tuple[str | None, str, dict[str, str]]:
    """Return the category and the prompt of a line, and the two responses by model."""
    texts = {field: entry.text(field) for field in _TEXTS}
    first, _, second = texts["cmp_key"].partition("_")
    if not (first and second) or first == second:
        raise entry.error(f"cmp_key is {texts['cmp_key'][:80]!r}, expected two models as one_other")
    prompt = "\n\n".join(part for part in (texts["instruction"], texts["input"]) if part)
    category = text_or_none(entry.values.get("motivation_app"))
    return category, prompt, {first: texts["response1"], second: texts["response2"]}


PANDALM = WholeFormat("pandalm", "PandaLM pairs", "https://github.com/WeOpenML/PandaLM", import_pandalm)


class Council(FileReader):
    """Reads a council's judgments, in which each model judges all models' answers, and completions.

    Both forms are read: the published emotional-intelligence task (`lmc_ei.jsonl`, with question numbers) and
    the output of `lm_council` (`judge_ratings.jsonl` with `completions.jsonl` beside it, with questions as
    text). The first response is the generator and was shown first; `A>>B` and `A>B` are both for it.
    """

    suffixes = (".jsonl", ".parquet")
    expected = (
        "judgments of a council in JSON Lines: judge_model, first_completion_by, second_completion_by, "
        "pairwise_choice, and emobench_id or user_prompt; or the folder of a run with judge_ratings.jsonl"
    )
    rows_in = staticmethod(nested_rows)

    def read(self, row: Row) -> StudyRows:
        if row.values.get("emobench_id") is not None:
            rows = InstanceRows(f"emobench-{row.text('emobench_id')}")
        else:
            prompt = row.text("user_prompt")
            rows = InstanceRows(instance_of(prompt), prompt=prompt)
        if "completion_text" in row.values:
            rows.response(row.text("model"), row.words("completion_text"))
            return rows.tables
        if "judge_model" not in row.values:
            raise BadRowError("neither a judgment nor a completion")
        judge = self.options.judge or row.text("judge_model")
        generator, opponent = row.text("first_completion_by"), row.text("second_completion_by")
        result = verdict("choice", side_of(row.values.get("pairwise_choice")))
        result["raw"] = row.maybe_text("judging_response_string")
        result |= {name: count_of(row.values.get(name)) for name in ("prompt_tokens", "completion_tokens")}
        rows.judgment(judge, "pairwise", generator, opponent=opponent, first="generator", **result)
        return rows.tables


COUNCIL = Council.as_format(
    "council",
    "Language-model council",
    "https://github.com/machine-theory/lm-council",
    Field("emobench_id, user_prompt", "instances.instance_id, prompt"),
    Field("judge_model", "judgments.judge"),
    Field("first_completion_by", "judgments.generator, first", "shown first"),
    Field("second_completion_by", "judgments.opponent"),
    Field("pairwise_choice", "judgments.choice, status", "how much better is not stored"),
    Field("judging_response_string", "judgments.raw"),
    Field("prompt_tokens, completion_tokens", "judgments.prompt_tokens, completion_tokens"),
    Field("model, completion_text", "responses.generator, text", "completions.jsonl of a run"),
)


class WildBench(FileReader):
    """Reads WildBench's `eval_results`: scores from 1 to 10, or pairs against a reference model.

    The judge is named by the folder above a file (`eval=gpt-4o-2024-05-13`). The files hold session ids but
    no questions. In a pair, model A was shown first; `A++` and `A+` are both for it. Answers whose evaluation
    could not be parsed were left out by WildBench itself and cannot be counted.
    """

    expected = (
        "an evaluation file of WildBench (eval_results/.../eval=JUDGE/MODEL.json: a list of objects with "
        "session_id, parsed_result, and model_test and score, or model_A, model_B and winner), or a folder"
    )
    judge = ""

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the evaluations of a file and set the judge, which a folder above it names."""
        folders = [part.removeprefix("eval=") for part in file.parts[:-1] if part.startswith("eval=")]
        judge = self.options.judge or next(reversed(folders), None)
        if judge is None:
            raise UsageError(
                f"{file.name!r} does not say who judged, and no folder over it is named eval=JUDGE; "
                "give --judge NAME"
            )
        self.judge = judge
        yield from super().file_rows(file)

    def read(self, row: Row) -> StudyRows:
        rows = InstanceRows(row.text("session_id"))
        result = object_or_empty(row.values.get("parsed_result"))
        if "model_test" in row.values:
            model = row.text("model_test")
            reasons = [str(result[name]) for name in ("strengths", "weaknesses") if result.get(name)]
            explanation = "\n\n".join(reasons) or None
            score = verdict("score", tenth_of(row.values.get("score", result.get("score"))))
            rows.response(model, text_or_none(row.values.get("model_output")))
            rows.judgment(self.judge, "direct_assessment", model, explanation=explanation, **score)
        elif "model_A" in row.values:
            choice, (model_a, model_b) = result.get("choice"), (row.text("model_A"), row.text("model_B"))
            sides: dict[str, Choice] = {model_a: "generator", model_b: "opponent", "tie": "tie"}
            winner = row.maybe_text("winner") or ""
            outcome = verdict("choice", sides.get(winner) if choice is None else side_of(choice))
            outcome |= {"first": "generator", "explanation": text_or_none(result.get("reason"))}
            for model, text in object_or_empty(row.values.get("model_outputs")).items():
                rows.response(model, text_or_none(text))
            rows.judgment(self.judge, "pairwise", model_a, opponent=model_b, **outcome)
        else:
            raise BadRowError("neither model_test nor model_A")
        return rows.tables


WILDBENCH = WildBench.as_format(
    "wildbench",
    "WildBench evaluation results",
    "https://github.com/allenai/WildBench",
    Field("session_id", "instances.instance_id"),
    Field("model_test", "judgments.generator"),
    Field("model_output, model_outputs", "responses.text"),
    Field("score", "judgments.score, status", "a tenth of it; outside 1 to 10 unparsed"),
    Field("parsed_result", "judgments.explanation, choice", "strengths and weaknesses, or the reason"),
    Field("model_A", "judgments.generator, first", "pairs: shown first"),
    Field("model_B", "judgments.opponent"),
    Field("winner", "judgments.choice", "if parsed_result has no choice"),
    notes="Answers whose evaluation could not be parsed are not in WildBench's files.",
)
