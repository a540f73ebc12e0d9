"""Questions about columns that a table must have and lacks."""

from collections.abc import Sequence

from engine.importers.guessing.guess import Guess
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.questions import OPEN, TableQuestion
from engine.importers.reading.columns import first_part
from engine.importers.reading.rows import OVERALL
from engine.importers.table_columns import RUN, TRUTHS
from engine.importers.table_reading import TablePlan
from engine.phrases import join_names

_MOST_SHOWN = 30


def ask_missing(plan: TablePlan, guess: Guess, columns: Sequence[str]) -> None:
    """Add a question for each column that the table must have and lacks."""
    names, unused, spelling = plan.names, _unused(plan, columns), plan.options.spelling
    by_name = f", or {spelling.model('judge')}"
    of_pairs = "opponent" in names or "opponent" in guess.open
    wanted = {"choice", "p_generator"} if of_pairs else {"met", "score"}
    has_truth = bool(names & {*TRUTHS})
    has_verdict = bool(names & {*wanted, "status"})
    if "generator" not in names:
        remedy = f", or {spelling.model('generator')} if one model wrote all answers"
        _ask_for(plan, guess, "generator", "the model that answered", unused, remedy)
    if "opponent" not in names and of_pairs:
        _ask_for(plan, guess, "opponent", "the model that wrote the other answer", unused)
    if "judge" not in names and not has_truth:
        people = ""
        if "choice" in names:
            chosen_by = spelling.columns({"preference": plan.places.get("choice", OPEN)})
            people = f"; if people chose, give {chosen_by}"
        _ask_for(plan, guess, "judge", "the model that judged", unused, f"{by_name}{people}")
    elif "judge" not in names and has_verdict:
        verdicts = [plan.places[name] for name in sorted(wanted) if name in plan.places]
        truth = next(plan.places[name] for name in TRUTHS if name in plan.places)
        left = f"the verdicts in {join_names([repr(each) for each in verdicts])}"
        alone = (
            f"; if no model judged, and only what is true ({truth!r}) is to be imported, leave {left} out: "
            f"{spelling.without(verdicts)}"
            if verdicts
            else ""
        )
        _ask_for(plan, guess, "judge", "the model that judged", unused, f"{by_name}{alone}")
    true = next((name for name in ("reference_met", "reference_score") if name in plan.places), None)
    if true is not None and "judge" in names and "reference_source" not in names:
        plan.notes.append(
            f"{plan.places[true]!r} is taken for the verdicts of people; if a program decided, give "
            f"{spelling.constant('reference_source', 'program')}"
        )
    if not has_verdict and ("judge" in names or not has_truth):
        judged = ("choice",) if of_pairs else ("met", "score")
        name = next((each for each in ("choice", "met", "score") if each in guess.open), judged[0])
        maybe = guess.open.get(name, tuple(unused) if len(unused) == 1 else ())
        maybe = tuple(column for column in maybe if column not in guess.no_verdicts)
        where = f"it may be {' or '.join(map(repr, maybe))}" if maybe else _unused_words(unused)
        given = spelling.columns({name: "FIELD"})
        remedy = f"Name it with {given}" if maybe or unused else _no_field(given)
        plan.missing += 1
        plan.questions.append(
            TableQuestion(
                f"no column is {' or '.join(map(spelling.name, judged))}, which says what the judge found; "
                f"{where}. {remedy}",
                ImportOptions(map={name: maybe[0] if len(maybe) == 1 else OPEN}),
            )
        )
    if not names & {"instance_id", "prompt"}:
        text = f" (or {spelling.name('prompt')}, for its text)"
        _ask_for(plan, guess, "instance_id", "the question's id", unused, text)
    of_criteria = (
        {"met"} if "judge" in names or not has_truth else {"met", "reference_met", "reference_score"}
    )
    if names & of_criteria and not names & {"rubric_id", "criterion", "opponent", "paradigm"}:
        plan.missing += 1
        plan.questions.append(_criterion_question(guess.open.get("rubric_id", ()), spelling))
    if plan.questions and "judge" not in names and has_truth and not has_verdict and "judge" in guess.open:
        _ask_for(plan, guess, "judge", "the model that judged", unused, by_name)
    if RUN not in names and (runs := guess.open.get(RUN)):
        plan.questions.append(_run_question(runs, spelling))


def _criterion_question(maybe: Sequence[str], spelling: OptionSpelling) -> TableQuestion:
    """Ask for the criterion; `maybe` are the columns that tell apart rows which are otherwise alike."""
    only = spelling.constant("rubric_id", OVERALL)
    if not maybe:
        rubric, criterion = (spelling.columns({name: "FIELD"}) for name in ("rubric_id", "criterion"))
        text = (
            "verdicts say whether a criterion is met, and no column names one; give "
            f"{rubric} or {criterion}, or {only} if there is only one"
        )
        return TableQuestion(text, ImportOptions(set={"rubric_id": OVERALL}))
    text = (
        "a judge has several verdicts on the same answer, which differ in "
        f"{' and in '.join(map(repr, maybe))}: if that names the criterion, give "
        f"{spelling.columns({'criterion': maybe[0]})}; if they are repeats on one criterion, {only}"
    )
    column = maybe[0] if len(maybe) == 1 else OPEN
    return TableQuestion(text, ImportOptions(map={"criterion": column}))


def _run_question(maybe: Sequence[str], spelling: OptionSpelling) -> TableQuestion:
    """Ask for the run; `maybe` are the columns that tell apart rows which are otherwise alike."""
    text = (
        "a judge has several verdicts on the same answer and criterion, which differ in "
        f"{' and in '.join(map(repr, maybe))}: if that names the run, such as the night, give "
        f"{spelling.columns({RUN: maybe[0]})}; if they are repeats, {spelling.without(maybe[:1])}"
    )
    return TableQuestion(text, ImportOptions(map={RUN: maybe[0] if len(maybe) == 1 else OPEN}))


def _ask_for(
    plan: TablePlan, guess: Guess, name: str, meaning: str, unused: Sequence[str], remedy: str = ""
) -> None:
    plan.missing += 1
    columns, spelling = guess.open.get(name, ()), plan.options.spelling
    if columns:
        text = f"{spelling.name(name)}, {meaning}, may be {' or '.join(map(repr, columns))}"
    else:
        text = f"no column is {spelling.name(name)}, {meaning}; {_unused_words(unused)}"
    answer = ImportOptions(map={name: columns[0] if len(columns) == 1 else OPEN})
    given = spelling.columns({name: "FIELD"})
    by_name = f"Name it with {given}{remedy}"
    if not unused and name in ("judge", "generator"):
        answer = ImportOptions(judge=OPEN) if name == "judge" else ImportOptions(generator=OPEN)
        by_name = f"Name it with{remedy.removeprefix(', or')}"
    elif not columns and not unused:
        by_name = _no_field(given) + remedy
    plan.questions.append(TableQuestion(f"{text}. {by_name}", answer, among=tuple(columns)))


def _unused_words(unused: Sequence[str]) -> str:
    names = ", ".join(map(repr, unused[:_MOST_SHOWN]))
    return f"unused columns: {names}" if names else "each column is read as something else"


def _no_field(option: str) -> str:
    """Return what to do where no column is left for one that the table must have."""
    return f"Add a column with it, or name the one that was taken for another with {option}"


def _unused(plan: TablePlan, columns: Sequence[str]) -> list[str]:
    used = {*plan.places.values(), *plan.wide} | {first_part(place) for place in plan.places.values()}
    return [column for column in columns if column not in used]
