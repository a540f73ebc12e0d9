"""A TOML file that a user writes: a mapping file, or the declaration of a format."""

import tomllib
from pathlib import Path
from typing import Any

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.errors import BadInputError, UsageError
from engine.plain_words import system_words


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the content of a file; UsageError if it cannot be read, BadInputError if it is not TOML.

    `what` the file is called: `the mapping file`.
    """
    try:
        return tomllib.loads(text_of(path, WRITTEN_BY_HAND))
    except OSError as error:
        raise UsageError(
            f"{what} {str(path)!r} cannot be read ({system_words(error)}); check the path"
        ) from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # also a number too long, or nested too deeply
        raise BadInputError(f"{path.name}: it is not TOML ({error}); correct it") from error
