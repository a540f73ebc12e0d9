"""`spb label status`: each labeller's progress, and how far they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cli.former import is_former
from engine.cli.label.label_database import open_labels
from engine.cli.label.label_tasks import TaskArgument
from engine.cli.options import StoreOption, next_command
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows
from engine.phrases import quantity

if TYPE_CHECKING:
    from engine.annotations.agreement import Agreement, ResampledEstimate, Share
    from engine.annotations.disputes import Dispute
    from engine.annotations.progress import Progress

_HEADS = {
    "annotator": "Labeller",
    "done": "Done",
    "of": "Of",
    "skipped": "Skipped",
    "median_s": "Median seconds",
    "self_agreement": "Agrees with itself",
    "gold": "Gold items",
}


@dataclass(frozen=True)
class _Status:
    """A task: each labeller's progress, how far they agree, and the items on which they differ.

    `n_undecided` counts the labels that say "cannot tell", `n_harmful` the reports of harmful content.
    """

    task: str
    kind: str
    progress: Mapping[str, "Progress"]
    agreement: "Agreement"
    differences: Sequence["Dispute"]
    n_undecided: int
    n_harmful: int

    @property
    def n_open(self) -> int:
        return sum(not each.settled for each in self.differences)


def status(task: TaskArgument, store: StoreOption = None, format: RowFormatOption = "table") -> None:  # noqa: A002
    """Show each labeller's progress, and how far they agree.

    With each one's pace and self-consistency.
    """
    current = _read(task, store)
    rows = [_facts(current, person) for person in current.progress]
    cells = [_cells(current, facts, once=format == "table" and not is_former()) for facts in rows]
    sentences = _sentences(current, store)
    if is_former() and format == "table":
        print(*_HEADS, sep="\t")
        for cell in cells:
            print(*(cell[head] for head in _HEADS), sep="\t")
        for sentence in sentences:
            say(sentence)
        return
    data = [facts | _shares(current, facts) | _items(current, facts) for facts in rows]
    print_rows(Rows(data, _HEADS, sentences, _facts_of_task(current), cells), format)


def _read(task: str, store: str | None) -> _Status:
    from engine.annotations.agreement import agreement, questions_of
    from engine.annotations.counted_labels import effective_labels, reports
    from engine.annotations.disputes import disputes
    from engine.annotations.progress import progress
    from engine.annotations.tasks import assigned_people, task_of
    from engine.arrays.label_table import NO_LABEL

    with open_labels(store) as (study_store, database):
        described = task_of(database, task)
        return _Status(
            task,
            described.kind,
            {person: progress(database, task, person) for person in assigned_people(database, task)},
            agreement(database, task, questions=questions_of(study_store, described)),
            disputes(database, task),
            n_undecided=sum(label.value == NO_LABEL for label in effective_labels(database, task)),
            n_harmful=sum(report.harmful for report in reports(database, task)),
        )


def _facts(current: _Status, person: str) -> dict[str, Any]:
    """Return a labeller's numbers for programs, in which an item that is shown twice counts twice."""
    work = current.progress[person]
    facts = {"annotator": person, "done": work.done, "of": work.total, "skipped": work.skipped}
    facts |= {"repeated": work.repeated, "repeated_done": work.repeated_done}
    return facts | {"median_s": current.agreement.seconds.get(person)}


def _shares_of(current: _Status, facts: Mapping[str, Any]) -> dict[str, "Share"]:
    """Return how often a labeller agrees with itself and with the gold items."""
    from engine.annotations.agreement import Share

    person, nothing = facts["annotator"], Share(0, 0)
    results = current.agreement
    return {
        "self_agreement": results.self_agreement.get(person, nothing),
        "gold": results.gold.get(person, nothing),
    }


def _shares(current: _Status, facts: Mapping[str, Any]) -> dict[str, float | None]:
    return {name: share.value for name, share in _shares_of(current, facts).items()}


def _items(current: _Status, facts: Mapping[str, Any]) -> dict[str, int]:
    work = current.progress[facts["annotator"]]
    return {"items_done": work.items_done, "items": work.items}


def _cells(current: _Status, facts: Mapping[str, Any], *, once: bool) -> dict[str, Any]:
    """Return a labeller's numbers as a table shows them; `once` counts an item that is shown twice once."""
    work, median = current.progress[facts["annotator"]], facts["median_s"]
    counted = {"done": work.items_done, "of": work.items} if once else {}
    shares = {
        name: "–" if share.value is None else f"{share.value:.2f} ({share.right}/{share.total})"
        for name, share in _shares_of(current, facts).items()
    }
    return {**facts, **counted, "median_s": "–" if median is None else f"{median:.2f}", **shares}


def _sentences(current: _Status, store: str | None) -> list[str]:
    """Return what the labels say so far, and what is still to be done."""
    from engine.annotations.sides import NEITHER
    from engine.words.annotator_words import AS_STORED, agreement_of_people, kappa_of_two

    sentences = [] if current.progress else [_nobody(current.task, store)]
    results = current.agreement
    sentences.append(agreement_of_people(results, current.kind))
    for people, kappa in results.pairs.items():
        n = _in_table(results.tables[people])
        sentences.append(f"{people[0]} and {people[1]}: kappa {kappa_of_two(kappa)}; n {n}")
    if current.kind in NEITHER and results.pairs:
        sentences.append(AS_STORED)
    sentences += _repeats([work.repeated for work in current.progress.values()])
    if current.n_undecided:
        sentences.append(_undecided(current.n_undecided))
    differing = quantity(len(current.differences), "item")
    sentences.append(f"{differing} on which labellers differ, {current.n_open:,} open")
    if current.n_harmful:
        sentences.append(f"{quantity(current.n_harmful, 'report')} of harmful content")
    return sentences


def _nobody(task: str, store: str | None) -> str:
    assigning = next_command(store, "label", "assign", task, "--people", "NAMES")
    filling = next_command(store, "label", "template", task, "--out", "labels.csv")
    return f"Nobody has items of this task yet; assign them ({assigning}), or label in a file ({filling})."


def _repeats(numbers: Sequence[int]) -> list[str]:
    """Say how many of the items are shown a second time, which a file does not do."""
    from engine.words.annotator_words import shown_again

    if not any(numbers):
        return []
    again = shown_again(numbers)
    return [f"Done and Of count each item once. The page Annotate shows {again}; a file does not."]


def _undecided(number: int) -> str:
    answers = f'{quantity(number, "answer")} {"is" if number == 1 else "are"} "cannot tell"'
    return f"{answers}: like skips, done but no label, and left out of agreement and of the reference."


def _facts_of_task(current: _Status) -> dict[str, Any]:
    """Return the numbers of the task for programs, and the code of why agreement is undefined."""
    results = current.agreement
    facts: dict[str, Any] = {
        "task": current.task,
        "differ": len(current.differences),
        "open": current.n_open,
        "harmful": current.n_harmful,
    }
    for name in ("kappa", "pairwise_kappa", "alpha"):
        facts |= _ends(name, getattr(results, name))
    pairs = [
        {"people": list(people), **_ends("kappa", kappa), "n": _in_table(results.tables[people])}
        for people, kappa in results.pairs.items()
    ]
    return facts | {"n_shared": results.shared, "agreement_reason": results.reason, "pairs": pairs}


def _ends(name: str, estimate: "ResampledEstimate") -> dict[str, float | None]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _in_table(table: list[list[int]]) -> int:
    return sum(map(sum, table))
