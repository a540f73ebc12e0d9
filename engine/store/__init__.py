"""A store of studies on disk or S3: the only reader and writer of `results/`.

- `store`: the folder that studies live in; `info`: `study.json`; `locations`: names and file systems;
  `types`: Arrow types of declared columns.
- `files`, `groups`: the study that is read; `sources`, `tables`, `convert`, `checks`, `rules`, `identity`:
  what comes in, brought into stored form and checked; `writer`, `collected`, `merge`, `parts`, `staging`,
  `publish`: what is written, whole or not at all; `validate`, `migrate`, `export`, `describe`: the rest.

It may import `engine.schema`, `engine.errors`, NumPy, pyarrow and pydantic.
"""

from engine.store.files import StudyFiles
from engine.store.info import Committee, StudyInfo
from engine.store.store import Store, Tables

__all__ = ["Committee", "Store", "StudyFiles", "StudyInfo", "Tables"]
