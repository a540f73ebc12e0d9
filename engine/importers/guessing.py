"""What the columns of a table are, guessed from their names and values where the user did not say.

A guess is stated in the report of the import. Where two columns fit equally well nothing is guessed: the
choice is left to the user.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.importers.families import resolve
from engine.importers.fractions import is_share
from engine.importers.judge_agreement import Dependence, dependence, has_no_verdicts, is_of_questions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import is_index, value_at
from engine.importers.reading.rows import OVERALL, number_of
from engine.importers.scale_checks import MOST_MISTAKES
from engine.importers.table_columns import DECLARED, RUN, SidedColumns, matching, plain, sided
from engine.importers.table_sample import FirstRows
from engine.importers.verdict_names import (
    is_of_key,
    is_of_program,
    is_plainly_of_judges,
    may_be_true,
    true_is_bad,
)
from engine.importers.verdict_words import MET, NO_VERDICT, OK, SIDES, lookup_key
from engine.phrases import join_names

_REMARKS = frozenset(
    (
        *("latency", "cost", "tokens", "time", "seconds", "reason", "reasoning", "explanation", "raw"),
        *("confidence", "prob", "response", "text"),
    )
)
"""Words in the name of a column that is about a judge and holds no verdicts."""

_OF_PEOPLE = frozenset(
    (
        *("human", "people", "expert", "gold", "annotator", "labeler", "labeller", "crowd", "worker", "sme"),
        *("specialist", "qa", "lawyer", "attorney", "physician", "doctor", "clinician", "nurse", "medic"),
        *("editor", "teacher"),
    )
)
"""How the name of a column begins or ends that has what people say is true: `human_stars`."""

_OF_PEOPLE_OR_JUDGES = frozenset(("rater", "reviewer"))
"""The like, for people only where another column has the judges."""

NO_TRUTHS = _REMARKS | frozenset(
    (
        *("id", "ids", "no", "number", "idx", "index", "name", "names", "n", "count", "counts", "std", "sd"),
        *("var", "variance", "agreement", "kappa", "alpha", "answer", "output", "comment", "note", "notes"),
        *("model", "models", "age", "order", "weight", "run", "batch", "duration", "source"),
    )
)
"""Words in the name of a column that is about people and does not have their verdicts."""

_VERDICT_WORDS = frozenset(
    (
        *("judge", "judged", "verdict", "score", "scores", "winner", "vote", "choice", "rating", "label"),
        *("judgment", "judgement", "decision", "preference", "grade", "eval", "by"),
    )
)
"""What the name of a judge's column may say beside the judge."""

_SWAPPED = re.compile(r"(is_|was_)?(swap|swapped|flip|flipped|reversed)")
"""Names of columns that are true where the second model was shown first."""

_ID_WORDS = frozenset(("id", "no", "number", "idx", "index"))
"""How the name of a column of ids ends."""

_FEWEST_QUESTIONS = 3
"""Of fewer, another column agrees with the texts by chance."""

_ANY_TEXT = ("text", "content")
"""Names of columns that may have the text of anything."""

TRUTHS = ("preference", "reference_met", "reference_score")
"""The columns of what is true."""
_VERDICTS = ("choice", "met", "score", "p_generator")
_TEXTS = ("prompt", "criterion", "reference_answer", "explanation", "raw")
_REMARKED = ("reference_answer", "explanation", "raw")
_LABELS = ("category", "theme", "language", "variant")


