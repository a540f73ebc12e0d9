"""One word for one thing: texts for people use the word that the glossary has, not its neighbour."""

import re
from collections.abc import Mapping

from words.texts import CODE, by_place

INSTEAD = {
    "criterion (one thing checked; their list is a rubric)": r"rubrics?",
    "answer (`response` in columns)": r"responses?",
    "author or model (`generator` in columns)": r"generators?",
    "question (`instance` in columns)": r"(?<!for )instances?",
    "judges of other families, or other judges": r"outside judges?",
    "passed or failed, of judges": r"(un)?favou?rable",
    "caveat": r"cautions?",
    "label, and who labels is a labeller": r"annotators?|annotations?",
    "95%": r"\d %",
}
"""What to write, with the words that it takes the place of."""

ALLOWED: Mapping[str, str] = {
    r"alternative annotator test": "a published test's name",
    r"AlpacaEval annotations|ANNOTATION human": "another tool's words",
    r"(input,|prompt, vars,|user_input and) response\b": "columns of others' files",
    r"and response, or question|response, answer|,  response,|input, response": "columns of others' files",
    r"(generator_2,|,) annotator and preference": "columns of others' files",
    r"=generator, or|models: generator|[{]generator[}]": "a value, or a column",
    r"^outside judges?(, as a ratio)?$|\(outside judges\)": "a choice of Explore, and the glossary's name",
    r"rubric \(their list\)|[|] rubric [|]": "the word for the list",
    r"arrives as a generator": "NumPy's word",
}
"""Phrases in which such a word stands, each with its reason."""

OF_OTHERS: Mapping[str, str] = {
    "engine/annotations/database": "SQL",
    "engine/checkers/instruction_rules.py": "criteria that judges are shown",
    "engine/checkers/programs.py": "a criterion that judges are shown",
    "engine/collect/paradigms/": "prompts to judges, and patterns of their replies",
    "engine/importers/model_names/noted_models.py": "patterns of other people's names",
    "engine/importers/formats/prometheus.py": "a prompt of Prometheus",
    "engine/importers/formats/promptfoo.py": "promptfoo's messages",
    "engine/importers/own_questions/question_columns.py": "names of columns in other people's files",
    "engine/importers/tables/table_columns.py": "names of columns in other people's files",
    "engine/importers/tables/verdict_words.py": "verdicts in other people's files",
    "engine/report/references.py": "titles of papers",
    "engine/simulation/": "prompts, and what simulated models and judges write",
    "docs/claims.md": "evidence: tables that its benchmark prints, in the words of formulas",
    "docs/intervals.md": "evidence: tables that its benchmark prints, in the words of formulas",
    "docs/performance.md": "evidence: tables that its benchmark prints",
}
"""Places whose texts are other people's words, models' input or evidence, each with its reason."""


def wrong_words(text: str) -> list[str]:
    """Return the words of a text in whose place another one stands everywhere else."""
    for phrase in ALLOWED:
        text = re.sub(phrase, " ", text, flags=re.IGNORECASE)
    plain = CODE.sub(" ", text)
    return [word.group() for pattern in INSTEAD.values() for word in _word(pattern).finditer(plain)]


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)


def test_texts_use_one_word_for_one_thing() -> None:
    passages = [
        f"{place}: {', '.join(words)}: {text.strip()[:160]}"
        for place, text in by_place().items()
        if not place.startswith(tuple(OF_OTHERS)) and (words := wrong_words(text))
    ]

    assert not passages, "\n".join(["write instead: " + "; ".join(INSTEAD), *passages])
