"""No name that people type or that files hold may disappear; names may be added."""

import pytest

from pinned.names import KINDS, names, recorded


@pytest.mark.parametrize("kind", KINDS)
def test_no_recorded_name_has_disappeared(kind: str) -> None:
    gone = set(recorded()[kind]) - names(kind)

    assert not gone, "keep them as aliases; where they are meant to go: python -m tests.pinned.names --write"