@dataclass(slots=True)
class Guess:
    """The columns of a table as far as they are known, and those that several columns could be.

    `places` has all columns that are known, `map`, `set` and `value` those that were guessed, in the words of
    the options; `judges` has the judge's name for each column of a wide table; `open` has the columns that
    may be one of ours. `notes` say what else was guessed, `undecided` what several columns could be. With
    `ids_of_texts` the question's id is a column that was taken since each text of a question has its own.
    `contradicted` has, for judge and generator with one name for all rows, a column that has several.
    `no_verdicts` are columns that hold none, though their values may look so.
    """

    places: dict[str, str] = field(default_factory=dict)
    map: dict[str, str] = field(default_factory=dict)
    set: dict[str, str] = field(default_factory=dict)
    value: dict[str, dict[str, str]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    open: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    ids_of_texts: bool = False
    contradicted: dict[str, str] = field(default_factory=dict)
    no_verdicts: frozenset[str] = frozenset()


def guess_columns(
    sample: FirstRows,
    mapped: Mapping[str, str | None],
    same_named: Mapping[str, str],
    *,
    spelling: OptionSpelling,
    wide: Sequence[str] = (),
    columns: bool = True,
    explained: Collection[str] = (),
) -> Guess:
    """Return a guess of the columns that are not known, and of what no column says.

    `mapped` has the columns that the user gave, each with the table's column, or None for a constant;
    `same_named` those of our names; `wide` are the columns of judges that the user named, `explained` our
    columns whose values the user gave a meaning; `spelling` is how the user writes options. If not `columns`,
    the user named all that are needed: no further one is read.
    """
    guesser = _Guesser(sample, mapped, same_named, wide, spelling, explained)
    guesser.guess_columns()
    columns_of_models = guesser.columns_of_models()
    if not columns:
        guesser.forget_columns()
    guesser.guess_beyond_columns(scores_have_one=columns)
    if not columns:
        guesser.result.open.clear()
    guesser.result.contradicted = columns_of_models
    guesser.result.no_verdicts = guesser.columns_without_verdicts()
    guesser.result.places = {name: column for name, column in guesser.places.items() if column is not None}
    return guesser.result


class _Guesser:
    def __init__(
        self,
        sample: FirstRows,
        mapped: Mapping[str, str | None],
        same_named: Mapping[str, str],
        wide: Sequence[str],
        spelling: OptionSpelling,
        explained: Collection[str],
    ) -> None:
        self.sample, self.mapped, self.wide, self.spelling = sample, mapped, wide, spelling
        self.explained = explained
        self.given = {**same_named, **mapped}
        self.places: dict[str, str | None] = dict(self.given)
        self.passed_over: frozenset[str] = frozenset()
        if "annotator" not in mapped and not ("judge" in self.places and self.places.keys() & set(TRUTHS)):
            self.places.pop("annotator", None)  # a person or a judge: the values show which
        self.result = Guess()
        used = {column for column in self.places.values() if column is not None} | set(wide)
        self.free = [c for c in sample.columns if c not in used and not is_index(c)]
        self.models: set[str] = set()

    def guess_columns(self) -> None:
        self._models_of_answers()
        self._judge()
        self._author()
        self._verdict()
        self._truth()
        self._question()
        pair = "opponent" in self.places
        if pair and "first" not in self.places:
            self._choose("first", self._is_order, ask=False)
        self._responses(pair)
        self._choose(RUN, self.sample.is_run, ask=False)
        for name in (*_TEXTS, *_LABELS):
            self._choose(name, self.sample.is_text if name in _TEXTS else self.sample.is_label, ask=False)
        if "criterion" not in self.places and not pair:
            self._choose("rubric_id", self.sample.is_label, ask=False)
        self._take_id_of_prompt()
        self._tell_verdict_from_truth()
        self._truth_by_key_or_program()
        if not pair:
            self._verdict_of_bad()
        self._category_of_criteria()
        if self.places.keys() & set(TRUTHS):
            self._choose("annotator", self.sample.is_label, ask=False)
        self._scale()

    def columns_of_models(self) -> dict[str, str]:
        """Return, for judge and generator with one name for all rows, a column that has several names.

        It is free, and would have been taken if nobody had given the name.
        """
        fits = {"judge": self._is_judge, "generator": self.sample.is_name}
        constant = [name for name in fits if self.mapped.get(name, "") is None]
        columns = {}
        for name in constant:
            hits = self._matches(name, fits[name])
            several = [column for column in hits if len(self.sample.labels(column).keys() - NO_VERDICT) > 1]
            if several:
                columns[name] = several[0]
        return columns

    def columns_without_verdicts(self) -> frozenset[str]:
        """Return the free columns that have no verdicts, as their names or the questions show."""
        if self.places.keys() & set(_VERDICTS):
            return frozenset()
        question = self.places.get("instance_id") or self.places.get("prompt")
        return frozenset(column for column in self.free if has_no_verdicts(self.sample, column, question))

    def forget_columns(self) -> None:
        """Go back to the given columns; what one of the others says is not guessed by other signs."""
        self.passed_over = frozenset(self.result.map)
        self.places = {name: self.given[name] for name in DECLARED if name in self.given}
        self.result = Guess()

    def guess_beyond_columns(self, *, scores_have_one: bool) -> None:
        """Guess what no column says: values of a flag, the order of pairs, and the only criterion.

        Unless `scores_have_one`, scores without a criterion are of whole answers.
        """
        if self.wide:
            self._name_judges()
        self._values_of_order()
        self._values_of_ok()
        filled = self.places.keys() | self.passed_over
        if "opponent" in self.places and "first" not in filled and (reason := self._reason_for_first()):
            self.result.set["first"] = "generator"
            self.result.notes.append(
                f"{reason}, so that {self.places['generator']!r} is taken to be the answer shown first "
                f"({self.spelling.constant('first', 'unknown')} if it was not)"
            )
        self._source_of_truth()
        if not filled & {"rubric_id", "criterion", "opponent", "paradigm"} and (
            self._has_truth_values() or (scores_have_one and "reference_score" in self.places)
        ):
            if columns := self._columns_of_repeats():
                self.result.open["rubric_id"] = columns
                return
            self.result.set["rubric_id"] = OVERALL
            what = "scores" if "reference_score" in self.places else "verdicts"
            given = self.spelling.constant("rubric_id", OVERALL)
            self.result.notes.append(
                f"no column names a criterion: all {what} are on one, {OVERALL!r} ({given})"
            )
        if RUN not in filled and (runs := tuple(filter(self.sample.is_run, self._columns_of_repeats()))):
            self.result.open[RUN] = runs

    def _source_of_truth(self) -> None:
        """Say that a program or a key decided what is true, where the name of its column says so."""
        names = ("reference_met", "reference_score")
        columns = [column for name in names if (column := self.places.get(name)) is not None]
        if self.places.keys() & {"reference_source", "annotator"} or len(columns) != 1:
            return
        column, human = columns[0], self.spelling.constant("reference_source", "human")
        if is_of_program(column):
            self.result.set["reference_source"] = "program"
            self.result.notes.append(
                f"{column!r} is taken for what a program decided ({human} if people did)"
            )
        elif is_of_key(column):
            self.result.set["reference_source"] = "gold"
            program = self.spelling.constant("reference_source", "program")
            self.result.notes.append(
                f"{column!r} is taken for a key, the source 'gold' ({human} if people decided, {program} if "
                "a program did)"
            )

    def _category_of_criteria(self) -> None:
        """Take a category that differs among a question's criteria for what each of them is about."""
        column = self.places.get("category")
        question = self.places.get("instance_id") or self.places.get("prompt")
        criterion = self.places.get("rubric_id") or self.places.get("criterion")
        if column is None or question is None or criterion is None:
            return
        if "category" in self.mapped or "axis" in self.places:
            return
        if not self._differs_within(question, column, criterion):
            return
        del self.places["category"]
        self.result.map.pop("category", None)
        self.places["axis"] = self.result.map["axis"] = column
        self.result.notes.append(
            f"{column!r} differs among the criteria of a question, so it is taken for what each is about "
            f"({self.spelling.columns({'theme': column})} if it is a topic)"
        )

    def _differs_within(self, question: str, column: str, part: str) -> bool:
        """Return whether a column differs in a question, and has one value for each part of it."""
        return not self.sample.has_one_for_each(column, question) and self.sample.has_one_for_each(
            column, question, part
        )

    def _scale(self) -> None:
        """Take the column that has the top of the scale of scores: one number, or one for each judge."""
        score = self.places.get("score")
        if score is None or self.places.keys() & {"scale", "opponent", "paradigm"}:
            return
        if self._choose("scale", lambda column: bool(self._tops(column, score)), ask=False):
            column = str(self.places["scale"])
            tops = sorted(set(self._tops(column, score).values()))
            which = f"{tops[0]:g}" if len(tops) == 1 else f"{tops[0]:g} to {tops[-1]:g}, one for each judge"
            self.result.notes.append(
                f"{column!r} is taken for the top of the scale of {score!r} ({which}), by which scores are "
                f"divided ({self.spelling.without([column])} if it is something else)"
            )

    def _tops(self, column: str, score: str) -> dict[str, float]:
        """Return each judge's top of the scale by a column; none if that varies or scores do not fit it.

        A few scores above it are mistakes, and their rows will be left out.
        """
        tops: dict[str, float] = {}
        judge, scores, n_above = self.places.get("judge"), [], 0
        for row in self.sample.rows:
            if (number := number_of(value_at(row, score))) is None:
                continue
            scores.append(number)
            top = number_of(value_at(row, column))
            whose = str(value_at(row, judge)) if judge else ""
            if top is None or number < 0 or tops.setdefault(whose, top) != top:
                return {}
            n_above += number > top
        return tops if max(scores, default=0) > 1 and n_above <= MOST_MISTAKES * len(scores) else {}

    def _columns_of_repeats(self) -> tuple[str, ...]:
        """Return the columns that tell apart rows which are alike in all else that is known of them.

        Each of their values stands in several places: an id of the row alone would tell all rows apart. As
        long as nobody knows who answered or what, authors and questions tell rows apart, and nothing is said.
        """
        if "generator" not in self.places or not self.places.keys() & {"instance_id", "prompt"}:
            return ()
        verdicts = {self.places.get(name) for name in (*_VERDICTS, *TRUTHS, *_REMARKED)}
        identity = [column for column in self.places.values() if column and column not in verdicts]
        places = [tuple(str(value_at(row, column)) for column in identity) for row in self.sample.rows]
        if len(set(places)) == len(places):
            return ()
        columns = []
        for column in self.free:
            values = [str(value_at(row, column)) for row in self.sample.rows]
            tells_apart = len(set(zip(places, values, strict=True))) == len(places)
            if tells_apart and self.sample.is_label(column) and 2 * len(set(values)) <= len(values):
                columns.append(column)
        return tuple(columns)

    def _take(self, name: str, column: str) -> None:
        self.places[name] = self.result.map[name] = column
        self.free.remove(column)

    def _choose(self, name: str, fits: Callable[[str], bool], *, ask: bool = True) -> bool:
        """Take the column that alone has the first group of synonyms present; note several if `ask`."""
        if name in self.places:
            return True
        hits = self._candidates(name, fits)
        if len(hits) == 1:
            self._take(name, hits[0])
            return True
        if hits and ask:
            self.result.open[name] = tuple(hits)
        return False

    def _column_for(self, name: str, fits: Callable[[str], bool]) -> str | None:
        """Return the column that is known to be one of ours, or that would be taken for it."""
        if name in self.places:
            return self.places[name]
        hits = self._candidates(name, fits)
        return hits[0] if len(hits) == 1 else None

    def _are_equal(self, columns: Sequence[str]) -> bool:
        first, *others = (self.sample.values(column) for column in columns)
        return all(other == first for other in others)

    def _models_of_answers(self) -> None:
        for name, other, place in (("generator", "opponent", 0), ("opponent", "generator", 1)):
            column = self.places.get(other)
            if name not in self.places and column is not None:
                partners = [p for p in sided(self.sample.columns) if column == (p.second, p.first)[place]]
                hits = [(p.first, p.second)[place] for p in partners]
                if len(hits) == 1 and hits[0] in self.free and self.sample.is_name(hits[0]):
                    self._take(name, hits[0])
        if not self.places.keys() & {"generator", "opponent"}:
            self._pair_of_models()
        if self._choose("generator", self.sample.is_name):
            # A judge's own column may be called a baseline's only if the table is of pairs.
            self._choose("opponent", self.sample.is_name)
        elif not self.places.keys() & {"generator", "opponent"}:
            self._may_be_pair()
        for name in ("generator", "opponent"):
            column = self.places.get(name)
            if column is not None:
                self.models |= set(self.sample.labels(column))

    def _pair_of_models(self) -> None:
        pairs = [
            p for p in sided(self.free) if self.sample.is_name(p.first) and self.sample.is_name(p.second)
        ]
        mapped = (
            [p for p in pairs if self._share_of_models(p) > 0.5]
            or [p for p in pairs if p.may_be_models]
            or [p for p in pairs if self._names_judges(p)]
        )
        told_by_name = [p for p in mapped if "model" in p.words]
        best = told_by_name if len(mapped) > 1 and told_by_name else mapped
        if len(best) == 1:
            self._take("generator", best[0].first)
            self._take("opponent", best[0].second)
        elif best:
            self.result.open["generator"] = tuple(pair.first for pair in best)

    def _may_be_pair(self) -> None:
        """Note the one pair of columns that says nothing but the sides, and has the same names on both."""
        pairs = [
            pair
            for pair in sided(self.free)
            if (not pair.words or pair.may_be_texts)
            and self.sample.is_name(pair.first)
            and self.sample.is_name(pair.second)
            and self.sample.labels(pair.first).keys() & self.sample.labels(pair.second).keys()
        ]
        if len(pairs) == 1 and "generator" not in self.result.open:
            self.result.open |= {"generator": (pairs[0].first,), "opponent": (pairs[0].second,)}

    def _names_judges(self, pair: SidedColumns) -> bool:
        """Return whether both columns have names that a column called like the judges' has too."""
        column = self.places.get("judge")
        called = [name for group in DECLARED["judge"].groups() for name in group]
        columns = [column] if column is not None else matching(self.free, called)
        judges = {name for each in columns if self.sample.is_name(each) for name in self.sample.labels(each)}
        return all(judges & self.sample.labels(each).keys() for each in (pair.first, pair.second))

    def _share_of_models(self, pair: SidedColumns) -> float:
        names = {str(value) for c in (pair.first, pair.second) for value in self.sample.values(c)}
        return sum(resolve(name).state == "sure" for name in names) / max(len(names), 1)

    def _judge(self) -> None:
        if "judge" in self.places or self.wide:
            return
        if self._choose("judge", self._is_judge) or "judge" in self.result.open:
            return
        if judges := wide_judges(self.sample, self.free, self.models, pairs="opponent" in self.places):
            self.result.judges = judges
            self.free = [column for column in self.free if column not in judges]
            return
        hits = [c for c in self.free if self.sample.is_name(c) and self._holds_models(c)]
        if len(hits) == 1 and self.models:
            self._take("judge", hits[0])
        elif hits:
            self.result.open["judge"] = tuple(hits)

    def _author(self) -> None:
        """Take for the author of the answers the one other column of judges' names, whatever it is called.

        Not one called like a winner or an opponent, nor one that nearly always names the judge itself.
        """
        judge, answered = self.places.get("judge"), {"generator", "opponent"}
        if judge is None or (self.places.keys() | self.result.open.keys()) & answered:
            return
        judges = self.sample.labels(judge).keys()
        others = {
            each for name in ("choice", "opponent") for each in self._candidates(name, self.sample.is_name)
        }
        hits = []
        for column in (each for each in self.free if each not in others and self.sample.is_name(each)):
            names = self.sample.labels(column).keys()
            n_own = sum(value_at(row, column) == value_at(row, judge) for row in self.sample.rows)
            if len(names & judges) > max(1, len(names) // 2) and 2 * n_own <= len(self.sample.rows):
                hits.append(column)
        if len(hits) == 1:
            self._take("generator", hits[0])
            self.models |= set(self.sample.labels(hits[0]))
        elif hits:
            self.result.open["generator"] = tuple(hits)

    def _name_judges(self) -> None:
        """Call the judges of the columns that the user named as they would be if nobody had named these."""
        pairs = "opponent" in self.places
        names = wide_judges(self.sample, self.wide, self.models, pairs=pairs)
        self.result.judges = {column: names.get(column, column) for column in self.wide}
        if renamed := [f"{name} of {column!r}" for column, name in names.items() if column != name]:
            self.result.notes.append(f"the judges are named as other tables have them: {join_names(renamed)}")

    def _is_judge(self, column: str) -> bool:
        """Return whether a column may be the judges': annotators may be people, unless named like models."""
        may_be_people = plain(column).startswith(("annotat", "label", "vote"))
        return self.sample.is_name(column) and (not may_be_people or self._holds_models(column))

    def _holds_models(self, column: str) -> bool:
        """Return whether most values of a column are answering models, or models by their names."""
        labels = self.sample.labels(column)
        if labels.keys() & self.models:
            return True
        return sum(resolve(name).state != "unknown" for name in labels) > len(labels) / 2

    def _verdict(self) -> None:
        if self.wide or self.result.judges or self.places.keys() & set(_VERDICTS):
            return
        if "opponent" in self.places or "opponent" in self.result.open:
            if not self._choose("choice", self._is_choice) and "choice" not in self.result.open:
                column = self.places.get("preference")
                if "judge" in self.places and column is not None and "preference" not in self.mapped:
                    del self.places["preference"]  # with a judge and no other verdict it is the judge's
                    self.places["choice"] = self.result.map["choice"] = column
            return
        candidates = {
            "met": self._candidates("met", self._is_truth),
            "score": self._candidates("score", self._is_score),
        }
        columns = [*dict.fromkeys((*candidates["met"], *candidates["score"]))]
        if len(columns) == 1:
            self._take("met" if candidates["met"] else "score", columns[0])
        elif columns:
            self.result.open["met" if candidates["met"] else "score"] = tuple(columns)

    def _candidates(self, name: str, fits: Callable[[str], bool]) -> list[str]:
        """Return the columns of the first group of synonyms present, or one of those that are equal."""
        hits = self._matches(name, fits)
        return hits[:1] if hits and self._are_equal(hits) else hits

    def _matches(self, name: str, fits: Callable[[str], bool]) -> list[str]:
        """Return the columns that have the first group of synonyms present."""
        hits = ([each for each in matching(self.free, g) if fits(each)] for g in DECLARED[name].groups())
        return next(filter(None, hits), [])

    def _truth(self) -> None:
        if self.places.keys() & set(TRUTHS):
            return
        if "opponent" in self.places:
            name, fits = "preference", self._is_choice
        elif self._candidates("reference_met", self._is_truth):
            name, fits = "reference_met", self._is_truth
        else:
            name, fits = "reference_score", self._is_score
        if not self._choose(name, fits, ask=False):
            hits = self._candidates(name, fits)
            if len(hits) > 1:
                self.result.undecided.append(
                    f"{' and '.join(map(repr, hits))} may each be what is true; neither is taken "
                    f"({self.spelling.columns({name: 'FIELD'})} names one)"
                )
            elif not hits:
                self._truth_of_people()

    def _truth_of_people(self) -> None:
        """Take the one column that is named after people and has values like the judges' verdicts."""
        if "opponent" in self.places:
            name, judged, fits = "preference", "choice", self._is_choice
        elif "score" in self.places:
            name, judged, fits = "reference_score", "score", self._is_score
        else:
            name, judged, fits = "reference_met", "met", self._is_truth
        judges = [*self.wide, *self.result.judges]
        verdict = self.places.get(judged)
        if verdict is None and judges and ("opponent" in self.places or self._has_truth_values()):
            verdict = judges[0]
        if verdict is None:
            return
        has_judges = bool(self.places.get("judge") or judges)
        people = _OF_PEOPLE | _OF_PEOPLE_OR_JUDGES if has_judges else _OF_PEOPLE
        hits = [
            column
            for column in self.free
            if _is_of(people, column) and fits(column) and self._is_on_scale_of(column, verdict)
        ]
        if len(hits) == 1:
            self._take(name, hits[0])
        elif hits:
            self.result.undecided.append(self._undecided(name, hits))

    def _is_on_scale_of(self, column: str, verdict: str) -> bool:
        """Return whether all values of a column are verdicts too, or lie between two of them."""
        verdicts = self.sample.labels(verdict).keys() | NO_VERDICT
        others = self.sample.labels(column).keys() - verdicts
        scores = [number for each in verdicts if (number := number_of(each)) is not None]
        numbers = [number for each in others if (number := number_of(each)) is not None]
        if scores and len(numbers) == len(others):
            return all(min(scores) <= number <= max(scores) for number in numbers)
        words = SIDES.keys() | self.models if "opponent" in self.places else MET.keys()
        return others <= words

    def _tell_verdict_from_truth(self) -> None:
        """Read the verdicts from a column that judges decide, where one was taken that none does."""
        names = ("choice",) if "opponent" in self.places else ("met", "score")
        if self.mapped.keys() & set(_VERDICTS) or self.wide or self.result.judges:
            return
        current = [column for name in names if (column := self.places.get(name)) is not None]
        maybe = current or [column for name in names for column in self.result.open.get(name, ())]
        if not maybe or len(current) > 1 or (things := self._things()) is None:
            return
        others = [c for c in self.free if c not in maybe and self._may_be_verdict(c, names)]
        spread = {column: self._dependence(column, things) for column in (*maybe, *others)}
        called = [column for column in others if self._is_called(column, names)]
        if current and called and may_be_true(current[0]) and not spread[current[0]].several:
            self._leave_verdict_open([*current, *called], names)
            return
        rivals = [column for column in others if spread[column].differing]
        rivals = [column for column in rivals if column in called] or (
            [] if current and is_plainly_of_judges(current[0]) else rivals
        )
        verdicts = [c for c in maybe if not current and spread[c].differing] or rivals
        truths = [column for column in maybe if column not in verdicts]
        if truths and all(spread[t].is_truth_beside(spread[v]) for v in verdicts for t in truths):
            if len(verdicts) > 1:
                self._leave_verdict_open(verdicts, names)
            elif verdicts:
                self._take_verdict(verdicts[0], truths, names)

    def _leave_verdict_open(self, columns: Sequence[str], names: Sequence[str]) -> None:
        self._forget_verdict(names)
        self.result.open[self._verdict_name(columns[0], names)] = tuple(columns)

    def _forget_verdict(self, names: Sequence[str]) -> None:
        for name in names:
            self.result.open.pop(name, None)
            self.result.map.pop(name, None)
            if (column := self.places.pop(name, None)) is not None:
                self.free.append(column)

    def _take_verdict(self, verdict: str, truths: Sequence[str], names: Sequence[str]) -> None:
        """Take a column for what judges said, and the only one of the truths for what is true."""
        self._forget_verdict(names)
        name = self._verdict_name(verdict, names)
        self._take(name, verdict)
        do = "does" if len(truths) == 1 else "do"
        note = (
            f"{join_names(list(map(repr, truths)))} {do} not depend on who judged, and {verdict!r} does, "
            "which is taken for what judges said"
        )
        if len(truths) == 1 and not self.places.keys() & set(TRUTHS):
            self._take(self._truth_name(truths[0]), truths[0])
            note += f", and {truths[0]!r} for what is true ({self.spelling.without(truths)} if it is not)"
        else:
            note += f" ({self.spelling.columns({name: 'FIELD'})} names another)"
        self.result.notes.append(note)

    def _things(self) -> list[str] | None:
        """Return the columns that say what a judge judged; None if question, author or judge are unknown.

        For an author who is to be named by the user, the columns of models and answers stand in.
        """
        question = self.places.get("instance_id") or self.places.get("prompt")
        if question is None or "judge" not in self.places:
            return None
        names = ("generator", "opponent", "rubric_id", "criterion", "first")
        columns = {column for name in names if (column := self.places.get(name)) is not None}
        if "generator" not in self.places:
            authors = {c for c in self.free if self.sample.is_name(c) and self._holds_models(c)}
            authors |= {*self.result.open.get("generator", ()), self.places.get("response") or ""} - {""}
            if not authors:
                return None
            columns |= authors
        return [question, *sorted(columns)]

    def _dependence(self, column: str, things: Sequence[str]) -> Dependence:
        """Return how far a column depends on the judge; not at all where all rows are of one."""
        judge = self.places["judge"]
        return Dependence(0, 0) if judge is None else dependence(self.sample, column, judge, things)

    def _may_be_verdict(self, column: str, names: Sequence[str]) -> bool:
        """Return whether a column is called like verdicts, or has their words and is called nothing else."""
        if self._is_called(column, names):
            return True
        labels = self.sample.labels(column).keys() - NO_VERDICT
        words = set(plain(column.rpartition(".")[2]).split("_"))
        is_something_else = bool(words & NO_TRUTHS) or true_is_bad(column, labels)
        return "met" in names and len(labels) > 1 and labels <= MET.keys() and not is_something_else

    def _is_called(self, column: str, names: Sequence[str]) -> bool:
        fits = {"choice": self._is_choice, "met": self._is_truth, "score": self._is_score}
        groups = (group for name in names for group in DECLARED[name].groups())
        return any(matching([column], group) for group in groups) and any(
            fits[each](column) for each in names
        )

    def _verdict_name(self, column: str, names: Sequence[str]) -> str:
        return names[0] if len(names) == 1 or self._is_truth(column) else "score"

    def _truth_name(self, column: str) -> str:
        if "opponent" in self.places:
            return "preference"
        return "reference_met" if self._is_truth(column) else "reference_score"

    def _truth_by_key_or_program(self) -> None:
        """Take the one column that is named after a key, a test or success, and that no judge decides."""
        if self.places.keys() & {*TRUTHS, "opponent"}:
            return
        judged = self.wide or self.result.judges or self.places.keys() & {"met", "score"}
        columns = self.free if judged else filter(is_of_program, self.free)
        things = self._things()
        hits = [column for column in columns if self._is_truth_by_name(column, things)]
        if len(hits) == 1:
            self._take("reference_met", hits[0])
        elif hits:
            self.result.undecided.append(self._undecided("reference_met", hits))

    def _is_truth_by_name(self, column: str, things: Sequence[str] | None) -> bool:
        if not (is_of_program(column) or is_of_key(column) or may_be_true(column)):
            return False
        labels = self.sample.labels(column).keys() - NO_VERDICT
        if len(labels) < 2 or not labels <= MET.keys():
            return False
        spread = self._dependence(column, things) if things is not None else None
        if spread is not None and spread.differing:
            return False
        if is_of_program(column):
            return True
        question = self.places.get("instance_id") or self.places.get("prompt")
        if is_of_key(column):
            return question is None or not self._is_of_questions_alone(column, question)
        is_beside_judges = bool(self.wide or self.result.judges)
        return is_beside_judges or (spread is not None and spread.is_none)

    def _is_of_questions_alone(self, column: str, question: str) -> bool:
        """Return whether a column is about the question, of which there are several answers or criteria."""
        others = (self.places.get(name) for name in ("generator", "rubric_id", "criterion"))
        several = [
            each for each in others if each is not None and not self.sample.has_one_for_each(each, question)
        ]
        return bool(several) and is_of_questions(self.sample, column, question)

    def _verdict_of_bad(self) -> None:
        """Take the one column by whose name true is bad, for want of others; its meaning is asked about."""
        filled = self.places.keys() | self.result.open.keys()
        if filled & {*_VERDICTS, "opponent"} or self.wide or self.result.judges:
            return
        question = self.places.get("instance_id") or self.places.get("prompt")
        columns = [c for c in self.free if question is None or not is_of_questions(self.sample, c, question)]
        hits = [c for c in columns if true_is_bad(c, self.sample.labels(c).keys() - NO_VERDICT)]
        if any(self._may_be_verdict(column, ("met",)) for column in columns if column not in hits):
            return
        if len(hits) == 1 and ("judge" in self.places or not self.places.keys() & set(TRUTHS)):
            self._take("met", hits[0])
        elif hits:
            self.result.open["met"] = tuple(hits)

    def _undecided(self, name: str, columns: Sequence[str]) -> str:
        return (
            f"{join_names(list(map(repr, columns)))} may each be what is true; none is taken "
            f"({self.spelling.columns({name: 'FIELD'})} names one)"
        )

    def _has_truth_values(self) -> bool:
        """Return whether the verdicts are true or false, so that they need a criterion."""
        if "met" in self.places:
            return True
        judges = [*self.wide, *self.result.judges]
        if not judges or "opponent" in self.places:
            return False
        labels = {label for column in judges for label in self.sample.labels(column)} - NO_VERDICT
        return bool(labels) and labels <= MET.keys() | OK.keys()

    def _question(self) -> None:
        self._choose("prompt", self.sample.is_prompt, ask=False)
        if "instance_id" in self.places:
            return
        groups = DECLARED["instance_id"].groups()
        for number, group in enumerate(groups):
            hits = [column for column in matching(self.free, group) if self.sample.is_id(column)]
            if number == len(groups) - 1 and "prompt" in self.places:
                hits = [column for column in hits if not self._is_row_number(column)]
            if len(hits) == 1 or (hits and self._are_equal(hits)):
                self._take("instance_id", hits[0])
            elif hits and "prompt" not in self.places:
                self._take_id_among(hits)
            if hits:
                return
        if "prompt" in self.places:
            return
        texts = set(filter(self.sample.is_prompt, matching(self.free, _ANY_TEXT)))
        rest = [c for c in self.free if self.sample.is_id(c) and self._repeats(c) and c not in texts]
        if self.places.keys() & set(_VERDICTS):  # another such column is what is true, or what judges said
            rest = [column for column in rest if not self._has_words_of_verdicts(column)]
        if "generator" not in self.places:  # which is asked for, and may be a column of models
            rest = [column for column in rest if not self._holds_models(column)]
        ids = [column for column in rest if plain(column).split("_")[-1] in _ID_WORDS]
        ids = ids or [column for column in rest if not self.sample.is_number(column)]
        if len(ids) == 1:
            self._take("instance_id", ids[0])
        elif ids:
            self._take_id_among(ids)

    def _has_words_of_verdicts(self, column: str) -> bool:
        labels = self.sample.labels(column).keys() - NO_VERDICT
        return labels <= MET.keys() and not all(number_of(label) is not None for label in labels)

    def _take_id_among(self, columns: Sequence[str]) -> None:
        """Take the one column by which no judge has two verdicts on an answer; else leave all open."""
        ids = [column for column in columns if self._repeats(column) and self._is_of_single_verdicts(column)]
        if len(ids) != 1:
            self.result.open["instance_id"] = tuple(columns)
            return
        self._take("instance_id", ids[0])
        thing = "pair" if "opponent" in self.places else "answer and criterion"
        self.result.notes.append(
            f"of the columns that may be the question's id, only by {ids[0]!r} no judge has two verdicts on "
            f"one {thing}, so it is taken ({self.spelling.columns({'instance_id': 'FIELD'})} names another)"
        )

    def _is_of_single_verdicts(self, question: str) -> bool:
        """Return whether no judge has two verdicts on an answer if a column has the questions."""
        if "generator" not in self.places or not ("judge" in self.places or self.wide or self.result.judges):
            return False
        parts = [self.places.get(name) for name in ("judge", "generator", "opponent")]
        fits = {"rubric_id": self.sample.is_label, "criterion": self.sample.is_text, RUN: self.sample.is_run}
        if "opponent" in self.places:
            fits = {"first": self._is_order}
        parts += [self._column_for(name, each) for name, each in fits.items()]
        identity = [question, *(column for column in parts if column is not None)]
        verdicts = [tuple(str(value_at(row, column)) for column in identity) for row in self.sample.rows]
        return len(set(verdicts)) == len(verdicts)

    def _take_id_of_prompt(self) -> None:
        """Take the one column that is one to one with the question's text for its id.

        An id made from the text would leave no way back to the file's rows. Both must name several questions
        more than once, or they would agree by chance.
        """
        prompt = self.places.get("prompt")
        if prompt is None or "instance_id" in self.places or not self._repeats(prompt):
            return
        if len(self.sample.labels(prompt)) < _FEWEST_QUESTIONS:
            return
        hits = [column for column in self.free if self._names_each(column, prompt)]
        ids = [column for column in hits if plain(column).split("_")[-1] in _ID_WORDS] or hits
        if len(ids) == 1:
            self._take("instance_id", ids[0])
            self.result.ids_of_texts = True
            self.result.notes.append(
                f"{ids[0]!r} has one value for each text in {prompt!r}, so it is taken for the question's id "
                f"({self.spelling.without(ids)} if it is something else)"
            )

    def _names_each(self, column: str, prompt: str) -> bool:
        """Return whether a column has an id in each row, and is one to one with the questions' texts."""
        values = [str(value) for value in self.sample.values(column)]
        return (
            len(values) == len(self.sample.rows)
            and self.sample.is_id(column)
            and not self.sample.is_share(column)
            and not any(re.search(r"\s", value) or re.fullmatch(r"-?\d*[.,]\d+", value) for value in values)
            and self.sample.has_one_for_each(column, prompt)
            and self.sample.has_one_for_each(prompt, column)
        )

    def _is_row_number(self, column: str) -> bool:
        values = self.sample.values(column)
        return len(set(map(str, values))) == len(values) > 1 and self._repeats(str(self.places["prompt"]))

    def _repeats(self, column: str) -> bool:
        values = list(map(str, self.sample.values(column)))
        return 1 < len(set(values)) < len(values)

    def _values_of_order(self) -> None:
        """Read a flag such as `swapped`: true is the opponent first."""
        column = self.places.get("first")
        if column is None or "first" in self.explained:
            return
        labels = self.sample.labels(column).keys()
        if _SWAPPED.fullmatch(plain(column.rpartition(".")[2])) and labels <= MET.keys():
            meanings = {label: "opponent" if MET[label] else "generator" for label in labels}
            self.result.value["first"] = meanings
            self.result.notes.append(f"a true {column!r} means that the opponent was shown first")

    def _values_of_ok(self) -> None:
        """Read OK and NOT OK as yes and no, where a column has both and no other word."""
        columns = {name: [column] for name in ("met", "reference_met") if (column := self.places.get(name))}
        if "opponent" not in self.places and not self.places.keys() & set(_VERDICTS):
            columns["met"] = [*self.wide, *self.result.judges]
        for name, fields in columns.items():
            labels = {label for column in fields for label in self.sample.labels(column)} - NO_VERDICT
            if name in self.explained or {OK.get(label) for label in labels} != {"yes", "no"}:
                continue
            meanings = {label: OK[label] for label in sorted(labels)}
            self.result.value[name] = meanings
            read = join_names([f"{label!r} as {word}" for label, word in meanings.items()])
            self.result.notes.append(f"{fields[0]!r} has {read}")

    def _responses(self, pair: bool) -> None:
        if not pair:
            if not self._choose("response", self.sample.is_answer, ask=False):
                self._only_text()
            return
        if self.places.keys() & {"response", "opponent_response"}:
            return
        hits = [p for p in sided(self.free) if p.may_be_texts and self.sample.is_answer(p.first)]
        if len(hits) == 1:
            self._take("response", hits[0].first)
            self._take("opponent_response", hits[0].second)

    def _only_text(self) -> None:
        """Take a column that is just called text, if each answer of a question has its own."""
        question = self.places.get("instance_id") or self.places.get("prompt")
        generator = self.places.get("generator")
        hits = [column for column in matching(self.free, _ANY_TEXT) if self.sample.is_prompt(column)]
        if len(hits) != 1 or question is None or generator is None:
            return
        if self._differs_within(question, hits[0], generator):
            self._take("response", hits[0])

    def _is_choice(self, column: str) -> bool:
        return self.sample.is_choice(column, self.models)

    def _is_truth(self, column: str) -> bool:
        return self.sample.is_truth(column, self.models)

    def _is_score(self, column: str) -> bool:
        return self.sample.is_number(column) or self.sample.is_share(column)

    def _is_order(self, column: str) -> bool:
        return self.sample.is_order(column, self.models)

    def _reason_for_first(self) -> str | None:
        """Return why the generator's response was shown first, as far as the table shows it."""
        words = plain(self.places.get("generator") or "").split("_")
        for side, other in (("first", "the second"), ("left", "on the right")):
            if side in words:
                return f"{self.places['opponent']!r} is {other}"
        return "each pair is there both ways round" if self._is_mirrored() else None

    def _is_mirrored(self) -> bool:
        """Return whether nearly all pairs of a question and judge are there twice, once each way round."""
        places = [self.places.get(name) for name in ("judge", "instance_id", "generator", "opponent")]
        judge, instance, generator, opponent = places
        instance = instance or self.places.get("prompt")
        if instance is None or generator is None or opponent is None:
            return False
        ways: dict[tuple[str, ...], list[str]] = {}
        for row in self.sample.rows:
            models = [str(value_at(row, column)) for column in (generator, opponent)]
            who = "" if judge is None else str(value_at(row, judge))
            ways.setdefault((who, str(value_at(row, instance)), *sorted(models)), []).append(models[0])
        both = sum(len(each) == 2 and each[0] != each[1] for each in ways.values())
        return both > 0 and both >= 0.9 * len(ways)


def _is_of(people: Collection[str], column: str) -> bool:
    """Return whether a column's name begins or ends with one of these words and says that they judged."""
    words = plain(column.rpartition(".")[2]).split("_")
    ends = {word.removesuffix("s") for word in (words[0], words[-1])}
    return len(words) > 1 and not ends.isdisjoint(people) and NO_TRUTHS.isdisjoint(words)


def wide_judges(
    sample: FirstRows, columns: Iterable[str], answerers: set[str], *, pairs: bool
) -> dict[str, str]:
    """Return the columns that are named like models and hold verdicts, each with the judge's name.

    `answerers` are the models that answered, in the form for look-ups; `pairs` says whether verdicts are
    sides.
    """
    judges = {}
    words = {*MET, *OK, *NO_VERDICT, *((*SIDES, *answerers) if pairs else ())}
    for column in columns:
        judge = _judge_of(column, answerers)
        labels = sample.labels(column)
        if (
            judge is not None
            and labels
            and all(label in words or number_of(label) is not None or is_share(label) for label in labels)
        ):
            judges[column] = judge
    return judges if len(set(judges.values())) == len(judges) else {column: column for column in judges}


def _judge_of(column: str, answerers: set[str]) -> str | None:
    """Return the model that a column is named after, without words such as `verdict`; None for none."""
    if lookup_key(column) in answerers:
        return column
    parts = column.replace(".", "_").split("_") if "_" in column else column.split(" ")
    joint = "_" if "_" in column else " "
    parts_of_name = [part for part in parts if part.casefold() not in _VERDICT_WORDS]
    if not parts_of_name or {part.casefold() for part in parts_of_name} & _REMARKS:
        return None
    name = joint.join(parts_of_name)
    return name if lookup_key(name) in answerers or resolve(name).state == "sure" else None
