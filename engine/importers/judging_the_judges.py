"""*Judging the Judges* (Thakur et al. 2024): answers to TriviaQA, judged by nine models and a person.

`TriviaQA_Judges_w_HumanJudgement_V1.csv` is a wide table, a column for each judge. `EM` (exact match) and
`Contains` are programs and become references, as does the person. The column `response` holds the prompt, not
the answer, so that no response is stored. Five judges are among the models judged, under other names; they
are given the models' names, for without that no judge would judge itself: see `SAME_MODEL`.
"""

from engine.importers.reading.collector import StudyRows
from engine.importers.reading.format import Field, FileReader, Format, instance_of
from engine.importers.reading.rows import BadRowError, Row
from engine.importers.reading.tables import text_rows
from engine.importers.reading.verdicts import verdict

_EXPECTED = (
    "TriviaQA_Judges_w_HumanJudgement_V1.csv: columns model, question, references, HumanJudgement, and a "
    "column of True and False for each judge"
)
SAME_MODEL = {
    "Mistral-7B": "mistral-7b-chat",
    "Llama-7B": "llama2-7b-chat",
    "Llama-13B": "llama2-13b-chat",
    "Llama-70B": "llama2-70b-chat",
    "GPT-4": "gpt-4t",
}
"""Judges' columns, and the model judged that each is: the paper's judges are chat models and GPT-4 Turbo."""

PROGRAMS = {"EM": "program", "Contains": "program:loose"}
"""Columns that programs filled, with the source that their verdicts are references of."""

RUBRIC = "correct"
_ABOUT = ("model", "response", "question", "references", "benchmark")
_PERSON = "HumanJudgement"
_WORDS = {"true": True, "false": False}


class JudgingTheJudges(FileReader):
    """Answers being read, each with the verdicts of all judges."""

    suffixes = (".csv",)
    expected = _EXPECTED
    rows_in = staticmethod(text_rows)

    def read(self, row: Row) -> StudyRows:
        """Return the question, the references, and a verdict of each judge that gave one."""
        question = row.text("question")
        instance = instance_of(question)
        keys = {"instance_id": instance, "generator": row.text("model"), "rubric_id": RUBRIC}
        judges = [name for name in row.values if name not in (*_ABOUT, _PERSON, *PROGRAMS)]
        if not judges:
            raise BadRowError("no judge gave a verdict")
        self.tally.stored.update(judges)
        references = [
            {**keys, "source": source, "met": _met(row.values.get(column))}
            for column, source in ({_PERSON: "human"} | PROGRAMS).items()
            if _met(row.values.get(column)) is not None
        ]
        answers = [line for line in (row.maybe_text("references") or "").splitlines() if line.strip()]
        # Judges seen so far too, so that an empty cell counts as no verdict.
        columns = dict.fromkeys((*judges, *sorted(set(self.tally.stored).difference(_ABOUT))))
        return {
            "instances": [
                {
                    "instance_id": instance,
                    "prompt": question,
                    "category": row.maybe_text("benchmark"),
                    "reference_answer": "\n".join(answers) or None,
                }
            ],
            "rubrics": [
                {"instance_id": instance, "rubric_id": RUBRIC, "criterion": "The answer is correct."}
            ],
            "references": references,
            "judgments": [
                {
                    "judge": SAME_MODEL.get(name, name),
                    "paradigm": "single_rubric",
                    **keys,
                    **verdict("met", _met(row.values.get(name))),
                }
                for name in columns
            ],
        }


def _met(cell: object) -> bool | None:
    return _WORDS.get(str(cell).strip().lower())


FORMAT = Format(
    "judging-the-judges",
    "Judging the Judges (TriviaQA)",
    "https://github.com/UMass-Meta-LLM-Eval/llm_eval",
    _EXPECTED,
    (
        Field("question", "instances.prompt, instance_id", "the id is made of the text"),
        Field("references", "instances.reference_answer"),
        Field("benchmark", "instances.category"),
        Field("model", "judgments.generator"),
        Field("HumanJudgement", "references.met", "source human"),
        Field("EM", "references.met", "source program"),
        Field("Contains", "references.met", "source program:loose"),
    ),
    JudgingTheJudges,
    (),
    notes="Five judges' columns are given the names of the models that they are.",
)
