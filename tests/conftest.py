"""What all tests share: property tests are never timed, pages look for no components of other packages."""

from collections.abc import Iterator

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def no_foreign_components() -> Iterator[None]:
    """Spare each page under test a look at every installed package, which takes longer than the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield
