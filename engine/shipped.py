"""What ships with the project beside its code: the data sets' catalogue, published numbers, demonstrations.

In a checkout these are the folders at its top; a wheel has copies of them within this package, where
`setup.py` puts them.
It may import nothing of the project.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_COPIES = _PACKAGE / "_shipped"

_TOP = _COPIES if _COPIES.is_dir() else _PACKAGE.parent

DATASETS = _TOP / "datasets"
"""`catalogue.toml` and `published/`."""

RESULTS = _TOP / "results"
"""The store of the demonstration studies, to be read only where it is a wheel's."""

SETTINGS = _TOP / ".streamlit" / "config.toml"
"""How the explorer is served unless somebody says otherwise."""
