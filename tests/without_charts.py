"""Views without their charts, which take most of the time where only words and cells matter."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.views import drawing, judges, matrix, paradigms, ratios


@contextmanager
def without_charts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_chart_of", lambda _: None)
        for module in (judges, matrix, paradigms, ratios):
            patch.setattr(module, "_figure", lambda *_: None)
        yield
