"""Questions about columns that a table must have and lacks."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import first_part
from engine.importers.reading.option_file import merge_options
from engine.importers.reading.rows import OVERALL
from engine.importers.tables.asking.questions import OPEN, TableQuestion, WholeAnswer
from engine.importers.tables.guessing.guess import Guess
from engine.importers.tables.table_columns import RUN, TRUTHS
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.verdict_names import is_rank, says_who_lost
from engine.phrases import join_names

_MOST_SHOWN = 30


def ask_missing(plan: TablePlan, guess: Guess, columns: Sequence[str]) -> None:
    """Add a question for each column that the table must have and lacks."""
    lacking = _Lacking(plan, guess, _unused(plan, columns))
    lacking.ask_models()
    lacking.ask_judge()
    lacking.ask_verdict()
    lacking.ask_winner()
    lacking.ask_question()
    lacking.ask_criterion()
    lacking.ask_judge_of_truths()
    lacking.ask_unread_judges()
    if RUN not in plan.names and (runs := guess.open.get(RUN)):
        plan.questions.append(_run_question(runs, lacking.spelling))


@dataclass(frozen=True)
class _Lacking:
    """A table's plan, to which questions are added; `unused` are the columns that it reads as nothing."""

    plan: TablePlan
    guess: Guess
    unused: Sequence[str]

    @property
    def spelling(self) -> OptionSpelling:
        return self.plan.options.spelling

    @property
    def of_pairs(self) -> bool:
        return "opponent" in self.plan.names or "opponent" in self.guess.open

    @property
    def verdict_columns(self) -> set[str]:
        """The columns of which one says what the judge found."""
        return {"choice", "p_generator"} if self.of_pairs else {"met", "score"}

    @property
    def has_truth(self) -> bool:
        return bool(self.plan.names & {*TRUTHS})

    @property
    def has_verdict(self) -> bool:
        return bool(self.plan.names & {*self.verdict_columns, "status"})

    def ask_models(self) -> None:
        """Ask for the models that wrote the answers."""
        if "generator" not in self.plan.names:
            remedy = f", or {self.spelling.model('generator')} if one model wrote all answers"
            self._ask("generator", "the model that answered", remedy)
        if "opponent" not in self.plan.names and self.of_pairs:
            self._ask("opponent", "the model that wrote the other answer")

    def ask_judge(self) -> None:
        """Ask for the judge, unless the table has true values alone."""
        if "judge" in self.plan.names:
            return
        if not self.has_truth:
            self._ask("judge", "the model that judged", f"{self._named_judge}{self._chosen_by_people()}")
        elif self.has_verdict:
            self._ask("judge", "the model that judged", f"{self._named_judge}{self._truth_alone()}")

    @property
    def _named_judge(self) -> str:
        return f", or {self.spelling.model('judge')}"

    def _chosen_by_people(self) -> str:
        """Return what to do if people chose, not a model."""
        if "choice" not in self.plan.names:
            return ""
        chosen_by = self.spelling.columns({"preference": self.plan.places.get("choice", OPEN)})
        return f"; if people chose, give {chosen_by}"

    def _truth_alone(self) -> str:
        """Return what to do if no model judged."""
        places = self.plan.places
        verdicts = [places[name] for name in sorted(self.verdict_columns) if name in places]
        if not verdicts:
            return ""
        truth = next(places[name] for name in TRUTHS if name in places)
        left = f"the verdicts in {join_names([repr(each) for each in verdicts])}"
        return (
            f"; if no model judged, and only what is true ({truth!r}) is to be imported, leave {left} out: "
            f"{self.spelling.without(verdicts)}"
        )

    def ask_verdict(self) -> None:
        """Ask for the column that says what the judge found."""
        if self.has_verdict or ("judge" not in self.plan.names and self.has_truth):
            return
        maybe_of, spelling = self.guess.open, self.spelling
        judged = ("choice",) if self.of_pairs else ("met", "score")
        name = next((each for each in ("choice", "met", "score") if each in maybe_of), judged[0])
        maybe = maybe_of.get(name, tuple(self.unused) if len(self.unused) == 1 else ())
        maybe = tuple(column for column in maybe if column not in self.guess.no_verdicts)
        if name == "met":  # which many numbers are not
            of_scores = [
                c for c in maybe if c in self.guess.scores or (c in self.guess.numbers and is_rank(c))
            ]
            name = "score" if maybe and len(of_scores) == len(maybe) else "met"
            maybe = maybe if name == "score" else tuple(c for c in maybe if c not in self.guess.numbers)
        losers = [column for column in maybe or self.unused if says_who_lost(column)]
        maybe = tuple(column for column in maybe if column not in losers)
        where = f"it may be {' or '.join(map(repr, maybe))}" if maybe else _unused_words(self.unused)
        given = spelling.columns({name: "FIELD"})
        remedy = f"Name it with {given}" if maybe or self.unused else _no_field(given)
        if self.of_pairs and losers and not maybe:
            where, remedy = _who_lost(losers[0], given)
        meanings = {name: self.guess.value[name]} if maybe and name in self.guess.value else {}
        self.plan.missing += 1
        self.plan.questions.append(
            TableQuestion(
                f"no column is {' or '.join(map(spelling.name, judged))}, which says what the judge found; "
                f"{where}. {remedy}",
                ImportOptions(map={name: maybe[0] if len(maybe) == 1 else OPEN}, value=meanings),
            )
        )

    def ask_winner(self) -> None:
        """Ask for who won where the column given for it says who lost, and not what its values mean."""
        for name in ("choice", "preference"):
            place = self.plan.places.get(name)
            if place is None or not says_who_lost(place) or name in self.plan.options.value:
                continue
            where, remedy = _who_lost(place, self.spelling.columns({name: "FIELD"}))
            text = f"{self.spelling.name(name)} says who won; {where}. {remedy}"
            self.plan.questions.append(TableQuestion(text, ImportOptions(map={name: OPEN})))

    def ask_question(self) -> None:
        """Ask for the question's id or text."""
        if not self.plan.names & {"instance_id", "prompt"}:
            self._ask(
                "instance_id", "the question's id", f" (or {self.spelling.name('prompt')}, for its text)"
            )

    def ask_criterion(self) -> None:
        """Ask for the criterion that verdicts are on."""
        names = self.plan.names
        of_judge = "judge" in names or not self.has_truth
        of_criteria = {"met"} if of_judge else {"met", "reference_met", "reference_score"}
        if names & of_criteria and not names & {"rubric_id", "criterion", "opponent", "paradigm"}:
            self.plan.missing += 1
            self.plan.questions.append(_criterion_question(self.guess, self.spelling))

    def ask_judge_of_truths(self) -> None:
        """Ask a table of true values for a judge that may be there, where it is asked something else."""
        of_truths = "judge" not in self.plan.names and self.has_truth and not self.has_verdict
        if self.plan.questions and of_truths and "judge" in self.guess.open:
            self._ask("judge", "the model that judged", self._named_judge)

    def ask_unread_judges(self) -> None:
        """Ask, where the columns that the user named hold true values alone, whether others are of judges."""
        judges, spelling = self.guess.unread_judges, self.spelling
        columns = [*judges.judges, *judges.map.values()]
        if not columns or not self.has_truth or self.has_verdict or "judge" in self.plan.names:
            return
        shown, is_one = join_names(list(map(repr, columns)), 4), len(columns) == 1
        option = spelling.option("judge-columns") if judges.judges else spelling.columns(judges.map)
        text = (
            f"only what is true is read of each row, and {shown} may say what judges found. Give {option} to "
            f"read {'it' if is_one else 'them'}, or {spelling.without(columns)}"
        )
        nothing = ImportOptions(leave_out=(*self.plan.options.leave_out, *columns))
        choices = (
            WholeAnswer(f"{shown} {'says' if is_one else 'say'} what judges found", judges),
            WholeAnswer("only what is true is to be read", nothing),
        )
        self.plan.questions.append(TableQuestion(text, choices=choices))

    def _ask(self, name: str, meaning: str, remedy: str = "") -> None:
        self.plan.missing += 1
        columns, spelling = self.guess.open.get(name, ()), self.spelling
        if columns:
            text = f"{spelling.name(name)}, {meaning}, may be {' or '.join(map(repr, columns))}"
        else:
            text = f"no column is {spelling.name(name)}, {meaning}; {_unused_words(self.unused)}"
        answer = ImportOptions(map={name: columns[0] if len(columns) == 1 else OPEN})
        given = spelling.columns({name: "FIELD"})
        by_name = f"Name it with {given}{remedy}"
        if not self.unused and name in ("judge", "generator"):
            answer = ImportOptions(judge=OPEN) if name == "judge" else ImportOptions(generator=OPEN)
            by_name = f"Name it with{remedy.removeprefix(', or')}"
        elif not columns and not self.unused:
            by_name = _no_field(given) + remedy
        self.plan.questions.append(TableQuestion(f"{text}. {by_name}", answer, among=tuple(columns)))


