"""What `datasets/atlas.toml` declares: the published studies, and which names are one model."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pydantic

from engine.errors import UsageError
from engine.importers.import_options import ImportOptions
from engine.shipped_files import DATASETS

UNVERIFIED = "unverified"
"""The licence, or the commit, of a study where nobody has seen it at its source."""


class PublishedStudy(pydantic.BaseModel):
    """A published study that holds judges' verdicts on their own or their family's answers.

    `source` is where its authors published it, `commit` the state that was seen, `licence` what is stated
    there. `dataset` names an entry of the catalogue that `spb data fetch` gets, `url` one file of the study;
    with neither, the files must be given. `path` is where they lie in a folder that is given. `format` is one
    of `spb import`, `options` are its options. A study without a format is listed, and not read.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    source: str
    licence: str
    commit: str
    year: int
    measures: str
    dataset: str | None = None
    url: str | None = None
    path: str | None = None
    format: str | None = None
    options: dict[str, Any] = {}
    note: str = ""

    @pydantic.model_validator(mode="after")
    def _check_reader(self) -> "PublishedStudy":
        if (self.url or self.path) and self.format is None and self.dataset is None:
            raise ValueError("give the format of its files")
        return self

    @property
    def is_verified(self) -> bool:
        """Whether its licence and its commit were seen at the source."""
        return UNVERIFIED not in (self.licence, self.commit)

    @property
    def is_read(self) -> bool:
        """Whether its files can be imported."""
        return self.format is not None or self.dataset is not None

    @property
    def import_options(self) -> ImportOptions:
        return ImportOptions(**self.options)


class DeclaredModel(pydantic.BaseModel):
    """A model, its family, and its names in the studies: exact, never by likeness."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    family: str
    names: tuple[str, ...]


class Declared(pydantic.BaseModel):
    """The whole file."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    studies: dict[str, PublishedStudy]
    models: dict[str, DeclaredModel]

    @pydantic.model_validator(mode="after")
    def _check_names(self) -> "Declared":
        names = [name for model in self.models.values() for name in model.names]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"names of two models: {', '.join(twice)}")
        return self

    def by_name(self) -> Mapping[str, str]:
        """Return the model that each name in a study means."""
        return {name: model for model, entry in self.models.items() for name in entry.names}


@lru_cache(maxsize=1)
def declared(path: Path = DATASETS / "atlas.toml") -> Declared:
    """Return what the file declares; UsageError if it is missing or wrong."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
        studies = {name: {"name": name, **entry} for name, entry in content.get("studies", {}).items()}
        return Declared.model_validate({**content, "studies": studies})
    except OSError as error:
        raise UsageError(f"the atlas {str(path)!r} is missing; install with `pip install -e .`") from error
    except (tomllib.TOMLDecodeError, pydantic.ValidationError) as error:
        raise UsageError(f"the atlas {str(path)!r} cannot be read: {error}; correct the file") from error
