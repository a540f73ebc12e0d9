"""A few changed inputs of every reader, earlier findings, and the corpus's sound files unchanged."""

from pathlib import Path

import pytest

from .every import READERS
from .mutating import ODD
from .readers import Reader
from .structured import VALUES
from .sweeping import Sweep
from .trying import Input, input_at, inputs_of, read, tried

SEED = 2026
PREFIX = "found-"
"""What the names of entries begin with that once were findings; the others are whole."""


@pytest.mark.parametrize("name", READERS)
def test_reading_any_input_gives_a_result_or_a_named_error(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    corpus = inputs_of(reader)
    changed = [input_at(corpus, SEED, len(corpus) + number) for number in range(reader.few)]
    inputs = [given for given in corpus if given.entry.startswith(PREFIX)] + changed

    findings = [finding for given in inputs if (finding := tried(given, tmp_path / "one"))]

    assert findings == []


@pytest.mark.parametrize("name", READERS)
def test_sound_files_are_read(name: str, tmp_path: Path) -> None:
    for given in inputs_of(READERS[name]):
        if not given.entry.startswith(PREFIX):
            read(given, tmp_path / given.entry)


def swept(name: str, data: bytes) -> list[bytes]:
    """Return what a sweep makes of a file."""
    sweep = Sweep([Input(Reader("none", lambda *_: None), "entry", {name: data})])
    contents = [given.files[name] for number in range(len(sweep)) if (given := sweep(number))]
    assert len(contents) == len(sweep)
    assert sweep(len(sweep)) is None
    return contents


def test_a_sweep_puts_each_odd_word_in_each_place_once() -> None:
    wanted = [odd + b" two" for odd in ODD] + [b"one " + odd for odd in ODD]

    assert sorted(swept("a.txt", b"one two")) == sorted(wanted)


def test_a_sweep_puts_each_odd_value_in_each_place_once() -> None:
    contents = swept("a.json", b'{"x": [7]}')

    assert len(contents) == 9 * len(ODD) + 2 * len(VALUES)  # the words are { " x " : [ 7 ] }
    assert {b'{"x": [null]}', b'{"x": null}', b'{"x": [NaN]}'} <= set(contents)
