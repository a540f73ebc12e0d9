"""A hook of mkdocs: each page of the site as Markdown too, `/runs.md` beside `/runs/`."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def on_post_build(config: Mapping[str, Any], **_: Any) -> None:
    """Copy the sources of the pages into the site, so that `llms.txt` can name them."""
    for page in sorted(Path(config["docs_dir"]).glob("*.md")):
        shutil.copyfile(page, Path(config["site_dir"]) / page.name)