def _criterion_question(guess: Guess, spelling: OptionSpelling) -> TableQuestion:
    """Ask for the criterion: which of the columns that tell apart rows which are otherwise alike names it."""
    maybe, only = guess.open.get("rubric_id", ()), spelling.constant("rubric_id", OVERALL)
    if guess.open.get("criterion"):  # as long as the question is not known
        text = (
            "Whichever of these it is, a judge has several verdicts on an answer: give the column of the "
            f"criterion too, {spelling.columns({'criterion': 'FIELD'})}; if they are repeats on one "
            f"criterion, {only}"
        )
        return TableQuestion(text, ImportOptions(map={"criterion": OPEN}))
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
    if guess.part is not None:
        text += f"; if {guess.part!r} names the question, {spelling.columns({'instance_id': guess.part})}"
    return TableQuestion(text, merge_options(guess.if_criterion, ImportOptions(map={"criterion": maybe[0]})))


def _run_question(maybe: Sequence[str], spelling: OptionSpelling) -> TableQuestion:
    """Ask for the run; `maybe` are the columns that tell apart rows which are otherwise alike."""
    text = (
        "a judge has several verdicts on the same answer and criterion, which differ in "
        f"{' and in '.join(map(repr, maybe))}: if that names the run, such as the night, give "
        f"{spelling.columns({RUN: maybe[0]})}; if they are repeats, {spelling.without(maybe[:1])}"
    )
    return TableQuestion(text, ImportOptions(map={RUN: maybe[0] if len(maybe) == 1 else OPEN}))


def _unused_words(unused: Sequence[str]) -> str:
    names = ", ".join(map(repr, unused[:_MOST_SHOWN]))
    return f"unused columns: {names}" if names else "each column is read as something else"


def _who_lost(column: str, option: str) -> tuple[str, str]:
    """Return that a column says who lost, and what to do about it."""
    remedy = f"Add a column with the winner, which is the other model, or tie, and name it with {option}"
    return f"{column!r} says who lost, and would turn all verdicts around", remedy


def _no_field(option: str) -> str:
    """Return what to do where no column is left for one that the table must have."""
    return f"Add a column with it, or name the one that was taken for another with {option}"


def _unused(plan: TablePlan, columns: Sequence[str]) -> list[str]:
    used = {*plan.places.values(), *plan.wide} | {first_part(place) for place in plan.places.values()}
    return [column for column in columns if column not in used]
