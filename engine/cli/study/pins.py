"""`spb study pins`, `pin` and `unpin`: the pinned views of a study, the same that the explorer has."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.options import StoreOption, StudyArgument, next_command, open_study
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_done, print_rows
from engine.errors import UsageError, unknown

if TYPE_CHECKING:
    from engine.store.study_files import Pin
    from engine.study import Study

MAIN = "main"

_Story = Annotated[str, typer.Option("--story", metavar="NAME", help="Story that the pin is of.")]
_Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="What the view shows, as its address on the page says it: judge=gpt-4o. Repeat it.",
    ),
]


def pins(
    study: StudyArgument,
    views: Annotated[
        bool, typer.Option("--views", help="List what can be pinned of this study instead.")
    ] = False,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """List the pinned views of a study, in order.

    With --views, those that can be pinned. They are those of the explorer: what is pinned on a page is listed
    here, and what is pinned here is shown there, by *Present* and in `spb report`.
    """
    judged = open_study(store, study)
    if views:
        _print_views(judged, format)
        return
    stories = judged.info.stories.items()
    rows = [
        {"pin": pin.id, "story": story, "view": pin.page, "keys": _keys(pin.view)}
        | {"title": pin.title, "note": pin.note}
        for story, of_story in stories
        for pin in of_story
    ]
    heads = {
        "pin": "Pin",
        "story": "Story",
        "title": "Title",
        "view": "View",
        "keys": "Shows",
        "note": "Note",
    }
    sentences = () if rows else ("The study has no pins.",)
    print_rows(Rows(rows, heads, sentences, {"study": study}), format)
    if not rows:
        say(f"what can be pinned: {next_command(store, 'study', 'pins', study, '--views')}")


def pin(
    view: Annotated[
        str, typer.Argument(metavar="VIEW", help="View to pin; `spb study pins --views` lists them.")
    ],
    study: StudyArgument,
    keys: _Keys = None,
    title: Annotated[str | None, typer.Option(help="Title (default: the view's).")] = None,
    note: Annotated[str, typer.Option(help="Note below the title.")] = "",
    story: _Story = MAIN,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Pin a view of a study, for its report and for presenting it.

    Refused is a view that would show nothing.
    """
    from engine.report.exhibit import PinnedView, pins_of
    from engine.report.exhibit import pin as pin_view
    from engine.views.registry import VIEWS

    judged = open_study(store, study)
    if view not in VIEWS:
        raise unknown("view", view, VIEWS)
    texts = _texts(VIEWS[view].key_names, keys or [])
    shown = VIEWS[view].shown(judged, texts)
    if shown.warnings:
        raise UsageError(f"the view {view!r} cannot be pinned so: {' '.join(shown.warnings)}")
    files = pin_view(judged.files, PinnedView(view, texts), title or VIEWS[view].title, note, story)
    pinned = pins_of(files.info, story)[-1]
    say(f"pinned {pinned.title!r} as {pinned.id} to the story {story}")
    in_story = [] if story == MAIN else ["--story", story]
    say(f"next: {next_command(store, 'report', study, *in_story, '--out', 'report.html')}")
    print_done(format, _facts(pinned, story), study=study)


def unpin(
    pin: Annotated[str, typer.Argument(metavar="PIN", help="Pin to remove, as `spb study pins` names it.")],
    study: StudyArgument,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Remove a pinned view."""
    from engine.report.exhibit import unpin as unpin_view

    files = open_study(store, study).files
    stories = {each.id: story for story, of_story in files.info.stories.items() for each in of_story}
    if pin not in stories:
        raise unknown("pin", pin, stories)
    unpin_view(files, pin, stories[pin])
    say(f"removed the pin {pin} from the story {stories[pin]}")
    print_done(format, {"pin": pin, "story": stories[pin]}, study=study)


def _print_views(study: "Study", format: str) -> None:  # noqa: A002
    from engine.views.registry import VIEWS

    views = [view for view in VIEWS.values() if view.lacks(study) is None]
    rows = [
        {"view": view.name, "question": view.question}
        | {"keys": ["filters" if key.kind == "filters" else name for name, key in view.declared.items()]}
        for view in views
    ]
    print_rows(Rows(rows, {"view": "View", "question": "Question", "keys": "--set"}), format)


def _texts(names: Sequence[str], given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not (name and equals and value):
            raise UsageError(f"--set {each!r} is not KEY=VALUE; write for example --set judge=gpt-4o")
        if name not in names:
            raise unknown("key of this view", name, names)
        texts[name] = (*texts.get(name, ()), value)
    return texts


def _facts(pin: "Pin", story: str) -> dict[str, object]:
    return {"pin": pin.id, "story": story, "view": pin.page, "title": pin.title}


def _keys(view: Mapping[str, Sequence[str]]) -> str:
    return " ".join(f"{name}={value}" for name, values in view.items() for value in values)
