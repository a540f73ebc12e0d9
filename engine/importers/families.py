"""The models of an import: what their names say of families, and how people correct it in a CSV file.

What a name says is in `family_names`; models whose names differ by date or quantisation only are shown
together: for them «its own response» is a question to think about.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.importers.family_names import resolve
from engine.values import text_of

NAMED = "name"
"""The column of a models file that renames a model: the name that it shall have in the study."""

QUESTION = "question"
"""The column of a models file that says what is open about a model; it is not read."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a models file says: the rows of `models` by the name in the study, and how names are changed."""

    rows: Mapping[str, Mapping[str, str]]
    names: Mapping[str, str]

    def named(self, model: str) -> str:
        """Return the name that a model of the file shall have."""
        return self.names.get(model, model)

    def row(self, model: str, others: Iterable[str] = ()) -> dict[str, Any]:
        """Return the row of `models`: what the file says, else what the name says.

        A model that it was trained from is called as it is among the `others` of the study, where it is one
        of them under another spelling.
        """
        named = resolve(model)
        columns = dict(self.rows.get(model, {}))
        columns.setdefault("family", named.family)
        if named.state == "sure":
            spelt = {resolve(other).twin: other for other in others}
            parents, teachers = (
                ", ".join(spelt.get(resolve(name).twin, name) for name in names if name)
                for names in ([named.tuned_from], named.distilled_from)
            )
            edges = {"base_model": named.base_model, "tuned_from": parents, "distilled_from": teachers}
            for column, value in edges.items():
                if value:
                    columns.setdefault(column, value)
        return {"model": model, **columns}

    def edited(self, families: Mapping[str, str], names: Mapping[str, str]) -> "Corrections":
        """Return these with other families and names for models, by the names that they have in the study."""
        rows = {name: dict(columns) for name, columns in self.rows.items()}
        for model, family in families.items():
            rows.setdefault(model, {})["family"] = family
        renamed = dict(self.names)
        for before, after in names.items():
            given = [model for model, name in renamed.items() if name == before] or [before]
            renamed.update(dict.fromkeys(given, after))
            rows[after] = {**rows.pop(before, {}), **rows.get(after, {})}
        return Corrections(rows, renamed)


NONE = Corrections({}, {})


def read_corrections(path: Path) -> Corrections:
    """Read a models file: CSV with `model`, and of `family`, `name` and the columns of `models` any.

    Raises BadInputError that names the row and the column.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(text_of(path), newline=""), restkey="", restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError(f"{str(path)!r} cannot be read ({error}); give a CSV file of models") from error
    allowed = (*schema.MODELS.names, NAMED, QUESTION)
    rows: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        for column in line:
            if column not in allowed:
                problem = f"there is a column {column!r}" if column else "it has more cells than the header"
                raise bad_row(path.name, number, problem, f"give some of {', '.join(allowed)}")
        model = line.get("model", "")
        if not model or model in names:
            problem = f"the model is {model!r}" + (", which stands there twice" if model else "")
            raise bad_row(path.name, number, problem, "give each model as the imported file names it, once")
        names[model] = name = line.get(NAMED) or model
        columns = {c: v for c, v in line.items() if v and c not in ("model", NAMED, QUESTION)}
        if rows.setdefault(name, columns) != columns and columns:
            rows[name] = {**rows[name], **columns}
    if not lines:
        raise BadInputError(f"{path.name}: it has no rows; give the columns {', '.join(allowed)}")
    return Corrections(rows, names)


def as_csv(
    models: Iterable[str],
    families: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> str:
    """Return a models file with what the names say, to be corrected; `question` is what they leave open.

    `families` and `names` are what people said of some models already.
    """
    known, renamed = families or {}, names or {}
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "family", NAMED, QUESTION])
    for one in map(resolve, models):
        decided = one.model in known
        question = "" if decided else one.question or ""
        writer.writerow([one.model, known.get(one.model, one.family), renamed.get(one.model, ""), question])
    return text.getvalue()
