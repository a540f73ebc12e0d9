"""Commands print the recorded output for the demonstration studies."""

import pytest

from pinned.outputs import masked, outputs, record, recorded

HOW = "python -m tests.pinned.outputs --to FOLDER, here and at the commit before, shows it; --write renews"


@pytest.mark.parametrize("name", sorted(outputs()))
def test_the_output_is_as_recorded(name: str) -> None:
    text = masked(outputs()[name]())

    assert record(text) == recorded().get(name, "nothing"), f"{name}: {HOW}"


def test_every_recorded_output_still_exists() -> None:
    assert recorded().keys() <= outputs().keys(), HOW
