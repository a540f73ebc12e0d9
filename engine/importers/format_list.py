"""The formats whose files need a program, each with its module, which has it as `FORMAT`.

Any other format is declared by a TOML file in `formats/`, and has no line here. `format_loading` loads the
modules; the list is apart from it, so that the help of commands has the names without loading them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent / "formats"
"""The declared formats, a TOML file each: another file is another format."""


OWN_FORMAT = ".toml"
"""How the name of a user's file ends that declares a format."""


@dataclass(frozen=True, slots=True)
class FormatEntry:
    """The name of a format, its module in this package, and what the help lists it under.

    Files of the groups `exchange` and `whole` are refused for one bad row; the others are read row by row, as
    declared ones are.
    """

    name: str
    module: str
    group: Literal["exchange", "whole", "tool", "paper", "table"]


FORMATS = (
    FormatEntry("tidy", "formats.exchange", "exchange"),
    FormatEntry("prometheus", "formats.prometheus", "whole"),
    FormatEntry("pandalm", "formats.pandalm", "whole"),
    FormatEntry("inspect", "formats.inspect_ai", "tool"),
    FormatEntry("promptfoo", "formats.promptfoo", "tool"),
    FormatEntry("lm-eval", "formats.lm_eval", "tool"),
    FormatEntry("medical-self-preference", "formats.medical_self_preference", "paper"),
    FormatEntry("evaluator-quality-baseline", "formats.baseline_votes", "paper"),
    FormatEntry("dbg-score", "formats.dbg_files", "paper"),
    FormatEntry("openai-evals", "formats.openai_evals", "tool"),
    FormatEntry("deepeval", "formats.deepeval", "tool"),
    FormatEntry("ragas", "formats.ragas", "tool"),
    FormatEntry("mlflow", "formats.mlflow", "tool"),
    FormatEntry("langfuse", "formats.langfuse", "tool"),
    FormatEntry("langsmith", "formats.langsmith", "tool"),
    FormatEntry("phoenix", "formats.phoenix", "tool"),
    FormatEntry("table", "tables.table", "table"),
)
"""In the order in which errors and pages name them."""
