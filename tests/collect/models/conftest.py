"""A loopback server for each test, without waits."""

from collections.abc import Iterator

import pytest
import stamina
from loopback import Loopback, serving


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def no_waits() -> Iterator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield
