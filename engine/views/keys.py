"""The keys of a view: the choices that change what it shows, declared as the fields of a dataclass.

    @dataclass(frozen=True)
    class Keys:
        slice_: Annotated[Filters, filters("level")]
        common: Annotated[bool, switch("Only shared responses", "Responses judged in every paradigm")]

An address, a pin and a command line write the values of keys as texts; `read_keys` is the only place that
reads them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_type_hints

from engine.explore.filter_choices import Choices, choices_of
from engine.paradigms import COMPARABLE, PAIR_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import join_names
from engine.slices import FLAGS, agreement_of_others
from engine.store.study_files import StudyInfo
from engine.words.plain_names import paradigm_name
from engine.words.short_titles import title

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

Texts = Mapping[str, Sequence[str]]
"""The values of keys as texts, as an address holds them."""

Filters = Mapping[str, Any]
"""The filters of a slice, as arguments of a measure."""

SAVED_SLICE = "slice"
"""The key that names a saved slice, whose filters apply where the view has none of its own."""

SECOND = "b_"
"""The prefix of the keys of a second slice."""

FILTER_KEYS = (SAVED_SLICE, *(flag.name for flag in FLAGS if flag.name != "min_instances"))
"""The keys that define a slice."""

Offers = Callable[["MeasuredStudy"], Mapping[str, str]]
"""The values that a key can take in a study, each with its words."""

Usual = Callable[["MeasuredStudy", Mapping[str, Any]], Any]
"""The value of a key that is not given, from the study and the values of the keys before it."""


Where = Callable[["MeasuredStudy", Mapping[str, Any]], bool]
"""Whether a page has a control for a key, from the study and the values of all keys."""


@dataclass(frozen=True)
class Key:
    """How one key is read, offered and named.

    A `choice` is one of a few values, `names` are several of them (at most `most`, unless 0), a
    `number` lies between `bounds`, `texts` are free, and `filters` stand for all keys of a slice but the
    `idle` ones, which have no effect. Those of a second slice have a `prefix`, and are of the study that
    `of` returns. A page has a control for the key only `where` that says so of the study: a click may choose
    it instead. A new choice empties the key that it `clears`.
    """

    kind: Literal["choice", "names", "switch", "number", "texts", "filters"]
    label: str
    meaning: str = ""
    offers: Offers | None = None
    usual: Usual | None = None
    bounds: tuple[float, float] = (0.0, 0.0)
    step: float = 0.0
    idle: tuple[str, ...] = ()
    where: Where | None = None
    most: int = 0
    clears: str | None = None
    prefix: str = ""
    of: Callable[["MeasuredStudy", Mapping[str, Any]], "MeasuredStudy"] | None = None


def without(slice_: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the filters and options of a slice but for those named."""
    return {name: value for name, value in slice_.items() if name not in names}


def nowhere(_study: "MeasuredStudy", _values: Mapping[str, Any]) -> bool:
    """Return False: a page has no control for the key, which a click chooses."""
    return False


@dataclass(frozen=True)
class NoKeys:
    """The keys of a view in which nothing can be chosen."""


def filters(*idle: str) -> Key:
    """Return the key of a slice's filters, of which the `idle` ones have no effect."""
    return Key("filters", "Filters", idle=idle)


def second_filters(of: Callable[["MeasuredStudy", Mapping[str, Any]], "MeasuredStudy"]) -> Key:
    """Return the key of a second slice's filters, whose study `of` returns."""
    return Key("filters", "Filters of B", prefix=SECOND, of=of)


def texts(label: str, meaning: str) -> Key:
    """Return a choice of free texts, none unless given, which a page chooses by a click or its own field."""
    return Key("texts", label, meaning, where=nowhere)


def switch(label: str, meaning: str, *, usual: Usual | None = None, where: Where | None = None) -> Key:
    """Return a choice of yes or no; no unless the study's `usual` value is yes."""
    return Key("switch", label, meaning, usual=usual, where=where)


