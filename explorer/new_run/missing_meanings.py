"""What no column of a table is yet, or several columns are, in the words of the lists of meanings."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from engine.importers.tables.column_candidates import CRITERIA, JUDGES
from engine.phrases import join_names
from explorer.new_run.column_labels import LABELS

WIDE = (JUDGES, CRITERIA)
"""The meanings that several columns may have."""

_TRUTHS = ("preference", "reference_met", "reference_score")
_VERDICTS = ("met", "score", "status")
_OF_PAIRS = ("choice", "p_generator", "status")


@dataclass(frozen=True)
class MissingMeanings:
    """What is still to be decided, and the meanings that the sentences name: each list has them."""

    sentences: tuple[str, ...]
    wanted: tuple[str, ...]


def missing_meanings(meanings: Mapping[str, str], models: Mapping[str, str]) -> MissingMeanings:
    """Return what is missing; `meanings` has our column for each of the file's, empty for none.

    `models` are the judge and the author of the whole file, where they are given.
    """
    names = Counter(name for name in meanings.values() if name and name not in WIDE)
    in_use = [meaning for meaning in WIDE if meaning in meanings.values()]
    pairs = "opponent" in names
    truths, verdicts = names.keys() & {*_TRUTHS}, names.keys() & {*(_OF_PAIRS if pairs else _VERDICTS)}
    no_judge = not (JUDGES in in_use or {"judge"} & {*names, *models})
    no_criterion = not (pairs or {"rubric_id", "criterion"} & names.keys())
    several = [meaning for meaning, fits in ((JUDGES, no_judge), (CRITERIA, no_criterion)) if fits]
    sentences, wanted = [], [*in_use]
    if len(in_use) > 1:
        sentences.append(f"Columns are {_either(in_use)}, not both: choose one.")
    for name, count in names.items():
        if count > 1:
            columns = [repr(column) for column, each in meanings.items() if each == name]
            sentence = f"{join_names(columns, 4)} are all “{LABELS[name]}”: choose one of them"
            if several and name in ("met", "score", "choice"):
                sentence += f", or {_either(several)} for each of them"
                wanted += several
            sentences.append(f"{sentence}.")
    if not {"generator"} & {*names, *models}:
        wanted.append("generator")
        sentences.append(_which("generator", "(or type the author of all answers above)"))
    if no_judge and not (truths and not verdicts):
        wanted.append("judge")
        sentences.append(_which("judge", "(or type the judge above)"))
    if not (in_use or truths or verdicts):
        verdict = ("choice",) if pairs else ("met", "score")
        wanted += [*verdict, *several]
        each = f" If several columns have verdicts, choose {_either(several)} for each." if several else ""
        sentences.append(_which(" or ".join(LABELS[name] for name in verdict)) + each)
    if not names.keys() & {"instance_id", "prompt"}:
        wanted += ["instance_id", "prompt"]
        sentences.append(_which(f"{LABELS['instance_id']} or {LABELS['prompt']}"))
    return MissingMeanings(tuple(sentences), tuple(dict.fromkeys(wanted)))


def _either(meanings: list[str]) -> str:
    return " or ".join(f"“{LABELS[meaning]}”" for meaning in meanings)


def _which(meaning: str, otherwise: str = "") -> str:
    words = f"{LABELS.get(meaning, meaning)} {otherwise}".strip()
    return f"Which column is this? {words}."
