"""What an import finds, in words and tables: fields, rows left out, models, and what can be measured."""

import pandas as pd
import streamlit as st

from engine.explore.diagnosis import Answer, Diagnosis
from engine.importers.earlier_imports import beyond_imports
from engine.importers.mapping_report import MappingReport
from engine.importers.model_names.corrections import as_csv
from engine.phrases import full_stop, join_names, quantity, sentence_case
from engine.store.study_files import StudyFiles
from engine.words.plain_names import on_page
from explorer.new_run.column_labels import LABELS
from explorer.new_run.importing import Edits, ImportPreview
from explorer.parts import components

_MOST_QUESTIONS = 10
_FIELDS = {
    "field": "Field of the file",
    "becomes": "Becomes",
    "note": "How",
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
}
_LEFT_OUT = {
    "reason": "Reason",
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
    "examples": "Examples",
}
_STORED = {
    "instances": "question",
    "rubrics": "criterion",
    "responses": "answer",
    "references": "reference label",
    "preferences": "correct winner",
}
"""What a row of a table of the study is called on the page."""

_MODELS = {
    "model": st.column_config.TextColumn("Model"),
    "family": st.column_config.TextColumn("Family", max_chars=200),
    "name": st.column_config.TextColumn("Name in the study"),
    "judges": st.column_config.CheckboxColumn("Judges"),
    "answers": st.column_config.CheckboxColumn("Answers"),
    "about": st.column_config.TextColumn("Suggested by its name"),
}
_MEASURES = {
    "measure": "Measure",
    "answer": "Can be measured",
    "of": ("Rows", "Rows with a defined number, out of all rows"),
    "width": ("95% interval", "Half its width (median over rows)"),
    "why": "What is missing",
}


def show_found(report: MappingReport) -> None:
    """Show what was read, what became of each field, and the rows left out with their reasons."""
    n_left_out = report.rows_read - report.rows_stored
    rows_read = quantity(report.rows_read, "row")
    sentences = [
        f"{report.title}: {rows_read} read, {report.rows_stored:,} taken, {n_left_out:,} left out.",
        f"The study gets {report.contents(_STORED)}.",
    ]
    if without_judge := report.without_judge():
        sentences.append(f"{without_judge}.")
    if report.judgments:
        sentences.append(f"Judgments: {report.verdicts()}.")
    sentences += [full_stop(sentence_case(note)) for note in report.notes]
    components.say(*sentences, key="import_found")
    if report.left_out:
        st.subheader("Rows left out", anchor=False)
        rows = [(why, out.count, "; ".join(out.examples)) for why, out in report.left_out.items()]
        components.table(rows, _LEFT_OUT, "import_left_out")
    fields = [
        (field.name, LABELS.get(field.becomes, field.becomes), on_page(field.note), count)
        for field, count in report.present
    ]
    components.table(fields, _FIELDS, "import_fields")
    lacking = ", ".join(field.name for field in report.absent)
    reasons = report.not_stored
    unused = ", ".join(f"{name} ({reasons[name]})" if name in reasons else name for name in report.unused)
    with st.expander("What the file does not have, or is not stored", key="import_mapping"):
        components.note(
            *([f"Missing in every row: {lacking}."] if lacking else []),
            *([f"Not stored: {unused}."] if unused else []),
            key="import_unused",
        )


def say_what_goes(study: StudyFiles, report: MappingReport) -> None:
    """Say what a study loses that the file replaces."""
    judgments = f"{quantity(study.judgment_count(), 'judgment')} of {study.name!r}"
    components.note(
        f"Replaces the {judgments} by the {report.judgments:,} of this file.",
        *([f"Lost with them: {join_names(more)}."] if (more := beyond_imports(study)) else []),
        key="import_replaces",
    )


def show_models(preview: ImportPreview) -> Edits:
    """Show the models and what can be measured, and return the changes in the table of models."""
    st.subheader("Models and families", anchor=False)
    edits = _families(preview.report)
    _measures(preview.diagnosis)
    return edits


def _families(report: MappingReport) -> Edits:
    """Show the models with families and names that can be changed in place, and return the changes."""
    columns = ["model", "family", "name", "judges", "answers"]
    rows = [(row.model, row.family, row.model, row.judges, row.answers) for row in report.models]
    about = ["" if row.corrected else row.parsed_name.words for row in report.models]
    frame = pd.DataFrame(rows, columns=columns).assign(about=about)
    edited = st.data_editor(
        frame, key="import_models", hide_index=True, column_config=_MODELS, width="stretch",
        disabled=["model", "judges", "answers", "about"],
    )  # fmt: skip
    cells = zip(frame["model"], frame["family"], edited["family"], edited["name"], strict=True)
    families, names = {row.model: row.family for row in report.models if row.corrected}, {}
    for model, before, family, name in cells:
        if family and str(family).strip() not in ("", before):
            families[model] = str(family).strip()
        if name and str(name).strip() not in ("", model):
            names[model] = str(name).strip()
    content = as_csv([row.model for row in report.models], families, names)
    st.download_button(
        "models.csv", content, "models.csv", "text/csv",
        icon=":material/download:", type="tertiary", key="import_models_csv",
    )  # fmt: skip
    questions = [f"To decide: {question}" for question in report.questions[:_MOST_QUESTIONS]]
    n_more = len(report.questions) - _MOST_QUESTIONS
    components.note(
        "Families are guessed from names; correct families and names in the table. Models given the same "
        "name become one.",
        *questions,
        *([f"and {n_more:,} more to decide"] if n_more > 0 else []),
        *(f"The same model? {', '.join(map(repr, group))}." for group in report.twins),
        key="import_families",
    )
    return Edits(families, names)


def _measures(diagnosis: Diagnosis) -> None:
    st.subheader("What can be measured", anchor=False)
    sentences = (*diagnosis.relations(), *diagnosis.cautions)
    if sentences:
        components.say(*sentences, key="import_kinship")
    order: dict[Answer, int] = {"yes": 0, "partly": 1, "no": 2}
    verdicts = sorted(diagnosis.measures, key=lambda verdict: order[verdict.answer])
    rows = [
        (
            verdict.title,
            verdict.answer,
            f"{verdict.defined:,} of {verdict.rows:,}" if verdict.rows else "",
            "" if verdict.width is None else f"±{verdict.width:.2g}",
            "" if verdict.answer == "yes" else on_page(verdict.why),
        )
        for verdict in verdicts
    ]
    components.table(rows, _MEASURES, "import_measures")
