"""A slice: everything that can be asked of a measure's rows, declared once.

The fields of `Slice` are the command line's flags, the keyword arguments of `Study.measure`, the
pages' filters and the keys of an address; each carries its meaning and choices.
"""

from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal

from engine.errors import UsageError, unknown
from engine.schema import PARADIGMS

FlagKind = Literal["names", "numbers", "name", "range", "number", "switch"]
Bounds = tuple[float | None, float | None]

NULL = "null"
"""How the absence of a value is written in a filter."""

ROW_COLUMNS = ("run", "paradigm", "variant", "transform", "ordering")
"""Columns by which judgment rows are told apart before they become arrays."""

RUBRIC_COLUMNS = ("polarity", "length", "axis", "theme", "category", "language", "checker", "agreement")
"""Columns whose value is a rubric's."""

INSTANCE_COLUMNS = ("theme", "category", "language")
"""Of these, the ones that an instance has too."""

CELL_COLUMNS = ("position", "response_length")
"""Columns whose value depends on the generator, or on the judge too."""

JUDGE_COLUMNS = ("stage", "size")
"""Columns whose value is the judge's: how far it was trained, and its parameters in five bins."""

GROUPINGS = (*ROW_COLUMNS, *RUBRIC_COLUMNS, *CELL_COLUMNS, *JUDGE_COLUMNS)
"""What a measure can be grouped by."""


def _flag(kind: FlagKind, meaning: str, default: Any = None, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"kind": kind, "meaning": meaning, "choices": choices})


def _names(meaning: str, choices: tuple[str, ...] = ()) -> Any:
    return _flag("names", meaning, (), choices)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Which judgments a measure is taken of.

    Empty and None mean all, or the default of MEASURES section 1.
    """

    run: tuple[str, ...] = _names("only these runs")
    paradigm: str | None = _flag("name", "the way of judging", choices=PARADIGMS)
    variant: str | None = _flag("name", "the prompt template")
    transform: str | None = _flag("name", "the rewriting of the responses that was judged")
    level: str | None = _flag("name", "rubrics, or comparisons of responses", choices=("rubric", "instance"))
    scores: str = _flag(
        "name",
        "how verdicts make a response's score",
        "fraction",
        ("fraction", "weighted", "weighted_mean_clipped", "uniform"),
    )
    reference: str | None = _flag("name", "whose verdicts are taken as true")
    judges: tuple[str, ...] = _names("judges shown")
    generators: tuple[str, ...] = _names("generators shown, compared and averaged over")
    polarity: str | None = _flag("name", "sign of the rubric's points", choices=("positive", "negative"))
    length: Bounds | None = _flag("range", "length of the rubric, ends included")
    length_unit: str = _flag("name", "what length counts", "characters", ("characters", "words"))
    axis: tuple[str, ...] = _names("axes of the rubrics")
    theme: tuple[str, ...] = _names("themes, the rubric's or else the instance's")
    category: tuple[str, ...] = _names("categories of the instances")
    language: tuple[str, ...] = _names("languages of the instances")
    checker: tuple[str, ...] = _names("programs that decide the rubrics")
    ordering: str | None = _flag("name", "the order in which rubrics were shown")
    position: tuple[int, ...] = _flag("numbers", "places of the rubric in the order shown, from 1", ())
    response_length: Bounds | None = _flag(
        "range", "characters of the response, of both of a pair, ends included"
    )
    min_agreement: float | None = _flag("number", "least agreement of the judges on the rubric, 0 to 1")
    agreement_of: str = _flag(
        "name",
        "agreement on the rubric over all responses, or on one response",
        "rubric",
        ("rubric", "verdict"),
    )
    agreement_without_family: bool = _flag(
        "switch", "for each judge, agreement of judges outside its family", False
    )
    relatives: str = _flag("name", "what makes models kin", "family", ("family", "provider", "base_model"))
    exclude_family: bool = _flag(
        "switch", "a judge's relatives and itself do not vote in its reference", False
    )
    leave_self_out: bool = _flag("switch", "a judge itself does not vote in its reference", False)
    repeats: str = _flag("name", "what repeats of one judgment amount to", "majority", ("majority", "first"))
    min_instances: int = _flag("number", "fewest instances for p-values", 10)

    @classmethod
    def of(cls, **given: Any) -> "Slice":
        """Make a slice from flags as a user writes them; None and empty lists mean not given.

        Raises UsageError naming the flag, the value and the choices.
        """
        names = {item.name for item in fields(cls)}
        for name in given:
            if name not in names:
                raise unknown("filter", name, sorted(names))
        known = {
            item.name: _read(item, given[item.name])
            for item in fields(cls)
            if given.get(item.name) not in (None, (), [], "")
        }
        return cls(**known)

    def given(self) -> dict[str, Any]:
        """Return the fields that are not at their default."""
        return {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if getattr(self, item.name) != item.default
        }


FLAGS: tuple["Field[Any]", ...] = fields(Slice)
"""The declarations, for those who make flags, widgets or documentation of them."""


def _read(item: "Field[Any]", value: Any) -> Any:
    kind: FlagKind = item.metadata["kind"]
    if kind == "switch":
        if isinstance(value, bool):
            return value
        return _switch(item.name, str(value))
    if kind == "names":
        return tuple(_name(item, part) for part in _parts(value))
    if kind == "numbers":
        return tuple(int(_number(item.name, part)) for part in _parts(value))
    if kind == "range":
        return _range(item.name, value)
    if kind == "number":
        number = _number(item.name, value)
        return int(number) if isinstance(item.default, int) else number
    return _name(item, str(value))


def _parts(value: Any) -> list[Any]:
    """Split a text at commas; the items of a list stand as they are."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _name(item: "Field[Any]", value: Any) -> str:
    choices = item.metadata["choices"]
    if choices and value not in choices:
        raise unknown(item.name.replace("_", " "), value, choices)
    return str(value)


def _switch(name: str, value: str) -> bool:
    if value.lower() in ("true", "1", "yes", "on"):
        return True
    if value.lower() in ("false", "0", "no", "off"):
        return False
    raise unknown(name, value, ("true", "false"))


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        raise UsageError(f"{name} {value!r} is not a number; give one such as 0.9")
    return number


def _range(name: str, value: Any) -> Bounds:
    parts = value.split(":") if isinstance(value, str) else list(value)
    if len(parts) != 2:
        raise UsageError(f"{name} {value!r} is not a range; write LOW:HIGH, either end may be left out")
    low, high = (None if part in (None, "") else _number(name, part) for part in parts)
    if low is not None and high is not None and low > high:
        raise UsageError(f"{name} {value!r} is empty; put the lower end first")
    return low, high


def parse_filters(text: str) -> dict[str, str]:
    """Read filters written as `axis=accuracy;polarity=negative`; UsageError for anything else."""
    pairs: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, equals, value = part.partition("=")
        if not equals or not value.strip():
            raise UsageError(f"filter {part!r} is not of the form column=value; see `--against` in the help")
        pairs[name.strip().replace("-", "_")] = value.strip()
    if not pairs:
        raise UsageError(f"{text!r} holds no filter; write for example axis=accuracy;polarity=negative")
    return pairs
