"""Judging the Judges: answers to TriviaQA, with a column for each judge."""

from engine.importers.reading.format import FileReader, ImportedField, instance_of
from engine.importers.reading.rows import (
    BadRowError,
    InstanceRows,
    Row,
    StudyRows,
    verdict,
)
from engine.importers.reading.tables import is_index, text_rows

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


FORMAT = JudgingTheJudges.as_format(
    "judging-the-judges",
    "Judging the Judges (TriviaQA)",
    "https://github.com/UMass-Meta-LLM-Eval/llm_eval",
    ImportedField("question", "instances.prompt, instance_id", "the id is made of the text"),
    ImportedField("references", "instances.reference_answer"),
    ImportedField("benchmark", "instances.category"),
    ImportedField("model", "judgments.generator"),
    ImportedField("HumanJudgement", "references.met", "source human"),
    ImportedField("EM", "references.met", "source program"),
    ImportedField("Contains", "references.met", "source program:loose"),
    options=(),
    notes="Five judges' columns are given the names of the models that they are.",
    signs=(("model", "question", "references", "HumanJudgement"),),
)