def choice(
    label: str,
    meaning: str,
    offers: Offers,
    *,
    usual: Usual | None = None,
    where: Where | None = None,
    clears: str | None = None,
) -> Key:
    """Return a choice of one value: the first offered unless there is another `usual` one."""
    return Key("choice", label, meaning, offers, usual, where=where, clears=clears)


def names(
    label: str,
    meaning: str,
    offers: Offers,
    *,
    usual: Usual | None = None,
    most: int = 0,
    clears: str | None = None,
) -> Key:
    """Return a choice of several values: none unless there are `usual` ones."""
    return Key("names", label, meaning, offers, usual, most=most, clears=clears)


def number(
    label: str,
    meaning: str,
    low: float,
    high: float,
    *,
    step: float,
    usual: Usual,
    where: Where | None = None,
) -> Key:
    """Return a choice of a number between two ends."""
    return Key("number", label, meaning, None, usual, (low, high), step, where=where)


def keys_of(kind: type) -> dict[str, Key]:
    """Return the declared keys of a view by name: the `Key` in each field's annotation."""
    annotated = get_type_hints(kind, include_extras=True)
    return {
        name: next(each for each in get_args(annotated[name]) if isinstance(each, Key)) for name in annotated
    }


def key_names(kind: type) -> tuple[str, ...]:
    """Return every name that an address of the view may hold."""
    every = keys_of(kind).items()
    return tuple(
        name
        for key, each in every
        for name in ([each.prefix + flag for flag in FILTER_KEYS] if each.kind == "filters" else (key,))
    )


K = TypeVar("K")


def read_keys(kind: type[K], study: "MeasuredStudy", texts: Texts) -> tuple[K, tuple[str, ...]]:
    """Return a view's keys, and a sentence for each text that the study has no such value for.

    Such a text is dropped: its key takes the usual value.
    """
    reader = _Reader(study, choices_in(study), texts)
    values: dict[str, Any] = {}
    for name, key in keys_of(kind).items():
        values[name] = (
            reader.filters(key, values) if key.kind == "filters" else reader.value(name, key, values)
        )
    return kind(**values), tuple(dict.fromkeys(reader.dropped))


ALONE = {
    "all_rubrics": "judgments of all criteria at once",
    "score_rubric": "scores of single criteria",
}
"""What a study lacks that lacks judgments of one paradigm, where its name makes no sentence."""


def needs_paradigm(*paradigms: str) -> Callable[["MeasuredStudy"], str | None]:
    """Return what says whether a study has judgments of any of these paradigms: the `needs` of a view."""
    words = f"{join_names([paradigm_name(paradigm) for paradigm in paradigms], last='or')} judgments"
    if len(paradigms) == 1:
        words = ALONE.get(paradigms[0], words)

    def needs(study: "MeasuredStudy") -> str | None:
        if set(paradigms) & set(study.inventory.values("paradigm")):
            return None
        return f"The study has no {words}."

    return needs


def needs_judgments(study: "MeasuredStudy") -> str | None:
    """Return that a study has no judgments, None if it has: the `needs` of a view of all of them."""
    return None if study.inventory.total() else "The study has no judgments."


needs_verdicts = needs_paradigm(*COMPARABLE)
"""The `needs` of a view of verdicts on responses, or on pairs of them."""
needs_pairs = needs_paradigm(*PAIR_PARADIGMS)
needs_rubrics = needs_paradigm(*RUBRIC_PARADIGMS)


def choices_in(study: "MeasuredStudy") -> Choices:
    """Return what can be chosen in a study, read once."""
    return study.remember("choices", lambda: choices_of(study))


