"""Asking every measure of a study whether it can be taken, and how wide its intervals are."""

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from engine.cautions import many_failures
from engine.doctor.diagnosis import Answer, Diagnosis, Kinship, Verdict
from engine.errors import SpbError
from engine.measures.catalogue import MEASURES, Measure
from engine.measures.reasons import REASONS

if TYPE_CHECKING:
    from engine.store import StudyFiles
    from engine.study import Study

RESAMPLES = 200
"""Resamples that give an interval's width well enough to plan by."""

_COLUMNS = ("judge", "generator", "opponent", "status")


def examine(study: "Study", *, resamples: int = RESAMPLES) -> Diagnosis:
    """Return what can be measured with a study, what is missing for the rest, and who is kin to whom.

    `resamples` (0: no widths) are those of each measure's intervals. Raises StoreError where the study
    cannot be read.
    """
    files = study.files
    families = dict(zip(study.index.models, study.index.model_fields["family"], strict=True))
    judged, statuses = _judged(files)
    generators = {model for models in judged.values() for model in models}
    if files.has("responses"):
        generators |= set(files.table("responses")["generator"].to_pylist())
    return Diagnosis(
        study.name,
        tuple(_kinship(judge, models, families) for judge, models in judged.items()),
        len(generators),
        study.index.n_instances,
        tuple(_verdict(study, measure, resamples) for measure in MEASURES.values()),
        tuple(caution.text for caution in many_failures(statuses)),
    )


def _judged(files: "StudyFiles") -> tuple[dict[str, set[str]], list[tuple[str, str, int]]]:
    """Return the models that each judge judged, and how many judgments it has of each status."""
    seen: Counter[tuple[str, str | None, str | None, str]] = Counter()
    for table in files.judgment_batches(columns=_COLUMNS):
        grouped = table.group_by(list(_COLUMNS)).aggregate([([], "count_all")]).to_pylist()
        for row in grouped:
            seen[row["judge"], row["generator"], row["opponent"], row["status"]] += row["count_all"]
    judged: dict[str, set[str]] = {}
    statuses: Counter[tuple[str, str]] = Counter()
    for (judge, generator, opponent, status), count in seen.items():
        judged.setdefault(judge, set()).update(model for model in (generator, opponent) if model)
        statuses[judge, status] += count
    return judged, [(judge, status, count) for (judge, status), count in statuses.items()]


def _kinship(judge: str, models: set[str], families: dict[str, str]) -> Kinship:
    family = families[judge]
    kin = sorted(model for model in models if model != judge and families[model] == family)
    return Kinship(judge, family, judge in models, tuple(kin), sum(families[m] != family for m in models))


def _verdict(study: "Study", measure: Measure, resamples: int) -> Verdict:
    """Take a measure and say how much of it is defined, by its headline or else by another of its numbers."""
    try:
        result = study.result(measure.name, resamples=resamples)
    except SpbError as error:
        return Verdict(measure.name, measure.title, "no", 0, 0, str(error), measure.headline, None)
    rows = [row for row in result.rows if row.get("judge", "") is not None]
    fields = [measure.headline, *(field.name for field in measure.fields if field.interval)]
    number = next((name for name in fields if any(row.get(name) is not None for row in rows)), fields[0])
    defined = [row for row in rows if row.get(number) is not None]
    lacking = Counter(row["reasons"].get(number, "undefined") for row in rows if row.get(number) is None)
    why = result.reason or "; ".join(_words(code, count) for code, count in lacking.most_common(3))
    answer: Answer = "no" if not defined else "yes" if len(defined) == len(rows) else "in part"
    if not defined:
        why = why or "no row comes out"
    width = _width(defined, number)
    return Verdict(measure.name, measure.title, answer, len(defined), len(rows), why, number, width)


def _words(code: str, count: int) -> str:
    return f"{REASONS.get(code, code.replace('_', ' '))} ({count:,} rows)"


def _width(rows: list[dict[str, Any]], headline: str) -> float | None:
    """Return the median half-width of the headline's intervals."""
    ends = [(row.get(f"{headline}_low"), row.get(f"{headline}_high")) for row in rows]
    widths = [(high - low) / 2 for low, high in ends if low is not None and high is not None]
    return median(widths) if widths else None
