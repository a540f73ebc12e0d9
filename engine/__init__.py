"""Measure the self-preference of LLM judges.

What lives here, in the order data flow through it:

- `schema`, `errors`: the tables and the error tree; they import nothing.
- `store`, `importers`, `datasets`, `simulation`, `checkers`: everything that writes or reads studies.
- `config`, `paradigms`, `plan`, `runner`, `judges`: a run, from its configuration to rows.
- `study`, `arrays`, `cubes`, `references`, `slices`, `request`, `masks`, `views`: a study in memory, as
  packed arrays, and a slice of it as masks and counts.
- `metrics`: statistics on arrays (NumPy and SciPy only); `measures`: the catalogue that applies them.
- `drill`: the judgments behind a number; `sources`: what can be held against each other; `annotations`:
  people's labels; `doctor`: what can be measured; `comparison`, `power`: two sides, and studies to come.
- `findings`, `finder`, `charts`, `report`: sentences with evidence, the search for slices, measures drawn,
  the file that is sent; `cli`: the commands, the only part that prints.

Nothing in here imports the explorer.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.study import Study

__version__ = "0.1.0"

__all__ = ["__version__", "open_study"]


def open_study(path: str) -> "Study":
    """Open the study in the folder or `s3://` URL `path`, for example `results/demo-health`.

    Raises `engine.errors.UsageError` where there is no study.
    """
    from engine.study import Study

    return Study.open(path)
