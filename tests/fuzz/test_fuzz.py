"""A few changed inputs of every reader, and all of the corpus as it is."""

from pathlib import Path

import pytest

from .every import READERS
from .trying import input_at, inputs_of, tried

SEED = 20_260


@pytest.mark.parametrize("name", READERS)
def test_whatever_is_read_ends_in_a_result_or_a_named_error(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    corpus = inputs_of(reader)
    inputs = [input_at(corpus, SEED, number) for number in range(len(corpus) + reader.few)]

    findings = [found for given in inputs if (found := tried(given, tmp_path / "one"))]

    assert findings == []
