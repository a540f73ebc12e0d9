"""The atlas as a folder that any web server can host: a page that loads nothing, and its numbers."""

from collections.abc import Sequence
from pathlib import Path

from engine.atlas.declared import Declared
from engine.atlas.files import write_atlas
from engine.atlas.rows import StudyNumbers
from engine.errors import UsageError
from engine.plain_words import disk_words
from engine.report.render import page
from engine.views.atlas import atlas_shown, means_shown, studies_shown

PAGE = "index.html"
TITLE = "Self-preference in published studies"


def page_of(studies: Sequence[StudyNumbers], names: Declared) -> str:
    """Return the page."""
    families, models = means_shown(studies, names)
    return page(
        "atlas.html",
        TITLE,
        atlas=atlas_shown(studies, names),
        families=families,
        models=models,
        studies=studies_shown(studies),
        days=sorted({study.date for study in studies}),
    )


def export_atlas(
    studies: Sequence[StudyNumbers], names: Declared, folder: Path, *, force: bool
) -> tuple[Path, ...]:
    """Write the page and the numbers into a folder; UsageError if a page is there already, unless `force`."""
    file = folder / PAGE
    if file.exists() and not force:
        raise UsageError(f"{str(file)!r} exists; choose another folder, or give --force")
    text = page_of(studies, names)
    numbers = write_atlas(studies, names, folder)
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(
            f"{str(file)!r} cannot be written: {disk_words(error, 'choose another folder')}"
        ) from error
    return file, *numbers
