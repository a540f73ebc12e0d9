"""What an import found, in words and tables: fields, rows left out, models, and what can be measured."""

import pandas as pd
import streamlit as st

from engine.doctor import Diagnosis
from engine.importers.foreign.families import as_csv
from engine.importers.foreign.report import MappingReport
from explorer import components
from explorer.importing import Looked

_FIELDS = {
    "field": st.column_config.TextColumn("Field of the file"),
    "becomes": st.column_config.TextColumn("Becomes"),
    "note": st.column_config.TextColumn("How"),
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
}
_LEFT_OUT = {
    "reason": st.column_config.TextColumn("Left out because"),
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
    "examples": st.column_config.TextColumn("Such as"),
}
_MODELS = {
    "model": st.column_config.TextColumn("Model"),
    "family": st.column_config.TextColumn("Family"),
    "judges": st.column_config.CheckboxColumn("Judges"),
    "answers": st.column_config.CheckboxColumn("Answers"),
    "about": st.column_config.TextColumn("Told by its name"),
}
_MEASURES = {
    "measure": st.column_config.TextColumn("Measure"),
    "answer": st.column_config.TextColumn("Can be measured"),
    "of": st.column_config.TextColumn("Rows", help="Rows whose number is defined, of all"),
    "width": st.column_config.TextColumn("95% interval", help="Half of its width, the median over rows"),
    "why": st.column_config.TextColumn("What is missing"),
}


def show(looked: Looked) -> None:
    """Show what was found in a file."""
    _mapping(looked.report)
    _measures(looked.diagnosis)


def _mapping(report: MappingReport) -> None:
    lost = report.read - report.kept
    sentences = [f"{report.title}: {report.read:,} rows read, {report.kept:,} taken, {lost:,} left out."]
    counted = ", ".join(f"{n:,} {name}" for name, n in report.tables.items() if n)
    sentences.append(f"This makes {counted}.")
    if report.judgments:
        sentences.append(f"Judgments: {report.verdicts()}.")
    components.say(*sentences, *report.notes, key="import_found")
    if report.left_out:
        st.subheader("Rows left out", anchor=False)
        rows = [(why, out.count, "; ".join(out.examples)) for why, out in report.left_out.items()]
        components.table(pd.DataFrame(rows, columns=list(_LEFT_OUT)), _LEFT_OUT, "import_left_out")
    st.subheader("Models and families", anchor=False)
    models = [
        (row.model, row.family, row.judges, row.answers, "" if row.said else row.guess.words)
        for row in report.models
    ]
    components.table(pd.DataFrame(models, columns=list(_MODELS)), _MODELS, "import_models")
    twins = [f"One model in several forms? {', '.join(group)}." for group in report.twins]
    st.download_button(
        "models.csv", as_csv(row.model for row in report.models), "models.csv", "text/csv",
        icon=":material/download:", type="tertiary", key="import_models_csv",
    )  # fmt: skip
    components.note(
        "Families are guessed from names. To correct them take models.csv, edit its columns family and name "
        "(what a model shall be called; empty: as it is), and give it as the models file.",
        *twins,
        key="import_families",
    )
    with st.expander("Which field became which column", key="import_mapping"):
        fields = [(field.name, field.becomes, field.note, count) for field, count in report.present]
        components.table(pd.DataFrame(fields, columns=list(_FIELDS)), _FIELDS, "import_fields")
        lacking = ", ".join(field.name for field in report.absent)
        unused = ", ".join(report.unused)
        components.note(
            *([f"In no row: {lacking}."] if lacking else []),
            *([f"Not stored: {unused}."] if unused else []),
            key="import_unused",
        )


def _measures(diagnosis: Diagnosis) -> None:
    st.subheader("What can be measured", anchor=False)
    sentences = (*diagnosis.kinship(), *diagnosis.cautions)
    if sentences:
        components.say(*sentences, key="import_kinship")
    order = {"yes": 0, "in part": 1, "no": 2}
    told = sorted(diagnosis.measures, key=lambda verdict: order[verdict.answer])
    rows = [
        (
            verdict.title,
            verdict.answer,
            f"{verdict.defined:,} of {verdict.rows:,}" if verdict.rows else "",
            "" if verdict.width is None else f"±{verdict.width:.2g}",
            "" if verdict.answer == "yes" else verdict.why,
        )
        for verdict in told
    ]
    components.table(pd.DataFrame(rows, columns=list(_MEASURES)), _MEASURES, "import_measures")