def saved_filters(
    info: StudyInfo, texts: Texts, prefix: str = ""
) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the texts of each filter, and a sentence if the view names a saved slice that there is not.

    A filter of the view's own takes the place of that of the saved slice.
    """
    own = {key: tuple(texts[prefix + key]) for key in FILTER_KEYS[1:] if texts.get(prefix + key)}
    name = next(iter(texts.get(prefix + SAVED_SLICE, ())), None)
    if name is None:
        return own, ()
    if name not in info.slices:
        return own, (f"There is no saved slice {name!r} in this study; it was left out.",)
    saved = info.slices[name].items()
    return {key: (each,) if isinstance(each, str) else tuple(each) for key, each in saved} | own, ()


def without_saved_slices(info: StudyInfo, texts: Texts) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Return a view's texts with its saved slices replaced by their filters, and what was not found."""
    values = {name: tuple(each) for name, each in texts.items()}
    problems: list[str] = []
    for prefix in ("", SECOND):
        filters_of, missing = saved_filters(info, texts, prefix)
        values.pop(prefix + SAVED_SLICE, None)
        values |= {prefix + name: each for name, each in filters_of.items()}
        problems += missing
    return values, tuple(problems)


class _Reader:
    def __init__(self, study: "MeasuredStudy", choices: Choices, texts: Texts) -> None:
        self.study, self.choices, self.texts = study, choices, texts
        self.dropped: list[str] = []

    def filters(self, key: Key, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the filters in effect, those included with which the study starts."""
        study = self.study if key.of is None else key.of(self.study, before)
        choices = self.choices if key.of is None else choices_in(study)
        of_slice, missing = saved_filters(study.info, self.texts, key.prefix)
        self.dropped += missing
        values: dict[str, Any] = {k: v for k, v in choices.starts.items() if k not in key.idle}
        for flag in FLAGS:
            texts = of_slice.get(flag.name, ())
            if not texts or flag.name in key.idle or flag.name not in FILTER_KEYS:
                continue
            allowed = tuple(text for text in texts if choices.allows(flag.name, text))
            self._drop(title(flag.name), [text for text in texts if text not in allowed])
            if allowed and flag.kind in ("names", "numbers"):
                values[flag.name] = allowed
            elif allowed:
                values[flag.name] = True if flag.kind == "switch" else allowed[0]
        return agreement_of_others(values, next(iter(self.texts.get("by", ())), None), True)

    def value(self, name: str, key: Key, before: Mapping[str, Any]) -> Any:
        texts = self.texts.get(name, ())
        read = {"choice": self._choice, "names": self._names, "switch": self._switch, "number": self._number}
        if key.kind == "texts":
            return tuple(texts)
        value = read[key.kind](key, texts) if texts else None
        if value is not None:
            return value
        if key.usual is not None:
            return key.usual(self.study, before)
        if key.kind == "choice":
            return next(iter(self._offered(key)), None)
        return () if key.kind == "names" else False

    def _offered(self, key: Key) -> Mapping[str, str]:
        return key.offers(self.study) if key.offers is not None else {}

    def _choice(self, key: Key, texts: Sequence[str]) -> str | None:
        if texts[0] in self._offered(key):
            return texts[0]
        self._drop(key.label, texts[:1])
        return None

    def _names(self, key: Key, texts: Sequence[str]) -> tuple[str, ...] | None:
        offered = self._offered(key)
        self._drop(key.label, [text for text in texts if text not in offered])
        names = [text for text in texts if text in offered]
        most = key.most or len(names)
        if more := names[most:]:
            self.dropped.append(f"{key.label} takes at most {most} values; without {join_names(more)}.")
        return tuple(names[:most]) or None

    def _switch(self, key: Key, texts: Sequence[str]) -> bool | None:
        if texts[0] in ("true", "false"):
            return texts[0] == "true"
        self._drop(key.label, texts[:1])
        return None

    def _number(self, key: Key, texts: Sequence[str]) -> float | None:
        low, high = key.bounds
        try:
            value = float(texts[0])
        except ValueError:
            value = float("nan")
        if low <= value <= high:
            return value
        self.dropped.append(f"{key.label} {texts[0]!r} is not a number from {low:g} to {high:g}.")
        return None

    def _drop(self, label: str, texts: Sequence[str]) -> None:
        if texts:
            values = ", ".join(map(repr, texts))
            self.dropped.append(f"{label} {values} is not in this study and was taken out of the view.")
