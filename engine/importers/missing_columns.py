"""Questions about columns that a table must have and lacks."""

from collections.abc import Sequence

from engine.importers.guessing import Guess
from engine.importers.import_options import ImportOptions
from engine.importers.questions import OPEN, TableQuestion
from engine.importers.reading.columns import first_part
from engine.importers.reading.rows import OVERALL
from engine.importers.table_columns import RUN
from engine.importers.table_reading import TablePlan

_MOST_SHOWN = 30


def ask_missing(plan: TablePlan, guess: Guess, columns: Sequence[str]) -> None:
    """Add a question for each column that the table must have and lacks."""
    names, unused = plan.names, _unused(plan, columns)
    of_pairs = "opponent" in names or "opponent" in guess.open
    wanted = {"choice", "p_generator"} if of_pairs else {"met", "score"}
    has_truth = bool(names & {"preference", "reference_met", "reference_score"})
    has_verdict = bool(names & {*wanted, "status"})
    if "generator" not in names:
        remedy = ", or --generator NAME if one model wrote all answers"
        _ask_for(plan, guess, "generator", "the model that answered", unused, remedy)
    if "opponent" not in names and of_pairs:
        _ask_for(plan, guess, "opponent", "the model that wrote the other answer", unused)
    if "judge" not in names and not has_truth:
        people = ""
        if "choice" in names:
            people = f"; if people chose, give --map preference={plan.places.get('choice', OPEN)}"
        _ask_for(plan, guess, "judge", "the model that judged", unused, f", or --judge NAME{people}")
    elif "judge" not in names and has_verdict:
        verdicts = " ".join(f"--not {plan.places[name]}" for name in sorted(wanted) if name in plan.places)
        alone = f"; for what is true alone, {verdicts}" if verdicts else ""
        _ask_for(plan, guess, "judge", "the model that judged", unused, f", or --judge NAME{alone}")
    true = next((name for name in ("reference_met", "reference_score") if name in plan.places), None)
    if true is not None and "judge" in names and "reference_source" not in names:
        plan.notes.append(
            f"{plan.places[true]!r} is taken for the verdicts of people; if a program decided, import again "
            "with --set reference_source=program"
        )
    if not has_verdict and ("judge" in names or not has_truth):
        verdict = "choice" if of_pairs else "met or score"
        name = next((each for each in ("choice", "met", "score") if each in guess.open), verdict.split()[0])
        maybe = guess.open.get(name, tuple(unused) if len(unused) == 1 else ())
        where = f"it may be {' or '.join(map(repr, maybe))}" if maybe else _unused_words(unused)
        remedy = f"Name it with --map {name}=FIELD" if maybe or unused else _no_field(name)
        plan.missing += 1
        plan.questions.append(
            TableQuestion(
                f"no column is {verdict}, which says what the judge found; {where}. {remedy}",
                ImportOptions(map={name: maybe[0] if len(maybe) == 1 else OPEN}),
            )
        )
    if not names & {"instance_id", "prompt"}:
        _ask_for(plan, guess, "instance_id", "the question's id", unused, " (or prompt, for its text)")
    of_criteria = (
        {"met"} if "judge" in names or not has_truth else {"met", "reference_met", "reference_score"}
    )
    if names & of_criteria and not names & {"rubric_id", "criterion", "opponent", "paradigm"}:
        plan.missing += 1
        plan.questions.append(_criterion_question(guess.open.get("rubric_id", ())))
    if plan.questions and "judge" not in names and has_truth and not has_verdict and "judge" in guess.open:
        _ask_for(plan, guess, "judge", "the model that judged", unused, ", or --judge NAME")
    if RUN not in names and (runs := guess.open.get(RUN)):
        plan.questions.append(_run_question(runs))


def _criterion_question(maybe: Sequence[str]) -> TableQuestion:
    """Ask for the criterion; `maybe` are the columns that tell apart rows which are otherwise alike."""
    if not maybe:
        text = (
            "verdicts say whether a criterion is met, and no column names one; give --map rubric_id=FIELD or "
            f"criterion=FIELD, or --set rubric_id={OVERALL} if there is only one"
        )
        return TableQuestion(text, ImportOptions(set={"rubric_id": OVERALL}))
    text = (
        "a judge has several verdicts on the same answer, which differ in "
        f"{' and in '.join(map(repr, maybe))}: if that names the criterion, give --map criterion={maybe[0]}; "
        f"if they are repeats on one criterion, --set rubric_id={OVERALL}"
    )
    column = maybe[0] if len(maybe) == 1 else OPEN
    return TableQuestion(text, ImportOptions(map={"criterion": column}))


def _run_question(maybe: Sequence[str]) -> TableQuestion:
    """Ask for the run; `maybe` are the columns that tell apart rows which are otherwise alike."""
    text = (
        "a judge has several verdicts on the same answer and criterion, which differ in "
        f"{' and in '.join(map(repr, maybe))}: if that names the run, such as the night, give --map "
        f"{RUN}={maybe[0]}; if they are repeats, --not {maybe[0]}"
    )
    return TableQuestion(text, ImportOptions(map={RUN: maybe[0] if len(maybe) == 1 else OPEN}))


def _ask_for(
    plan: TablePlan, guess: Guess, name: str, meaning: str, unused: Sequence[str], remedy: str = ""
) -> None:
    plan.missing += 1
    columns = guess.open.get(name, ())
    if columns:
        text = f"{name}, {meaning}, may be {' or '.join(map(repr, columns))}"
    else:
        text = f"no column is {name}, {meaning}; {_unused_words(unused)}"
    answer = ImportOptions(map={name: columns[0] if len(columns) == 1 else OPEN})
    by_name = f"Name it with --map {name}=FIELD{remedy}"
    if not unused and name in ("judge", "generator"):
        answer = ImportOptions(judge=OPEN) if name == "judge" else ImportOptions(generator=OPEN)
        by_name = f"Name it with{remedy.removeprefix(', or')}"
    elif not columns and not unused:
        by_name = _no_field(name) + remedy
    plan.questions.append(TableQuestion(f"{text}. {by_name}", answer))


def _unused_words(unused: Sequence[str]) -> str:
    names = ", ".join(map(repr, unused[:_MOST_SHOWN]))
    return f"unused columns: {names}" if names else "each column is read as something else"


def _no_field(name: str) -> str:
    """Return what to do where no column is left for one that the table must have."""
    return f"Add a column with it, or name the one that was taken for another with --map {name}=FIELD"


def _unused(plan: TablePlan, columns: Sequence[str]) -> list[str]:
    used = {*plan.places.values(), *plan.judges} | {first_part(place) for place in plan.places.values()}
    return [column for column in columns if column not in used]
