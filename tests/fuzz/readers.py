"""Readers of text and small files: answers, templates, configurations, `study.json`, labels; and the list of
all readers.

A reader takes the folder or file of an input, and an empty folder to write in. It returns,
or raises an error of `engine.errors`; it asserts whatever else must hold of the result.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from engine.annotations.items import items_of_lines
from engine.annotations.label_files import read_labels
from engine.annotations.sides import KINDS
from engine.checkers.checks_by_id import SHIPPED
from engine.checkers.programs import Program
from engine.checkers.verdicts import judge
from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.configuration.read_config import load_config
from engine.collect.paradigms import read
from engine.collect.paradigms.answers.parts.sides import is_lone_letter
from engine.collect.paradigms.templates import SLOTS, Kind, read_template
from engine.errors import SpbError
from engine.importers.formats.exchange import import_tidy
from engine.importers.model_names.corrections import read_corrections
from engine.paradigms import Paradigm
from engine.report.exhibit import pins_of
from engine.saved_slices import saved_filters
from engine.schema import STATUSES
from engine.slices import Slice, parse_filters
from engine.store import Store
from engine.store.study_files import StudyFiles, parse_info

from .samples import corpus_of, fresh_folder, write

T = TypeVar("T")
Read = Callable[[Path, Path], object]


@dataclass(frozen=True)
class Reader:
    """A reader of the project: its name, how many inputs CI tries, and whose corpus it uses if not its own.

    It is given the file of a one-file input, unless it reads a `folder`. `prepare` does before its
    first input what takes long once.
    """

    name: str
    read: Read
    few: int = 60
    shares: str | None = None
    folder: bool = False
    prepare: Callable[[], object] = lambda: None

    @property
    def corpus(self) -> str:
        """The name of its folder in the corpus."""
        return self.shares or self.name


def _for_each(kinds: Iterable[T], work: Callable[[T], object]) -> list[SpbError]:
    """Do the work for each kind and return the errors of those that refused it."""
    refused: list[SpbError] = []
    for kind in kinds:
        try:
            work(kind)
        except SpbError as error:
            refused.append(error)
    return refused


def _for_one(kinds: Sequence[T], work: Callable[[T], object]) -> None:
    """Do the work for each kind; raises the last kind's error if all of them refused it."""
    refused = _for_each(kinds, work)
    if len(refused) == len(kinds):
        raise refused[-1]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""


# -- answers ------------------------------------------------------------------------------------------------


def _request(paradigm: Paradigm, variant: str = "default", **about: object) -> CallRequest:
    return CallRequest("judge", "j", paradigm, variant, Subject("x", "g", **about))  # type: ignore[arg-type]


REQUESTS = (
    _request("single_rubric", rubric_ids=("r1",)),
    _request("all_rubrics", rubric_ids=("r1", "r2", "r3"), ordering="original"),
    _request("direct_assessment", rubric_ids=("r1", "r2", "r3")),
    *(
        _request("pairwise", variant, opponent="o", first="opponent")
        for variant in ("default", "cot", "forced", "forced_tie", "structured")
    ),
    _request("score_rubric", rubric_ids=("r1",), ordering="5-4-3-2-1"),
    _request("quality"),
    _request("listwise", ordering='["g", "h", "i"]'),
    _request("recognition", opponent="o", first="opponent"),
)
_ROWS = {"all_rubrics": 3, "quality": 5, "listwise": 3}
_TURNED = {True: False, False: True, "generator": "opponent", "opponent": "generator"}


def read_answer(given: Path, _: Path) -> None:
    """Read the answer as one to every question; only parsed answers have a verdict, and nothing raises.

    Cut off it has none unless it is a letter, nor as thinking, and whether the provider calls it finished
    never turns a verdict.
    """
    text = _text(given)
    for request in REQUESTS:
        unfinished, finished = (_verdicts(request, Reply(text, reason)) for reason in (None, "stop"))
        for value, other in zip(unfinished, finished, strict=True):
            assert value is None or other != _TURNED.get(value)
        if not is_lone_letter(text):
            assert not any(_has_verdict(request, Reply(text, "length", shortfall="cut_off")))
        assert not any(_has_verdict(request, Reply(text, "stop", shortfall="only_thinking")))
        assert not any(_has_verdict(request, Reply(f"<think>{text.replace('</', '')}", "stop")))


