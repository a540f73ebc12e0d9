"""A few changed inputs of every reader, what was found once, and the corpus's whole files as they are."""

from pathlib import Path

import pytest

from .every import READERS
from .trying import input_at, inputs_of, read, tried

SEED = 2026
FOUND = "found-"
"""What the names of entries begin with that once were findings; the others are whole."""


@pytest.mark.parametrize("name", READERS)
def test_whatever_is_read_ends_in_a_result_or_a_named_error(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    corpus = inputs_of(reader)
    changed = [input_at(corpus, SEED, len(corpus) + number) for number in range(reader.few)]
    inputs = [given for given in corpus if given.entry.startswith(FOUND)] + changed

    findings = [found for given in inputs if (found := tried(given, tmp_path / "one"))]

    assert findings == []


@pytest.mark.parametrize("name", READERS)
def test_what_is_whole_is_read(name: str, tmp_path: Path) -> None:
    for given in inputs_of(READERS[name]):
        if not given.entry.startswith(FOUND):
            read(given, tmp_path / given.entry)
