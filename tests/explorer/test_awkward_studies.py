"""Every page, on slices without judgments, hostile texts and very many judges."""

from collections.abc import Iterator
from typing import Any

import pytest
from explorer_studies import HOSTILE, MANY

from explorer.page_list import PAGES

NAMES = [page.name for page in PAGES]


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


OF_NUMBERS = [page.name for page in PAGES if "polarity" in page.keys and page.needs is None]
"""Pages that measure the slice; the coordinator's page only previews items from it."""


@pytest.mark.parametrize("page", OF_NUMBERS)
def test_a_slice_without_judgments_opens_and_says_so(open_page, awkward_store, page):
    app = open_page(page, awkward_store, study="plain", axis="a.b[c]", polarity="negative")

    dashes = any(
        frame.value.astype(str).apply(lambda cells: cells.str.startswith("–")).any().any()
        for frame in app.dataframe
    )
    shown = texts(app).lower()
    assert "nothing to show" in shown or "the study has no " in shown or dashes


@pytest.mark.parametrize(
    ("page", "more"),
    [
        *((page, {}) for page in NAMES),
        ("workbench", {"show": "all", "item": "1", "rendered": "true"}),
        ("workbench", {"axis": HOSTILE[2], "judge": "m1", "by": ["axis", "theme"]}),
    ],
    ids=[*NAMES, "read and rendered", "chips"],
)
def test_hostile_texts_never_reach_elements_parsed_as_markup(open_page, awkward_store, page, more):
    app = open_page(page, awkward_store, study="hostile", **more)

    text = "\n".join(parsed_texts(app))
    assert text
    for hostile in (*HOSTILE[:5], "http://x.invalid", "\\href"):
        assert hostile not in text


def parsed_texts(app) -> Iterator[str]:
    """Yield what the browser parses as Markdown or HTML: bodies, labels, options as buttons, and help."""
    for element in elements(app._tree):
        for kind, name, text in fields(element.proto):
            if name in ("label", "help", "content") or (name == "body" and kind != "Text"):
                yield text


def elements(block) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        if getattr(child, "proto", None) is not None:
            yield child
        yield from elements(child)


def fields(message) -> Iterator[tuple[str, str, str]]:
    """Yield the kind, the name and the text of each field of a message and of those within it."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated else [value]:
            if isinstance(one, str):
                yield message.DESCRIPTOR.name, field.name, one
            elif field.message_type is not None:
                yield from fields(one)


@pytest.mark.parametrize(
    ("page", "more"),
    [*((page, {}) for page in NAMES), ("findings", {"part": "ranking"})],
    ids=[*NAMES, "corrected ranking"],
)
def test_very_many_judges_open_on_every_page(open_page, awkward_store, page, more):
    app = open_page(page, awkward_store, study="many-judges", **more)

    assert not app.exception


def test_very_many_judges_have_a_board_and_a_table_that_counts_the_rest(open_page, awkward_store):
    app = open_page(store=awkward_store, study="many-judges")

    app.session_state["ratios_open"] = True
    app.run()

    numbers = next(frame.value for frame in app.dataframe if "hspp_self" in frame.value)
    assert f"{len(MANY) + 1 - len(numbers)} more rows are in the downloads." in texts(app)
    assert app.get("vega_lite_chart")
