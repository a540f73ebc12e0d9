"""Any table of judgments: CSV, Parquet, JSON Lines or a JSON list, its fields named with `--map`.

`--map judge=rater` says that the column `judge` comes from the field `rater`, `--set paradigm=pairwise` that
it is the same everywhere. A column that is neither is read from a field of its own name. What a verdict may
be written as is in `_MET` and `_SIDES`; -1, `error` and nothing at all are no verdict.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import UsageError, unknown
from engine.importers.foreign.files import rows_of
from engine.importers.foreign.formats import Asked, Field, Format, files_in, instance_of
from engine.importers.foreign.gathered import Found
from engine.importers.foreign.rows import BadRowError, Row, Tally, number_of

_EXPECTED = (
    "a .csv, .parquet, .jsonl or .json file with a judgment in each row: who judged whose response to what, "
    "and met, score or choice; name its fields with --map judge=FIELD generator=FIELD ..."
)
_JUDGMENT = {
    "judge": "who judged",
    "generator": "whose response it is",
    "opponent": "pairs: whose the other response is",
    "first": "pairs: who was shown first",
    "choice": "pairs: who won",
    "met": "whether the criterion is met",
    "score": "the score, divided by `scale` where that is set",
    "p_generator": "pairs: the probability of the generator",
    "paradigm": "the way of judging; else what the verdict suggests",
    "variant": "the prompt template's name",
    "status": "ok, unparsed, refused or error",
    "explanation": "the judge's reason",
    "raw": "what the judge said",
    "scale": "what a score is divided by",
}
_OTHERS = {
    "instance_id": "the question; else its id is made of the prompt",
    "prompt": "the question's words",
    "category": "its kind of task",
    "theme": "what it is about",
    "language": "its language",
    "reference_answer": "an answer known to be good",
    "rubric_id": "the rubric; else its id is made of the criterion",
    "criterion": "the rubric's words",
    "points": "the rubric's weight",
    "axis": "the quality that the rubric is about",
    "response": "the generator's response",
    "opponent_response": "the opponent's response",
    "reference_met": "whether the criterion is met in truth",
    "reference_score": "the score in truth",
    "reference_source": "who says so: program or human, and human:<id>; else human",
    "preference": "pairs: who is better in truth",
}
COLUMNS: dict[str, str] = _JUDGMENT | _OTHERS
"""What `--map` and `--set` can name, and what it means."""

_MET = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "y", "met", "pass", "passed", "correct"), True),
    **dict.fromkeys(
        ("false", "0", "0.0", "no", "n", "not met", "not_met", "fail", "failed", "incorrect"), False
    ),
}
_SIDES = {
    **dict.fromkeys(
        ("generator", "a", "model_a", "model_1", "response_a", "assistant_a", "1", "left"), "generator"
    ),
    **dict.fromkeys(
        ("opponent", "b", "model_b", "model_2", "response_b", "assistant_b", "2", "right"), "opponent"
    ),
    **dict.fromkeys(("tie", "equal", "draw", "both", "c", "tie (bothbad)", "both_bad", "0", "same"), "tie"),
}
_OUTCOMES = {"generator": 1, "tie": 0, "opponent": -1}
_ABOUT_INSTANCES = ("prompt", "category", "theme", "language", "reference_answer")
_ABOUT_RUBRICS = ("criterion", "axis")


class Table:
    """Rows being read, by the fields that the user named."""

    def __init__(self, path: Path, asked: Asked, tally: Tally) -> None:
        for option, names in (("map", asked.map), ("set", asked.set)):
            for name in names:
                if name not in COLUMNS:
                    raise unknown(f"column of --{option}", name, COLUMNS)
        self.path, self.asked, self.tally = path, asked, tally
        self.files = files_in(path, ".csv", ".parquet", ".jsonl", ".ndjson", ".json", expected=_EXPECTED)
        self.constants = dict(asked.set) | ({"judge": asked.judge} if asked.judge else {})
        self.constants |= {"generator": asked.generator} if asked.generator else {}
        self.named = tuple(
            (name, asked.map.get(name, name)) for name in COLUMNS if name not in self.constants
        )
        self.scale = number_of(self.constants.get("scale", "1"))
        if not self.scale or self.scale < 0:
            raise UsageError(f"--set scale={self.constants['scale']!r} is no number above 0; give such as 10")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that were taken, with the columns that they became."""
        return tuple(Field(found, name) for name, found in self.named if self.tally.fields.get(found))

    def rows(self) -> Iterator[Row]:
        """Yield the rows, and note afterwards which mapped fields were in none."""
        for file in self.files:
            yield from rows_of(file, self.tally, _EXPECTED)
        for column, found in self.asked.map.items():
            if found not in self.tally.fields:
                self.tally.note(f"--map {column}={found}: no row has a field {found!r}")

    def read(self, row: Row) -> Found:
        """Return the judgment of a row, and the question, rubric, responses and references that it names."""
        cells = Row(row.file, row.number, self._cells(row.values))
        instance = {
            "instance_id": cells.maybe_text("instance_id") or self._id(cells, "prompt", "instance_id")
        }
        models = {"generator": cells.text("generator")}
        pair = cells.maybe_text("opponent")
        rubric = cells.maybe_text("rubric_id")
        if rubric is None and cells.values.get("criterion") is not None:
            rubric = instance_of(cells.text("criterion"))
        found: Found = {"instances": [instance | _texts(cells, _ABOUT_INSTANCES)]}
        if rubric is not None:
            about = _texts(cells, _ABOUT_RUBRICS)
            points = cells.values.get("points")
            found["rubrics"] = [
                instance
                | about
                | {"rubric_id": rubric, "points": None if points is None else _number(points, "points")}
            ]
        found["responses"] = [
            instance | {"generator": model, "text": cells.words(column)}
            for model, column in ((models["generator"], "response"), (pair, "opponent_response"))
            if model is not None and cells.values.get(column) is not None
        ]
        self._truth(found, cells, instance | models, pair, rubric)
        if "judge" in cells.values:
            found["judgments"] = [self._judgment(cells, instance | models, pair, rubric)]
        elif not (found.get("references") or found.get("preferences")):
            raise BadRowError(f"no {self.asked.map.get('judge', 'judge')}")
        return found

    def _cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row by our columns: what is set, else the field named, else that of its own name."""
        found = {name: values.get(field) for name, field in self.named}
        return {name: value for name, value in found.items() if value is not None} | self.constants

    def _id(self, cells: Row, column: str, wanted: str) -> str:
        if cells.values.get(column) is None:
            raise BadRowError(f"neither {self.asked.map.get(wanted, wanted)} nor {column}")
        return instance_of(cells.text(column))

    def _judgment(
        self, cells: Row, keys: dict[str, Any], pair: str | None, rubric: str | None
    ) -> dict[str, Any]:
        verdict = _verdict(cells, keys["generator"], pair, self.scale or 1)
        paradigm = cells.maybe_text("paradigm") or verdict.pop("suggests")
        verdict.pop("suggests", None)
        if paradigm not in schema.PARADIGMS:
            raise BadRowError("paradigm is none of " + ", ".join(schema.PARADIGMS), paradigm)
        _check_range(paradigm, verdict.get("score"))
        row = {
            **keys,
            "judge": cells.text("judge"),
            "paradigm": paradigm,
            "opponent": pair,
            "rubric_id": rubric if paradigm not in ("direct_assessment", "pairwise") else None,
            **{name: cells.maybe_text(name) for name in ("variant", "explanation", "raw")},
            **verdict,
        }
        if paradigm == "pairwise":
            first = _side(cells.values.get("first"), keys["generator"], pair)
            row["first"] = first if first in ("generator", "opponent") else "unknown"
        return row

    def _truth(
        self, found: Found, cells: Row, keys: dict[str, Any], pair: str | None, rubric: str | None
    ) -> None:
        """Add the references and preferences that a row holds."""
        source = cells.maybe_text("reference_source") or "human"
        met, score = cells.values.get("reference_met"), cells.values.get("reference_score")
        if rubric is not None and (met is not None or score is not None):
            known = None if met is None else _MET.get(str(met).strip().lower())
            number = None if score is None else _number(score, "reference_score")
            row = {"rubric_id": rubric, "source": source, "met": known, "score": number}
            found["references"] = [keys | row]
        if pair is not None and cells.values.get("preference") is not None:
            side = _side(cells.values["preference"], keys["generator"], pair)
            if side is None:
                raise BadRowError("preference names neither side", cells.values["preference"])
            gold = source if source.startswith("human:") or source != "human" else "human:reference"
            found["preferences"] = [keys | {"opponent": pair, "source": gold, "outcome": _OUTCOMES[side]}]


def _verdict(cells: Row, generator: str, pair: str | None, scale: float) -> dict[str, Any]:
    """Return the verdict with its status, and the paradigm that it suggests."""
    said = {name: cells.values.get(name) for name in ("choice", "met", "score")}
    status = cells.maybe_text("status")
    told: dict[str, Any] = {}
    if pair is not None:
        told = {"choice": _side(said["choice"], generator, pair), "suggests": "pairwise"}
        share = number_of(cells.values.get("p_generator"))
        told["p_generator"] = share if share is not None and 0 <= share <= 1 else None
    elif said["met"] is not None or said["score"] is None:
        known = None if said["met"] is None else _MET.get(str(said["met"]).strip().lower())
        told = {"met": known, "suggests": "single_rubric"}
    else:
        number = number_of(said["score"])
        ranked = cells.values.get("rubric_id") is not None or cells.values.get("criterion") is not None
        told = {
            "score": None if number is None or number == -1 else number / scale,
            "suggests": "score_rubric" if ranked else "direct_assessment",
        }
    values = {name: value for name, value in told.items() if name != "suggests" and value is not None}
    if status is not None and status not in schema.STATUSES:
        raise BadRowError("status is none of " + ", ".join(schema.STATUSES), status)
    if status not in (None, "ok"):
        return {"status": status, "suggests": told["suggests"]}
    return {**values, "status": "ok" if values else "unparsed", "suggests": told["suggests"]}


def _check_range(paradigm: str, score: float | None) -> None:
    top = {"direct_assessment": 1, "quality": 10}.get(paradigm)
    if top is not None and score is not None and not 0 <= score <= top:
        raise BadRowError(f"score is not from 0 to {top} (--set scale=10 divides it)", score)


def _side(value: object, generator: str, pair: str | None) -> str | None:
    """Return which side a value names: a model by its name, or a word or letter for a side."""
    if value is None:
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    return {generator: "generator", pair: "opponent"}.get(text) or _SIDES.get(text.lower())


def _number(value: object, name: str) -> float:
    found = number_of(value)
    if found is None:
        raise BadRowError(f"{name} is no number", value)
    return found


def _texts(cells: Row, names: tuple[str, ...]) -> dict[str, Any]:
    """Return those of the text columns that the row has."""
    return {name: cells.maybe_text(name) for name in names if name in cells.values}


FORMAT = Format(
    "table",
    "Table of judgments",
    "",
    _EXPECTED,
    tuple(Field(name, name, meaning) for name, meaning in COLUMNS.items()),
    Table,
    ("judge", "generator", "map", "set"),
)
