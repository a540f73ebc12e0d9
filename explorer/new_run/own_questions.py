"""Questions of one's own for a new run: pasted, or from a file that is dropped on the page."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from engine.errors import SpbError
from engine.importers.own_questions.question_checks import Questions
from engine.importers.own_questions.question_columns import QuestionColumnError
from engine.importers.own_questions.question_file import read_questions, text_questions
from engine.importers.reading.json_rows import UPLOAD_LIMITS, apply_limits
from engine.phrases import quantity
from explorer.new_run.uploaded_files import Upload, write_file
from explorer.parts import components
from explorer.serving.uploads import LARGEST_UPLOAD_MB, allow_uploads

FILE = "questions.jsonl"
"""The file that the questions are written to, beside the run's configuration."""

_READ = "_own_questions"
_LONGEST_TEXT = 1_000_000


@dataclass(frozen=True)
class OwnQuestions:
    """The questions that were given, or None with what is still to be done, and a name for their study."""

    questions: Questions | None
    lacking: str | None
    name: str = "my-questions"


def choose_questions() -> OwnQuestions:
    """Show where questions are dropped or pasted, and return those that were."""
    allow_uploads()
    file = st.file_uploader(
        "Questions", key="run_questions_file", max_upload_size=LARGEST_UPLOAD_MB,
        help="CSV, Excel or JSON Lines with a column question (also criteria, reference_answer, category), "
        "or a text file with one question on each line",
    )  # fmt: skip
    if file is None:
        text = st.text_area(
            "or paste them, one on each line", key="run_questions_text", max_chars=_LONGEST_TEXT, height=160
        )
        if not text.strip():
            return OwnQuestions(None, "Drop a file of questions, or paste them.")
        try:
            return OwnQuestions(text_questions(text), None)
        except SpbError as error:
            return OwnQuestions(None, f"{error}.")
    upload = Upload(file.name, file.file_id, file.getvalue())
    name = Path(file.name).name.partition(".")[0] or "my-questions"
    try:
        questions = _read_once(upload, {})
    except QuestionColumnError as error:
        column = st.selectbox(
            "Column with the questions", error.columns, key=f"run_questions_column_{upload.mark}",
            index=None, placeholder="choose",
        )  # fmt: skip
        if column is None:
            return OwnQuestions(None, "Choose the column that holds the questions.", name)
        try:
            questions = _read_once(upload, {"prompt": column})
        except SpbError as error:
            return OwnQuestions(None, f"{error}.", name)
    except SpbError as error:
        return OwnQuestions(None, f"{error}.", name)
    return OwnQuestions(questions, None, name)


def show_questions(questions: Questions) -> None:
    """Say how many questions and criteria were read, from which columns, and what was left out."""
    parts = [quantity(len(questions.instances), "question")]
    if questions.rubrics:
        parts.append(f"{len(questions.rubrics):,} criteria")
    if questions.unread:
        parts.append(f"not read: {', '.join(questions.unread)}")
    components.note(f"{', '.join(parts)}.", *(f"{note}." for note in questions.notes), key="own_questions")


def _read_once(upload: Upload, names: Mapping[str, str]) -> Questions:
    """Read an upload, once until it or the column changes; its errors are stored too."""
    key = (upload.mark, tuple(names.items()))
    stored = st.session_state.get(_READ)
    if stored is None or stored[0] != key:
        stored = st.session_state[_READ] = (key, _read(upload, names))
    if isinstance(stored[1], SpbError):
        raise stored[1]
    return stored[1]


def _read(upload: Upload, names: Mapping[str, str]) -> Questions | SpbError:
    with tempfile.TemporaryDirectory(prefix="spb-") as folder, apply_limits(UPLOAD_LIMITS):
        try:
            return read_questions(write_file(upload, Path(folder) / "file"), names)
        except SpbError as error:
            return error
