"""The models file: names and families of models as people correct them."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine import schema
from engine.bounded_files import text_of
from engine.errors import BadInputError, bad_row
from engine.importers.families import NEW_NAME, QUESTION, resolve
from engine.importers.model_names.family_catalogue import catalogue
from engine.plain_words import system_words
from engine.store.study_files import ImportRecord


@dataclass(frozen=True, slots=True)
class Corrections:
    """The content of a models file: rows of `models` by name in the study, and new names by old ones.

    `earlier` are the new names of the study's other imports, for models that the file does not name.
    """

    rows: Mapping[str, Mapping[str, str]]
    names: Mapping[str, str]
    earlier: Mapping[str, str] = field(default_factory=dict)

    def new_name(self, model: str) -> str:
        return self.names.get(model, self.earlier.get(model, model))

    def after(self, imports: Iterable[ImportRecord]) -> "Corrections":
        """Return a copy in which the names of these imports, the last of which wins, hold too."""
        earlier = {old: new for record in imports for old, new in record.names.items()}
        return replace(self, earlier=earlier)

    def other_names(self) -> dict[str, str]:
        """Return the names in the study by those in files, where they differ."""
        return {old: new for old, new in {**self.earlier, **self.names}.items() if old != new}

    def row(self, model: str, others: Iterable[str] = ()) -> dict[str, Any]:
        """Return the row of `models`: from the models file, else from the name.

        A model that it was trained from is spelt as among the `others` of the study, if it is one of them.
        """
        new_name = resolve(model)
        columns = dict(self.rows.get(model, {}))
        columns.setdefault("family", new_name.family)
        if new_name.state == "sure":
            spellings = {resolve(other).twin: other for other in others}
            parents, teachers = (
                ", ".join(spellings.get(resolve(name).twin, name) for name in names if name)
                for names in ([new_name.tuned_from], new_name.distilled_from)
            )
            edges = {"base_model": new_name.base_model, "tuned_from": parents, "distilled_from": teachers}
            for column, value in edges.items():
                if value:
                    columns.setdefault(column, value)
        return {"model": model, **columns}

    def edit(self, families: Mapping[str, str], names: Mapping[str, str]) -> "Corrections":
        """Return a copy with these families and new names, both by the models' names in the study."""
        rows = {name: dict(columns) for name, columns in self.rows.items()}
        for model, family in families.items():
            rows.setdefault(model, {})["family"] = family
        new_names = dict(self.names)
        for before, after in names.items():
            old_names = [model for model, name in new_names.items() if name == before] or [before]
            new_names.update(dict.fromkeys(old_names, after))
            rows[after] = {**rows.pop(before, {}), **rows.get(after, {})}
        return Corrections(rows, new_names, self.earlier)

    def with_known_families(
        self, models: Collection[str], stored: Iterable[str] = ()
    ) -> tuple["Corrections", dict[str, str]]:
        """Return a copy in which families of these models are spelt as known ones, with what changed.

        Known are those of the catalogue, the `stored` ones, and those of models that are not corrected.
        """
        given = {model: row["family"] for model, row in self.rows.items() if "family" in row}
        given = {model: family for model, family in given.items() if model in models}
        others = [each.name for each in catalogue().families]
        others += [*stored, *(resolve(model).family for model in models if model not in given)]
        spellings: dict[str, str] = {}
        for family in (*others, *given.values()):
            spellings.setdefault(_family_key(family), family.strip())
        new = {model: spellings[_family_key(family)] for model, family in given.items()}
        changed = {
            given[model]: family for model, family in new.items() if given[model] not in (family, *others)
        }
        return self.edit({model: changed.get(family, family) for model, family in given.items()}, {}), changed


NONE = Corrections({}, {})


def _family_key(family: str) -> str:
    """Return what spellings of one family share, without letter case, blanks and hyphens."""
    return re.sub(r"[-_\s]+", "", family).casefold()


_COLUMNS = (
    "model is a name in the imported file, and name its name in the study: models given one name become one"
)


def read_corrections(path: Path) -> Corrections:
    """Read a CSV file of models: the column `model`, and any of `name` and the columns of `models`."""
    try:
        lines = list(csv.DictReader(io.StringIO(text_of(path), newline=""), restkey="", restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError(
            f"{str(path)!r} cannot be read ({system_words(error)}); give a CSV file of models"
        ) from error
    allowed = (*schema.MODELS.names, NEW_NAME, QUESTION)
    rows: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        for column in line:
            if column not in allowed:
                problem = f"there is a column {column!r}" if column else "it has more cells than the header"
                raise bad_row(path.name, number, problem, f"give some of {', '.join(allowed)}; {_COLUMNS}")
        model = line.get("model", "")
        if not model or model in names:
            problem = f"the model is {model!r}" + (", which occurs twice" if model else "")
            remedy = "give each model as the imported file names it, once"
            if "model" not in line:
                remedy = f"give the column model; {_COLUMNS}"
            raise bad_row(path.name, number, problem, remedy)
        names[model] = name = line.get(NEW_NAME) or model
        columns = {
            c: v.strip() for c, v in line.items() if v.strip() and c not in ("model", NEW_NAME, QUESTION)
        }
        earlier = rows.get(name, {})
        for column, value in columns.items():
            if earlier.get(column, value) != value:
                problem = f"{column} of {name!r} is {value!r}, but {earlier[column]!r} in an earlier row"
                raise bad_row(path.name, number, problem, "models of one name become one; make them agree")
        rows[name] = {**earlier, **columns}
    if not lines:
        raise BadInputError(f"{path.name}: it has no rows; give the columns {', '.join(allowed)}")
    return Corrections(rows, names)


def as_csv(
    models: Iterable[str], families: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
) -> str:
    """Return a models file for people to correct, filled from the names; `question` is what they leave open.

    `families` and `names` are corrections that people have already made.
    """
    families, names = families or {}, names or {}
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "family", NEW_NAME, QUESTION])
    for model in models:
        parsed = resolve(model)
        question = "" if model in families else parsed.question or ""
        writer.writerow([model, families.get(model, parsed.family), names.get(model, ""), question])
    return text.getvalue()
