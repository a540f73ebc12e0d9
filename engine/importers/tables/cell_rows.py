"""The rows of a study that a row of cells becomes, which have the names of a table's columns.

A table finds its cells by the user's mapping, a declared format by its own; from there on both are read here.
"""

import math
import re
from collections.abc import Hashable, Sequence, Set
from typing import Any, Protocol

from engine import paradigms, schema
from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import instance_of
from engine.importers.reading.rows import (
    OVERALL,
    BadRowError,
    Choice,
    ImportStats,
    Row,
    UnknownValueError,
    number_of,
)
from engine.importers.reading.study_builder import InstanceRows, StudyBuilder, StudyRows
from engine.importers.tables.asking.questions import letter_meanings
from engine.importers.tables.asking.scale_checks import ScaleCheck, refuse_beyond_scale
from engine.importers.tables.own_columns import OwnColumns
from engine.importers.tables.people import People
from engine.importers.tables.table_cells import met_of, optional_number, score_of, texts_of, verdict_of
from engine.importers.tables.table_columns import RUN
from engine.importers.tables.verdict_words import (
    BOTH_ORDERS,
    LETTERS,
    PLACES,
    is_no_verdict,
    lookup_key,
    may_name_a_model,
    names_a_place,
    order_named,
    side_at,
    side_named,
)
from engine.phrases import quantity
from engine.values import text_key

_PERSON, _PERSON_OF_PAIRS = "human", "human:reference"
"""The sources of what is true, if the table names none and each thing has one verdict."""

_SOURCE = schema.TABLES["references"].column("source")
_ABOUT_INSTANCES = ("prompt", "category", "theme", "language", "segment", "reference_answer")
_ABOUT_RUBRICS = ("criterion", "axis", "options")
_COUNTS = ("prompt_tokens", "completion_tokens", "latency_s", "cost_usd")
_REQUIRED = {"rubric": "rubric_id", "dimension": "rubric_id", "pair": "opponent", "list": "ordering"}
_JUDGED = ("choice", "met", "score", "p_generator")
_VERDICTS = {"rubric": ("met",), "pair": ("choice", "p_generator")}
"""The column that a judgment must fill, and those of which a verdict fills one (else score), by subject."""

_RANGES = {
    "response": (0, 1, "{} is not from 0 to 1 ({} divides it)"),
    "dimension": (0, 10, "{} is not from 0 to 10 ({} divides it)"),
    "words": (-math.inf, 0, "{} is above 0, which no mean log-probability is"),
}
"""The lowest and highest score, and what is wrong with any other, with places for its name and the option."""

_SCALED = ("response", "options")
"""What is judged by scores that are fractions of a scale from 0."""


class Meaning(Protocol):
    """What is known of all cells: our columns among them, and in what words their verdicts are."""

    @property
    def verdict(self) -> str | None:
        """Our column for the cells of a wide table, in which each judge has a column."""
        ...

    @property
    def scales_truth(self) -> bool:
        """Whether true scores are on the judges' scale, and are divided likewise."""
        ...

    @property
    def needs_verdict(self) -> bool:
        """Whether each row has somebody's verdict, and is not a question or an answer alone."""
        ...

    @property
    def names(self) -> Set[str]: ...

    @property
    def has_order(self) -> bool:
        """Whether a column says which response was shown first."""
        ...

    @property
    def is_in_our_words(self) -> bool:
        """Whether `a` is the generator and nothing else."""
        ...


