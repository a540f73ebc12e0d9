"""IFEval's prompts (Zhou et al. 2023): instructions that programs check, one rubric for each."""

import json
from pathlib import Path
from typing import Any

from engine.checkers import SHIPPED, make_check
from engine.checkers.wording import criterion
from engine.errors import SpbError
from engine.importers.dataset import DataSet, Entry, json_lines
from engine.store import Store, StudyInfo
from engine.store.store import Mode
from engine.store.writer import WriteReport

_REMEDY = "give input_data.jsonl of google-research's instruction_following_eval"
_SOURCE = "https://github.com/google-research/google-research/tree/master/instruction_following_eval"


def import_ifeval(
    path: str | Path, store: Store, name: str | None = None, *, mode: Mode = "new", dry_run: bool = False
) -> WriteReport:
    """Write the prompts as instances, each instruction as a rubric with its checker and arguments.

    An instance's category is the group of its first instruction. Raises BadInputError naming the line.
    """
    instances: list[dict[str, Any]] = []
    rubrics: list[dict[str, Any]] = []
    for entry in json_lines(Path(path), _REMEDY):
        key = str(entry.get("key", int))
        asked = _instructions(entry)
        instances.append(
            {
                "instance_id": key,
                "prompt": entry.get("prompt", str),
                "category": asked[0][0].partition(":")[0],
            }
        )
        rubrics += [
            {
                "instance_id": key,
                "rubric_id": f"r{place}",
                "criterion": criterion(checker, kwargs),
                "axis": checker.partition(":")[0],
                "checker": checker,
                "checker_kwargs": json.dumps(kwargs, ensure_ascii=False),
            }
            for place, (checker, kwargs) in enumerate(asked, start=1)
        ]
    info = StudyInfo(title="IFEval", dataset="ifeval", licence="Apache-2.0", source=_SOURCE)
    data = DataSet(info, {"instances": instances, "rubrics": rubrics})
    return data.write(store, name or "ifeval", mode=mode, dry_run=dry_run)


def _instructions(entry: Entry) -> list[tuple[str, dict[str, Any]]]:
    """Return the instructions with their arguments; null arguments are left out."""
    ids, kwargs = entry.get("instruction_id_list", list), entry.get("kwargs", list)
    if not ids or len(ids) != len(kwargs):
        raise entry.error(
            f"it has {len(ids)} instructions and {len(kwargs)} kwargs, expected as many of both"
        )
    asked = []
    for checker, given in zip(ids, kwargs, strict=True):
        if checker not in SHIPPED:
            raise entry.error(f"instruction_id_list has {checker!r}, expected one of {', '.join(SHIPPED)}")
        kept = {k: v for k, v in entry.fits("kwargs", given, dict).items() if v is not None}
        try:
            make_check(checker, kept)
        except SpbError as error:
            raise entry.error(str(error)) from error
        asked.append((checker, kept))
    return asked
