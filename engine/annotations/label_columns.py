"""The columns of a file of labels: those that it needs, those of a template, and what each may hold."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from engine.annotations.label_templates import SUBJECT, is_text
from engine.errors import bad_row, nearest
from engine.phrases import join_names
from engine.schema import ANNOTATIONS
from engine.store.batches import Batch, ExchangeTable

_NEEDED = ("annotator", "task", "item", "kind", "value")
OF_RUBRICS = ("rubric_verdict", "score")
OF_PAIRS = ("equal_pair", "preference")
SUBJECT_OF_KIND = {
    **dict.fromkeys(OF_RUBRICS, ("instance_id", "generator", "rubric_id")),
    "preference": ("instance_id", "generator", "opponent"),
}
"""The columns that say what a label of a kind is about, without which it is no reference or preference."""

_WORDS = {
    **dict.fromkeys(("label", "verdict", "answer", "rating", "vote", "choice"), "value"),
    **dict.fromkeys(("labeller", "labeler", "person", "rater", "worker", "user"), "annotator"),
    **dict.fromkeys(("question", "question_id", "prompt_id"), "instance_id"),
    **dict.fromkeys(("model", "author", "model_a"), "generator"),
    **dict.fromkeys(("criterion", "criterion_id"), "rubric_id"),
    **dict.fromkeys(("model_b", "other"), "opponent"),
}
"""What others call the columns of labels."""


_FEW = 2
"""Most missing columns of a file of labels; one that lacks more is a file of something else."""

_OF_VERDICTS, _OF_VOTES = (",".join(SUBJECT_OF_KIND[kind]) for kind in ("rubric_verdict", "preference"))
_HEADER = (
    f"give the file the header line {','.join(_NEEDED)},{_OF_VERDICTS} (of pairs {_OF_VOTES} in place of the "
    "last three), or fill in that of `spb label template`; `spb explain annotator`, say, describes a column"
)
"""What to do with a file that has none of the columns of labels."""


def _is_template(source: ExchangeTable, present: Collection[str]) -> bool:
    """Return whether a file has the columns of a template that was filled in."""
    has_subject, lacks = set(present) & set(SUBJECT), set(_NEEDED) - set(present)
    return bool(source.ignored) and all(map(is_text, source.ignored)) and not (has_subject or lacks)


def check_columns(source: ExchangeTable, present: Collection[str]) -> None:
    """Raise BadInputError, with all columns that labels lack, and what each may hold.

    So are columns that no label has, since a label in one of them would be lost: a row without a value
    withdraws its label, and a file whose column of values has another name is no file of labels. Of a file
    that lacks nearly all, the error has the header line alone.
    """
    unknown = () if _is_template(source, present) else tuple(source.ignored)
    missing = [name for name in _NEEDED if name not in present]
    if source.columns is None and not unknown:  # of JSON Lines a row without a value may lack it
        missing = [name for name in missing if name != "value"]
    if not (unknown or missing):
        return
    if len(missing) > _FEW:
        raise bad_row(ANNOTATIONS.name, None, f"missing {_columns(missing)}", _HEADER)
    near = {name: nearest(name, ANNOTATIONS.names, _WORDS) for name in unknown}
    hints = [f"{name!r} is perhaps {close!r}" for name, close in near.items() if close is not None]
    problems = [f"unknown {_columns(unknown)}", *hints] if unknown else []
    remedies = ["rename or remove what is unknown"] if unknown else []
    if missing:
        problems.append(f"missing {_columns(missing)}")
        needs = [name for columns in SUBJECT_OF_KIND.values() for name in columns if name not in present]
        remedies.append(f"add what is missing ({meanings(missing)})")
        if needs:
            kinds = [
                f"{kind} needs {join_names(columns)}"
                for kind, columns in SUBJECT_OF_KIND.items()
                if not set(columns) <= set(present)
            ]
            remedies.append(f"say what was labelled ({meanings(needs)}): {'; '.join(kinds)}")
    remedies.append(f"the columns are {', '.join(ANNOTATIONS.names)}")
    raise bad_row(ANNOTATIONS.name, None, "; ".join(problems), "; ".join(remedies))


def meanings(names: Iterable[str]) -> str:
    """Return what columns hold, with the values that they may have."""
    columns = [ANNOTATIONS.column(name) for name in dict.fromkeys(names)]
    return "; ".join(
        f"{column.name}: {column.meaning}"
        + (f", {join_names(column.choices, last='or')}" if column.choices else "")
        for column in columns
    )


@dataclass
class TemplateRows:
    """Whether a file that is being read is a template, and its rows without a value so far.

    Of these the task, the item and who is to label it, None where a row names nobody.
    """

    is_one: bool = False
    unfilled: list[tuple[str, str, str | None]] = field(default_factory=list)

    def of_known_columns(self, source: ExchangeTable) -> Iterator[Batch]:
        """Yield the batches; of JSON Lines the rows read so far show the columns."""
        for batch in source.batches:
            present = source.columns if source.columns is not None else batch.rows.schema.names
            if source.columns is not None or batch.rows.num_rows:
                check_columns(source, present)
            self.is_one = _is_template(source, present)
            yield from self._filled(batch) if self.is_one else (batch,)

    def _filled(self, batch: Batch) -> Iterator[Batch]:
        """Yield the rows of a template that have a value, each with its number."""
        columns = (_texts(batch, name) for name in ("value", "task", "item", "annotator"))
        filled = []
        for value, task, item, person in zip(*columns, strict=True):
            filled.append(bool(value))
            if not value:
                self.unfilled.append((task, item, person or None))
        start = 0
        for has_value, run in groupby(filled):
            number = len(list(run))
            if has_value:
                yield replace(batch, rows=batch.rows.slice(start, number), first=batch.first + start)
            start += number


def _texts(batch: Batch, name: str) -> list[str]:
    """Return the cells of a column as stripped texts; they are bytes where they come from a CSV file."""
    return [
        cell.decode("utf-8", "replace").strip()
        if isinstance(cell, bytes)
        else str("" if cell is None else cell).strip()
        for cell in batch.rows.column(name).to_pylist()
    ]


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {join_names([*map(repr, names)])}"
