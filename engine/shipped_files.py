"""Files shipped with the code: the catalogue of data sets, published numbers, demonstrations."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_COPIES = _PACKAGE / "_shipped"
_TOP = _COPIES if _COPIES.is_dir() else _PACKAGE.parent

DATASETS = _TOP / "datasets"  # `catalogue.toml` and `published/`
RESULTS = _TOP / "results"  # the store of the demonstration studies, read-only if it is part of a wheel
SETTINGS = _TOP / ".streamlit" / "config.toml"  # the explorer's default server settings
