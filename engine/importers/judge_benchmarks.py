"""Benchmarks of judges: RewardBench, JudgeBench and Judging the Judges."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.importers.reading.format import Field, FileReader, instance_of, prompt_of
from engine.importers.reading.json_rows import json_object
from engine.importers.reading.rows import (
    BadRowError,
    InstanceRows,
    Row,
    StudyRows,
    number_of,
    refuse,
    text_or_none,
    verdict,
)
from engine.importers.reading.tables import is_index, text_rows

_COLUMNS = ("text_chosen", "text_rejected", "subset", "id", "chosen_model", "rejected_model", "prompt")
_RESULTS = {1.0: "generator", 0.0: "opponent"}


class RewardBench(FileReader):
    """Reads RewardBench's scores (`eval-set-scores/.../MODEL.json`); a whole file is held in memory.

    The file is one object of columns: `results` (1 the chosen response won, 0 the rejected one, 0.5 the judge
    gave no verdict), `text_chosen`, `text_rejected`, `subset`, `id`, and `model`, the judge. The file does
    not say which models wrote the responses: unless the columns `chosen_model` and `rejected_model` of the
    data set are added to it, they are `chosen` and `rejected`. RewardBench shuffles the two and does not
    record the order.
    """

    suffixes = (".json",)
    expected = (
        "RewardBench's scores for each prompt: an object with model, and the columns results, subset, id, "
        "text_chosen and text_rejected, lists of the same length"
    )
    judge = ""

    def file_rows(self, file: Path) -> Iterator[Row]:
        """Yield the prompts of a file and set the judge that it names."""
        content = json_object(file, self.expected)
        results, judge = content.get("results"), self.options.judge or content.get("model")
        if not isinstance(results, list) or not isinstance(judge, str):
            raise refuse(file.name, "it has no results and model", self.expected)
        self.judge = judge
        columns = {name: content[name] for name in _COLUMNS if isinstance(content.get(name), list)}
        if short := [name for name, values in columns.items() if len(values) != len(results)]:
            raise refuse(file.name, f"{', '.join(short)} are not as long as results", self.expected)
        columns["results"] = results
        for number, values in enumerate(zip(*columns.values(), strict=True), start=1):
            yield Row(file.name, number, dict(zip(columns, values, strict=True)))

    def read(self, row: Row) -> StudyRows:
        talk: Any = row.values.get("text_chosen")
        is_talk = isinstance(talk, list) and len(talk) > 1 and all(isinstance(turn, dict) for turn in talk)
        prompt = prompt_of(talk[:-1]) if is_talk else row.maybe_text("prompt")
        rows = InstanceRows(row.text("id"), prompt=prompt, category=row.maybe_text("subset"))
        models = {side: row.maybe_text(f"{side}_model") or side for side in ("chosen", "rejected")}
        if models["chosen"] == models["rejected"]:
            models = {side: f"{model} ({side})" for side, model in models.items()}
            self.tally.note("if both responses are by one model, each is stored as a model of its own")
        result = number_of(row.get("results"))
        if result is None:
            raise BadRowError("results is not a number", row.values.get("results"))
        for side, model in models.items():
            text = row.values.get(f"text_{side}")
            if isinstance(text, list) and text and isinstance(text[-1], dict):  # a conversation's last turn
                text = text[-1].get("content")
            rows.response(model, text_or_none(text))
        pair = {"generator": models["chosen"], "opponent": models["rejected"]}
        winner = verdict("choice", _RESULTS.get(result))
        rows.judgment(self.judge, "pairwise", **pair, first="unknown", **winner)
        rows.preference("human:rewardbench", "generator", **pair)
        return rows.tables


REWARDBENCH = RewardBench.as_format(
    "rewardbench",
    "RewardBench scores",
    "https://github.com/allenai/reward-bench",
    Field("id", "instances.instance_id"),
    Field("subset", "instances.category"),
    Field("prompt", "instances.prompt", "if text_chosen is not a conversation"),
    Field("text_chosen, text_rejected", "responses.text, instances.prompt"),
    Field("chosen_model", "judgments.generator", "else `chosen`"),
    Field("rejected_model", "judgments.opponent", "else `rejected`"),
    Field("results", "judgments.choice, status", "1 chosen, 0 rejected, 0.5 no verdict"),
    notes="The chosen response is taken as the better one. Which was shown first is not in the file.",
)


SAME_MODEL = {
    "Mistral-7B": "mistral-7b-chat",
    "Llama-7B": "llama2-7b-chat",
    "Llama-13B": "llama2-13b-chat",
    "Llama-70B": "llama2-70b-chat",
    "GPT-4": "gpt-4t",
}
"""Judges' columns by the judged model that each is: the paper's judges are chat models and GPT-4 Turbo."""

PROGRAMS = {"EM": "program", "Contains": "program:loose"}
"""Columns filled by programs, with the source of their references."""

RUBRIC = "correct"
_NO_JUDGES = ("model", "response", "question", "references", "benchmark")
_PERSON = "HumanJudgement"
_MET = {"true": True, "false": False}


class JudgingTheJudges(FileReader):
    """Reads *Judging the Judges* (Thakur et al. 2024): answers to TriviaQA, each with all judges' verdicts.

    `TriviaQA_Judges_w_HumanJudgement_V1.csv` is a wide table with a column for each judge. `EM` (exact match)
    and `Contains` are programs and become references, as does the person. The column `response` holds the
    prompt, not the answer, so no response is stored. Five judges are also judged models, under other names.
    They get the models' names (`SAME_MODEL`), since otherwise no judge would judge itself.
    """

    suffixes = (".csv",)
    expected = (
        "TriviaQA_Judges_w_HumanJudgement_V1.csv: columns model, question, references, HumanJudgement, and a "
        "column of True and False for each judge"
    )
    rows_in = staticmethod(text_rows)

    def read(self, row: Row) -> StudyRows:
        question, model = row.text("question"), row.text("model")
        others = (*_NO_JUDGES, _PERSON, *PROGRAMS)
        judges = [name for name in row.values if name not in others and not is_index(name)]
        if not judges:
            raise BadRowError("no judge gave a verdict")
        self.tally.stored.update(judges)
        lines, category = (row.maybe_text("references") or "").splitlines(), row.maybe_text("benchmark")
        answer = "\n".join(filter(str.strip, lines)) or None
        columns = {"prompt": question, "category": category, "reference_answer": answer}
        rows = InstanceRows(instance_of(question), **columns)
        rows.rubric(RUBRIC, criterion="The answer is correct.")
        for column, source in ({_PERSON: "human"} | PROGRAMS).items():
            if (met := _met(row.values.get(column))) is not None:
                rows.reference(source, model, RUBRIC, met=met)
        # With the judges of earlier rows, so that an empty cell counts as no verdict.
        for name in dict.fromkeys((*judges, *sorted(set(self.tally.stored).difference(_NO_JUDGES)))):
            result = verdict("met", _met(row.values.get(name)))
            rows.judgment(SAME_MODEL.get(name, name), "single_rubric", model, rubric_id=RUBRIC, **result)
        return rows.tables


def _met(cell: object) -> bool | None:
    return _MET.get(str(cell).strip().lower())


JUDGING_THE_JUDGES = JudgingTheJudges.as_format(
    "judging-the-judges",
    "Judging the Judges (TriviaQA)",
    "https://github.com/UMass-Meta-LLM-Eval/llm_eval",
    Field("question", "instances.prompt, instance_id", "the id is made of the text"),
    Field("references", "instances.reference_answer"),
    Field("benchmark", "instances.category"),
    Field("model", "judgments.generator"),
    Field("HumanJudgement", "references.met", "source human"),
    Field("EM", "references.met", "source program"),
    Field("Contains", "references.met", "source program:loose"),
    options=(),
    notes="Five judges' columns are given the names of the models that they are.",
)