def _has_verdict(request: CallRequest, reply: Reply) -> list[bool]:
    return [value is not None for value in _verdicts(request, reply)]


def _verdicts(request: CallRequest, reply: Reply) -> list[bool | float | str | None]:
    """Return the verdict of each row, None where there is none."""
    try:
        rows = read(request, reply)
    except SpbError as error:
        raise AssertionError("an answer is no user's mistake") from error
    assert len(rows) == (5 if request.variant == "structured" else _ROWS.get(str(request.paradigm), 1))
    verdicts: list[bool | float | str | None] = []
    for row in rows:
        assert row["status"] in STATUSES
        values = [row[name] for name in ("met", "score", "choice") if row[name] is not None]
        assert len(values) == (row["status"] == "ok")
        verdicts.append(values[0] if values else None)
    return verdicts


# -- templates, configurations, filters ---------------------------------------------------------------------


def read_any_template(given: Path, _: Path) -> None:
    """Read the template as one of each kind, and fill it if it is valid."""

    def fill(kind: Kind) -> None:
        template = read_template(_text(given), kind, "mine", given.name, {"judged": "a response"})
        fillings = dict.fromkeys(SLOTS[kind], "{{response}} {{>judged}}")
        shown = "".join(message["content"] for message in template.render(fillings))
        assert all(fillings[slot] in shown for slot in template.slots)

    _for_one(tuple(SLOTS), fill)


def read_config(given: Path, _: Path) -> None:
    """Read a configuration of a run."""
    load_config(given)


def read_filters(given: Path, _: Path) -> None:
    """Read filters as `--against` takes them."""
    Slice.of(**parse_filters(_text(given)))


# -- the files of a study --------------------------------------------------------------------------------


def read_study_json(given: Path, scratch: Path) -> None:
    """Open a study with this `study.json`, its slices and stories, and write it back unchanged."""
    (scratch / "study.json").write_bytes(given.read_bytes())
    info = StudyFiles.at(scratch).info
    assert parse_info(info.to_json(), "again").to_json() == info.to_json()
    for story in info.stories:
        pins_of(info, story)
    for name in info.slices:
        Slice.of(**saved_filters(info, name))


@cache
def base_study() -> StudyFiles:
    """Return the study to which labels and journals belong: that of the corpus of tidy folders."""
    folder = fresh_folder()
    (folder / "in").mkdir()
    write(corpus_of("tidy")["jsonl"], folder / "in")
    store = Store(folder / "store")
    import_tidy(folder / "in", store, "base")
    return store.open("base")


def read_people(given: Path, _: Path) -> None:
    """Read labels of the study."""
    read_labels(base_study(), given)


def read_items(given: Path, _: Path) -> None:
    """Read items of each kind that a coordinator wrote."""
    text = given.read_text("utf-8", "replace")
    _for_one(tuple(KINDS), lambda kind: items_of_lines(kind, text, given.name))


def read_models(given: Path, _: Path) -> None:
    """Read a file of models with their families."""
    read_corrections(given)


def check_response(given: Path, _: Path) -> None:
    """Let checkers judge a response, with arguments by checker from `kwargs.json`, or all with its text."""
    response, kwargs = _text(given / "response.txt"), _text(given / "kwargs.json")
    try:
        arguments = {str(checker): json.dumps(value) for checker, value in json.loads(kwargs).items()}
    except (ValueError, AttributeError, RecursionError):
        arguments = dict.fromkeys(SHIPPED, kwargs)
    refused = _for_each(
        arguments, lambda checker: judge(Program(checker, arguments[checker]).check(), response)
    )
    if refused:
        raise refused[0]


TEXTS = (
    Reader("answers", read_answer, 150),
    Reader("templates", read_any_template, 100),
    Reader("configs", read_config),
    Reader("filters", read_filters, 150),
    Reader("study-json", read_study_json, 100),
    Reader("labels", read_people, 20),
    Reader("items", read_items, 100),
    Reader("models", read_models, 100),
    Reader("checkers", check_response, 10, folder=True),
)
