"""The picture of the architecture shows the actual imports."""

from tests.tools.docs.architecture import LAYERS, ROOT, imports, svg


def test_the_picture_on_disk_matches_the_imports() -> None:
    picture = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")

    assert picture == svg(), "run python -m tests.tools.docs.architecture > docs/images/architecture.svg"


def test_no_package_imports_one_from_a_layer_above() -> None:
    rows = {name: row for row, names in enumerate(LAYERS.values()) for name in names}

    upward = {(a, b) for a, others in imports().items() for b in others if b in rows and rows[b] < rows[a]}

    assert upward == set()