class CellReader:
    """Reads rows of cells; `options` has the fields of our columns, for errors, and how ids are read."""

    def __init__(self, options: ImportOptions, tally: ImportStats) -> None:
        self.options, self.tally = options, tally
        self._pairs, self._verdicts = People(), People()
        self._sides: dict[tuple[str, frozenset[str]], str] = {}
        self._by_person: dict[tuple[object, ...], object] = {}
        self._contradictions = 0
        self._made_ids: dict[int, str] = {}
        self.scale_check = ScaleCheck()
        self.own = OwnColumns()
        self.meaning: Meaning

    def finish(self, builder: StudyBuilder) -> None:
        """Settle whose each theme is and name people without an id by their order, once all rows are read."""
        builder.share_themes()
        self.own.write(builder)
        for people, table, source, things in (
            (self._pairs, "preferences", _PERSON_OF_PAIRS, quantity(len(self._pairs.repeated), "pair")),
            (self._verdicts, "references", _PERSON, _criteria_of_answers(self._verdicts.repeated)),
        ):
            if people.repeated:
                builder.rename_source(table, source, self._person(1))
                by_majority = people is self._pairs or "reference_met" in self.meaning.names
                note = people.note(things, self._person, self.options.spelling, by_majority=by_majority)
                self.tally.note(note, is_caution=True)
        if self._contradictions:
            self.tally.note(
                "true verdicts that contradict an earlier one of the same source on the same thing, and are "
                f"not stored: {self._contradictions:,}",
                is_caution=True,
            )

    def read(self, cells: Row, meaning: Meaning) -> StudyRows:
        """Return the judgment of a row, with its question, rubric, responses and references."""
        self.meaning = meaning
        about = texts_of(cells, _ABOUT_INSTANCES)
        if not meaning.needs_verdict and "generator" not in meaning.names:
            question = cells.text("instance_id")
            self.own.take(about, question)
            return InstanceRows(question, **about).tables
        question = self._instance(cells) or self._by_prompt(cells)
        self.own.take(about, question)
        generator, pair = cells.text("generator"), cells.maybe_text("opponent")
        rubric = cells.maybe_text("rubric_id")
        if rubric is None and cells.values.get("criterion") is not None:
            rubric = self._made_id(cells.text("criterion"))
        theme = about.pop("theme", None)
        if rubric is None:
            about["theme"] = theme
        rows = InstanceRows(question, **about)
        if rubric is not None:  # with its theme, which becomes the question's if all its criteria agree
            about = texts_of(cells, _ABOUT_RUBRICS)
            self.own.take(about, question, rubric)
            rows.rubric(rubric, **about, points=optional_number(cells, "points"), theme=theme)
        models = {"response": generator, "opponent_response": pair}
        for column in (name for name in cells.values if name in models):  # in the order of the mapping
            if (model := models[column]) is not None:
                rows.response(model, cells.words(column))
        has_judge = "judge" in cells.values
        judgment = self._judgment(cells, generator, pair, rubric) if has_judge else {}
        contradictions = self._contradictions
        self._truth(rows, cells, generator, pair, rubric)  # last: a bad row is nobody's vote
        if has_judge:
            rows.judgment(**judgment)
        else:
            unnamed = BadRowError(f"no {self.options.map.get('judge', 'judge')}")
            has_truth = bool(rows.tables.keys() & {"references", "preferences"})
            if meaning.needs_verdict and not has_truth:
                if self._contradictions > contradictions:
                    raise BadRowError("a truth that contradicts an earlier one of the same source")
                raise unnamed
            has_verdict = any(not is_no_verdict(cells.values.get(name)) for name in _JUDGED)
            self.tally.no_judge += has_truth and (has_verdict or meaning.needs_verdict)
            if has_truth and has_verdict:
                self.tally.keep_truth_alone(cells.file, cells.number, unnamed)
        return rows.tables

    def _by_prompt(self, cells: Row) -> str:
        """Return the id of a question that has none: its text's."""
        if cells.values.get("prompt") is None:
            raise BadRowError(f"neither {self.options.map.get('instance_id', 'instance_id')} nor prompt")
        return self._made_id(cells.text("prompt"))

    def _made_id(self, text: str) -> str:
        """Return an id made from a text, that of its first spelling."""
        return self._made_ids.setdefault(hash(text_key(text)), instance_of(text))

    def _instance(self, cells: Row) -> str | None:
        """Return the question's id as written; with `--whole-ids` 1.0 is 1."""
        name = cells.maybe_text("instance_id")
        whole = re.fullmatch(r"(-?\d+)\.0+", name) if name and self.options.whole_ids else None
        return name if whole is None else whole[1]

    def _judgment(self, cells: Row, generator: str, pair: str | None, rubric: str | None) -> dict[str, Any]:
        has_scores = self.meaning.names & {"met", "score"} == {"score"}
        first = self._first(cells, generator, pair)
        side = self._side(cells, "choice", generator, pair, first)
        spelling = self.options.spelling
        default_paradigm, verdict = verdict_of(cells, pair, side, spelling, has_scores=has_scores)
        paradigm = cells.maybe_text("paradigm") or default_paradigm
        if paradigm not in paradigms.PARADIGMS:
            raise BadRowError("paradigm is not one of " + ", ".join(paradigms.PARADIGMS), paradigm)
        subject = paradigms.TRAITS[paradigm].subject
        if "score" in verdict and "scale" in cells.values and subject in _SCALED:
            self.scale_check.check_score(cells, verdict["score"])
        low, high, problem = _RANGES.get(subject, (-math.inf, math.inf, ""))
        if "score" in verdict and not low <= verdict["score"] <= high:
            raise BadRowError(
                problem.format(spelling.name("score"), spelling.constant("scale", "10")), verdict["score"]
            )
        row = {
            "judge": cells.text("judge"),
            "paradigm": paradigm,
            "generator": generator,
            "opponent": pair,
            "rubric_id": None if subject in ("response", "pair") else rubric,
            **{name: cells.maybe_text(name) for name in (RUN, "variant", "explanation", "raw")},
            **{name: cells.values[name] for name in _COUNTS if name in cells.values},
            **verdict,
        }
        if subject == "pair":
            is_resolved = lookup_key(cells.values.get("first")) == BOTH_ORDERS
            row["first"] = None if is_resolved else first or "unknown"
        required, verdicts = _REQUIRED.get(subject), _VERDICTS.get(subject, ("score",))
        if required is not None and row.get(required) is None:
            if self._is_half_a_pair(cells, pair):
                raise BadRowError(f"no opponent{self._where_none('opponent')}")
            raise BadRowError(f"no {required}, which {paradigm} needs{self._where_none(required)}")
        if row["status"] == "ok" and all(row.get(name) is None for name in verdicts):
            raise BadRowError(f"no {' or '.join(verdicts)}, which {paradigm} needs")
        return row

    def _is_half_a_pair(self, cells: Row, pair: str | None) -> bool:
        """Return whether a row of a table of pairs has no opponent, and no verdict on an answer alone."""
        is_judged_alone = any(cells.values.get(name) is not None for name in ("met", "score", "paradigm"))
        return pair is None and "opponent" in self.meaning.names and not is_judged_alone

    def _where_none(self, name: str) -> str:
        """Return which columns of the file have nothing for one of ours, if some were named for it."""
        either = ("rubric_id", "criterion") if name == "rubric_id" else (name,)
        fields = [repr(self.options.map[each]) for each in either if each in self.options.map]
        return f", and none is in {' or '.join(fields)}" if fields else ""

    def _first(self, cells: Row, generator: str, pair: str | None) -> Choice | None:
        """Return which response was shown first; None if the row does not say so."""
        value = cells.values.get("first")
        if pair is None or is_no_verdict(value) or lookup_key(value) == BOTH_ORDERS:
            return None
        first = order_named(value, generator, pair)
        if first is None:
            name, says = self._words_for("first")
            raise UnknownValueError(f"{name} names neither answer ({says} says which)", "first", value)
        return first

    def _side(
        self, cells: Row, name: str, generator: str, pair: str | None, first: Choice | None
    ) -> Choice | None:
        """Return the side that a cell names, a word for a place by the order shown; None if it names none."""
        value = cells.values.get(name)
        if pair is None or value is None:
            return None
        models = {lookup_key(generator): generator, lookup_key(pair): pair}
        is_open = first == "opponent" and not self.meaning.is_in_our_words
        if is_open and may_name_a_model(value, models):
            meanings = letter_meanings([lookup_key(value)])
            answers = " or ".join(self.options.spelling.meanings(name, each) for each in meanings)
            word = self.options.spelling.name(name)
            what = "is a letter, of" if lookup_key(value) in LETTERS else "may name"
            raise BadRowError(f"{word} {what} a model or a place ({answers} says which)", value)
        if self.meaning.has_order and names_a_place(value, models):
            if first is None:
                word = self.options.spelling.name(name)
                raise BadRowError(
                    f"{word} names a place, and the row does not say which was shown first", value
                )
            return side_at(PLACES[lookup_key(value)], first)
        side = side_named(value, generator, pair)
        if side is None and not is_no_verdict(value):
            word, says = self._words_for(name)
            raise UnknownValueError(f"{word} names neither side ({says} says which)", name, value)
        return side

    def _words_for(self, name: str) -> tuple[str, str]:
        """Return what a column of sides is called, and what gives a value a meaning."""
        spelling = self.options.spelling
        return spelling.name(name), spelling.meanings(name, {"VALUE": "a"})

    def _truth(
        self, rows: InstanceRows, cells: Row, generator: str, pair: str | None, rubric: str | None
    ) -> None:
        """Add the references and preferences of a row."""
        source = cells.maybe_text("reference_source") or _PERSON
        has_reference = {"reference_met", "reference_score"} & cells.values.keys()
        if rubric is not None and has_reference:
            if source not in _SOURCE.choices and not re.fullmatch(f"(?s:{_SOURCE.pattern})", source):
                words = "reference_source is not a plain name, human:<id> or committee:<name>"
                raise BadRowError(words, source)
            met = met_of(cells, "reference_met", self.options.spelling)
            score = score_of(cells, "reference_score")
            if score is not None and self.meaning.scales_truth:
                score /= number_of(cells.values.get("scale")) or 1
                refuse_beyond_scale(cells, "reference_score", score)
            thing = (rows.key["instance_id"], generator, rubric)
            gold: str | None = source
            if met is not None or score is not None:
                gold = self._source(cells, source, thing, (met, score), self._verdicts)
            if gold is not None:
                rows.reference(gold, generator, rubric, met=met, score=score)
        elif has_reference:
            self.tally.note(
                "reference_met and reference_score are about a criterion: they are not stored in rows "
                f"without one; to store them, give {self.options.spelling.constant('rubric_id', OVERALL)}",
                is_caution=True,
            )
        preference = cells.values.get("preference")
        if pair is not None and not is_no_verdict(preference):
            first = self._first(cells, generator, pair)
            side = self._side(cells, "preference", generator, pair, first)
            if side is not None:
                self._preference(rows, cells, source, side, generator, pair)

    def _preference(
        self, rows: InstanceRows, cells: Row, source: str, side: Choice, generator: str, pair: str
    ) -> None:
        """Add which response is better; all votes on a pair are stored the same way round."""
        thing = (rows.key["instance_id"], frozenset((generator, pair)))
        if self._sides.setdefault(thing, generator) != generator:
            generator, pair, side = pair, generator, side if side == "tie" else side_at(side, "opponent")
        gold = self._source(cells, source, thing, side, self._pairs)
        if gold is not None:
            rows.preference(_PERSON_OF_PAIRS if gold == _PERSON else gold, side, generator, pair)

    def _source(
        self, cells: Row, source: str, thing: Hashable, verdict: Hashable, people: People
    ) -> str | None:
        """Return whose verdict a row has; None for one that contradicts the same person's earlier verdict."""
        if source == _PERSON and (person := cells.maybe_text("annotator")):
            source = person if person.startswith("human:") else f"human:{person}"
        if source != _PERSON:
            earlier = self._by_person.setdefault((source, thing), verdict)
            if earlier != verdict:
                self._refuse_if_strict("what is true contradicts an earlier row of the same source", verdict)
                self._contradictions += 1
            return source if earlier == verdict else None
        is_long = "judge" in cells.values and self.meaning.verdict is None
        once = is_long or people is self._verdicts
        number = people.number(thing, verdict, None if once else (cells.file, cells.number))
        if once and number > 1:
            names = self.options.spelling.columns({"annotator": "FIELD"})
            self._refuse_if_strict(f"what is true contradicts an earlier row ({names} names people)", verdict)
        return source if number == 1 else self._person(number)

    def _refuse_if_strict(self, reason: str, verdict: object) -> None:
        """Raise BadRowError, with `strict`, for a true verdict that differs from an earlier one."""
        if self.tally.strict:
            each = verdict if not isinstance(verdict, tuple) else next(v for v in verdict if v is not None)
            raise BadRowError(reason, each)

    def _person(self, number: int) -> str:
        """Return the name of a person without an id, by the order of the rows."""
        return f"human:unnamed-{number}" if "annotator" in self.meaning.names else f"human:{number}"


def _criteria_of_answers(things: Sequence[Any]) -> str:
    """Return `5 criteria of 2 answers`, of (question, model, criterion); or `2 answers` as a whole."""
    answers = quantity(len({thing[:2] for thing in things}), "answer")
    if all(rubric == OVERALL for _, _, rubric in things):
        return answers
    return f"{quantity(len(things), 'criterion')} of {answers}"
