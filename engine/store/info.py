"""`study.json`: what a study is, in words and names."""

from typing import Annotated, Any

import pydantic

from engine import schema
from engine.errors import BadInputError

_Part = Annotated[str, pydantic.StringConstraints(pattern=r"^judgments/[^/\\\x00-\x1f]{1,200}\.parquet$")]
"""A file of the study's own folder `judgments`."""


class Committee(pydantic.BaseModel):
    """Judges whose majority is used as a reference, and which of their verdicts are taken."""

    model_config = pydantic.ConfigDict(extra="forbid")

    members: list[str] = pydantic.Field(min_length=1)
    paradigm: schema.Paradigm | None = None
    variant: str | None = None


class Pin(pydantic.BaseModel):
    """A view of the explorer that was pinned: the page, the keys of its address, a title and a note."""

    model_config = pydantic.ConfigDict(extra="forbid")

    id: str = pydantic.Field(pattern=r"^[0-9a-f]{8}$")
    page: str
    view: dict[str, list[str]] = {}
    title: str
    note: str = ""


class StudyInfo(pydantic.BaseModel):
    """The content of `study.json`.

    `parts` lists the live files of `judgments/`; None (in a folder made by hand) means all that are there.
    `slices` are filters saved by name, as texts; `stories` are views pinned in an order, by name. `truth` is
    what a simulation planted.
    Fields that this version does not know are kept as they are.
    """

    model_config = pydantic.ConfigDict(extra="allow", ser_json_inf_nan="constants")

    name: str = ""
    title: str | None = None
    dataset: str | None = None
    provenance: schema.Provenance = "imported"
    committees: dict[str, Committee] = {}
    slices: dict[str, dict[str, str | list[str]]] = {}
    stories: dict[str, list[Pin]] = {}
    created_at: str | None = None
    schema_version: int = pydantic.Field(schema.SCHEMA_VERSION, ge=1)
    licence: str | None = None
    source: str | None = None
    notes: str | None = None
    truth: Any = None
    parts: list[_Part] | None = None

    def to_json(self) -> str:
        """Return the text of `study.json`, ending in a newline."""
        return self.model_dump_json(indent=2, exclude_none=True) + "\n"


def parse_info(text: str | bytes, place: str) -> StudyInfo:
    """Read the text of a `study.json` found at `place`.

    Raises BadInputError that names the field and the value where it is not one, or where it was written
    by a later version of the schema.
    """
    try:
        info = StudyInfo.model_validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInputError(
            f"{place}: {field} is {str(first['input'])[:200]!r}: {first['msg']}; correct it or leave it out"
        ) from error
    if info.schema_version > schema.SCHEMA_VERSION:
        raise BadInputError(
            f"{place}: schema_version is {info.schema_version!r}, this program reads up to "
            f"{schema.SCHEMA_VERSION}; install a newer version"
        )
    return info
