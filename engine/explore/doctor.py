"""Computes every measure of a study, to see whether it is defined and how wide its intervals are."""

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from engine.errors import SpbError
from engine.explore.cautions import many_failures, other_models, single_orders
from engine.explore.diagnosis import Answer, Diagnosis, JudgeRelations, MeasureDiagnosis
from engine.explore.planned_cost import questions_of
from engine.measures.catalogue import PRESENT
from engine.measures.compute import check_resamples
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.measures.scorecard.deciding_source import knows_orders, other_order
from engine.measures.undefined_reasons import REASONS
from engine.paradigms import PAIR_PARADIGMS
from engine.phrases import quantity
from engine.wording import Sentence

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.store.study_files import StudyFiles


RESAMPLES = 200  # number of resamples that gives interval widths precise enough for planning
_COLUMNS = ("judge", "generator", "opponent", "status")


def examine(study: "MeasuredStudy", *, resamples: int = RESAMPLES) -> Diagnosis:
    """Return what can be measured with a study, what is missing for the rest, and which models are related.

    Measures that are other rows of one, under former names, are left to that one.
    `resamples` (0: no widths) are those of each measure's intervals. Raises UsageError for too few, and
    StoreError if the study cannot be read.
    """
    resamples = check_resamples(resamples)
    files = study.files
    judged, statuses = judged_models(files, study.only_runs)
    generators = {model for models in judged.values() for model in models}
    if files.has("responses"):
        generators |= set(files.table("responses")["generator"].to_pylist())
    results = {name: _result(study, measure, resamples) for name, measure in PRESENT.items()}
    scorecard, votes = results["scorecard"], results["votes"]
    single = () if isinstance(votes, SpbError) else votes.filters.get("single_order", ())
    runs = files.table("runs").to_pylist() if files.has("runs") else []
    of_orders = single_orders(single, of_known_order=bool(single) and knows_orders(study))
    cautions = [*many_failures(statuses, runs), *of_orders, *other_models(runs)]
    return Diagnosis(
        study.name,
        tuple(judge_relations(study, judged)),
        len(generators),
        questions_of(study),
        tuple(_verdict(PRESENT[name], result) for name, result in results.items()),
        tuple(caution.text for caution in cautions),
        None if isinstance(scorecard, SpbError) else scorecard,
    )


def unknown_self_preference(study: "MeasuredStudy") -> Sentence:
    """Return a sentence on why a study cannot show whether a judge favours itself, with the remedy.

    For use if the scorecard has no row: no judge has a response of its own, or no such pair in both orders.
    """
    judges = judge_relations(study)
    of_pairs = set(study.inventory.values("paradigm")) <= {*PAIR_PARADIGMS, "quality"}
    if not any(each.own for each in judges):
        why = "no judge is among the models that it judged"
        what = "the pairs in both orders" if of_pairs else "the answers"
        remedy: str = f"have these models, and judges of other families, judge {what}"
    elif len({each.family for each in judges}) == 1:
        why = (
            "no pair with a judge's own answer is known to be judged in both orders, and all judges are of "
            "one family"
        )
        remedy = "have judges of other families judge the pairs too, in both orders"
    else:
        why = "no pair with a judge's own answer is known to be judged in both orders"
        remedy = other_order(study)
    return Sentence(f"Self-preference cannot be measured here, because {why}; ", remedy, ".")


def judged_models(
    files: "StudyFiles", runs: tuple[str, ...] = ()
) -> tuple[dict[str, set[str]], list[tuple[str, str, int]]]:
    """Return the models that each judge judged in some runs (or all), and its judgments by status."""
    counts: Counter[tuple[str, str | None, str | None, str]] = Counter()
    for table in files.judgment_batches(columns=_COLUMNS, where={"run_id": runs} if runs else None):
        rows = table.group_by(list(_COLUMNS)).aggregate([([], "count_all")]).to_pylist()
        for row in rows:
            counts[row["judge"], row["generator"], row["opponent"], row["status"]] += row["count_all"]
    judged: dict[str, set[str]] = {}
    statuses: Counter[tuple[str, str]] = Counter()
    for (judge, generator, opponent, status), count in counts.items():
        judged.setdefault(judge, set()).update(model for model in (generator, opponent) if model)
        statuses[judge, status] += count
    return judged, [(judge, status, count) for (judge, status), count in statuses.items()]


def judges_itself(study: "MeasuredStudy") -> bool:
    """Return whether any judge has judged a response of its own."""
    batches = study.files.judgment_batches(columns=("judge", "generator", "opponent"))
    return any(
        pc.any(pc.equal(table.column("judge"), table.column(side))).as_py()
        for table in batches
        for side in ("generator", "opponent")
    )


def judge_relations(
    study: "MeasuredStudy", judged: Mapping[str, set[str]] | None = None
) -> list[JudgeRelations]:
    """Return how each judge is related to the models that it judged (None: read from the study)."""
    families = study.families()
    relations = []
    for judge, models in (
        judged_models(study.files, study.only_runs)[0] if judged is None else judged
    ).items():
        family = families[judge]
        relatives = sorted(model for model in models if model != judge and families[model] == family)
        others = sum(families[model] != family for model in models)
        relations.append(JudgeRelations(judge, family, judge in models, tuple(relatives), others))
    return relations


def _result(study: "MeasuredStudy", measure: Measure, resamples: int) -> Result | SpbError:
    """Return the result of a measure, or the error that it raises."""
    try:
        return study.result(measure, resamples=resamples)
    except SpbError as error:
        return error


def _verdict(measure: Measure, result: Result | SpbError) -> MeasureDiagnosis:
    """Return how much of a measure is defined, by its headline or else another of its numbers."""
    if isinstance(result, SpbError):
        return MeasureDiagnosis(
            measure.name, measure.title, "no", 0, 0, result.message, measure.headline, None
        )
    rows = [row for row in result.rows if row.get("judge", "") is not None]
    fields = [measure.headline, *(field.name for field in measure.fields if field.interval)]
    number = next((name for name in fields if any(row.get(name) is not None for row in rows)), fields[0])
    defined = [row for row in rows if row.get(number) is not None]
    reasons = Counter(row["reasons"].get(number, "undefined") for row in rows if row.get(number) is None)
    words = [
        f"{REASONS.get(code, code.replace('_', ' '))} ({quantity(count, 'row')})"
        for code, count in reasons.most_common(3)
    ]
    why = result.reason or "; ".join(words)
    answer: Answer = "no" if not defined else "yes" if len(defined) == len(rows) else "partly"
    if not defined:
        why = why or "no rows"
    ends = [(row.get(f"{number}_low"), row.get(f"{number}_high")) for row in defined]
    widths = [(high - low) / 2 for low, high in ends if low is not None and high is not None]
    width = median(widths) if widths else None
    return MeasureDiagnosis(measure.name, measure.title, answer, len(defined), len(rows), why, number, width)
