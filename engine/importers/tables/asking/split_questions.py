"""One question or criterion under several ids: verdicts under different ids are not compared.

Ids are text as written, so nothing is joined here; whoever imports is warned.
"""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.importers.reading.format import MADE_ID
from engine.importers.reading.invisible import with_plain_blanks
from engine.importers.reading.rows import excerpt
from engine.importers.reading.study_builder import Judged, StudyBuilder
from engine.importers.repeated_criteria import words_key
from engine.phrases import join_names, part_of, plural, quantity
from engine.store.study_files import StudyFiles

_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")


@dataclass(frozen=True, slots=True)
class _Question:
    """A question: its id, its text if it has one, and who judged it and whose answers."""

    id: str
    text: str | None
    judged: Judged

    @property
    def name(self) -> str:
        """Its id, or its text if the id is made from that."""
        return self.text if self.text is not None and MADE_ID.fullmatch(self.id) else self.id


def split_questions(builder: StudyBuilder, whole_ids: str | None) -> Iterator[str]:
    """Yield cautions on questions and criteria of an import that may be one under several ids.

    Those are meant whose ids or texts are alike, and of which no judge judged the same author's answer. If
    there are none, a caution is yielded on judges and authors that share no question with any other.
    `whole_ids` is the option that reads the id 1.0 as 1, if there is one.
    """
    judged = _by_question(builder.judged)
    questions = [
        _Question(str(row["instance_id"]), row.get("prompt"), judged[row["instance_id"]])
        for row in builder.rows.get("instances", {}).values()
        if row["instance_id"] in judged
    ]
    most = max(2, len(builder.judges) * len(builder.authors))
    of_questions = [*_apart(_groups(questions), most)]
    remedy = "write one id in all rows"
    if (
        whole_ids is not None
        and of_questions
        and len({each.removesuffix(".0") for each in of_questions[0]}) == 1
    ):
        remedy = f"give {whole_ids}"
    if of_questions:
        yield _caution("question", "ids", of_questions, remedy)
    if of_criteria := [*_criteria_apart(builder)]:
        yield _caution("criterion", "wordings", of_criteria, "write it in one way in all rows")
    if not of_questions and not of_criteria:
        yield from _alone(builder)


def _caution(thing: str, names: str, pairs: Sequence[tuple[str, str]], remedy: str) -> str:
    one, other = map(excerpt, pairs[0])
    such_as = f"{one!r} and {other!r}" if one != other else f"{one!r}, which differ in blanks"
    return (
        f"{quantity(len(pairs), thing)} may each be there under several {names}, such as {such_as}: the "
        f"verdicts under one are not compared with those under another; if they are the same, {remedy}"
    )


def questions_of_study(builder: StudyBuilder, study: StudyFiles) -> str:
    """Return a caution on new questions that are like one of the study; empty without any."""
    rows = study.table("instances", ["instance_id", "prompt"]).to_pylist()
    stored: dict[str, str | None] = {row["instance_id"]: row["prompt"] for row in rows}
    new = [row for row in builder.rows.get("instances", {}).values() if row["instance_id"] not in stored]
    places: dict[Hashable, str] = {}
    for name, text in stored.items():
        for key in _keys(name, text):
            places.setdefault(key, name)
    pairs = []
    for row in new:
        name, text = str(row["instance_id"]), row.get("prompt")
        hits = [places[key] for key in _keys(name, text) if key in places]
        same = [each for each in hits if not _differ(text, stored[each])]
        pairs += [(name, same[0])] if same else []
    if not pairs:
        return ""
    one, other = pairs[0]
    of = part_of(len(pairs), len(new), "new question")
    return (
        f"{of} may be there under another id, such as {one!r} and {other!r}: the verdicts under one are not "
        "compared with those under another. If they are the same, write the ids as the study has them"
    )


def _keys(name: str, text: str | None) -> list[Hashable]:
    by_id = ("id", id_key(name))
    return [by_id] if text is None else [by_id, ("text", hash(with_plain_blanks(text)))]


def _differ(one: str | None, other: str | None) -> bool:
    """Return whether two questions have texts, and others."""
    return None not in (one, other) and with_plain_blanks(str(one)) != with_plain_blanks(str(other))


def id_key(name: str) -> str:
    """Return what spellings of an id share: `Q 007`, `q-7` and `Q_7`; `1e6`, `1000000.0` and `1,000,000`."""
    text = with_plain_blanks(unicodedata.normalize("NFKC", name)).casefold()
    number = text.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", text) else text
    if re.fullmatch(r"[-+]?\d+(\.\d+)?(e[-+]?\d{1,2})?", number) and float(number).is_integer():
        return str(int(float(number)))
    return _ZEROS.sub("", re.sub(r"[\W_]+", "-", text).strip("-")) or text


def _by_question(judged: Mapping[tuple[str, str | None], Judged]) -> dict[str, Judged]:
    """Return who judged each question, on any criterion."""
    questions: dict[str, Judged] = {}
    for (question, _), each in judged.items():
        questions.setdefault(question, Judged()).add(each)
    return questions


def _groups(questions: Sequence[_Question]) -> Iterator[list[_Question]]:
    """Yield groups of questions with one text, and of questions without another text whose ids are alike."""
    by_text: dict[str, list[_Question]] = {}
    by_id: dict[str, list[_Question]] = {}
    for each in questions:
        if each.text is not None:
            by_text.setdefault(with_plain_blanks(each.text).casefold(), []).append(each)
        by_id.setdefault(id_key(each.id), []).append(each)
    yield from by_text.values()
    for group in by_id.values():
        texts = {each.text for each in group}
        if None in texts and len(texts) < 3:
            yield group


def _apart(groups: Iterable[list[_Question]], most: int) -> Iterator[tuple[str, str]]:
    """Yield two of each group of up to `most` questions of which no judge judged the same author."""
    for group in groups:
        if 1 < len(group) <= most and (pair := _pair_apart([(each.name, each.judged) for each in group])):
            yield pair


def _pair_apart(things: Sequence[tuple[str, Judged]]) -> tuple[str, str] | None:
    for place, (name, judged) in enumerate(things):
        for other, others in things[:place]:
            if not judged.judges_of_authors & others.judges_of_authors:
                return other, name
    return None


def _criteria_apart(builder: StudyBuilder) -> Iterator[tuple[str, str]]:
    """Yield two criteria of each question whose texts, or ids, are alike, as for questions."""
    groups: dict[tuple[str, str], list[tuple[str, Judged]]] = {}
    for row in builder.rows.get("rubrics", {}).values():
        question, name = row["instance_id"], row["rubric_id"]
        if (judged := builder.judged.get((question, name))) is not None:
            words = row.get("criterion") or name
            groups.setdefault((question, words_key(words)), []).append((words, judged))
    for group in groups.values():
        if len(group) > 1 and (pair := _pair_apart(group)):
            yield pair


def _alone(builder: StudyBuilder) -> Iterator[str]:
    """Yield a caution on judges, and one on authors, that share no question with any other.

    Where all share some, it is on judges that share no criterion.
    """
    judged = _by_question(builder.judged).values()
    cautions = [
        _sharing_none(builder.judges, [each.judges for each in judged], "judge", "question"),
        _sharing_none(builder.authors, [each.authors for each in judged], "author", "question"),
    ]
    if not any(cautions):
        judges = [each.judges for (_, name), each in builder.judged.items() if name is not None]
        cautions = [_sharing_none(builder.judges, judges, "judge", "criterion")]
    yield from filter(None, cautions)


def _sharing_none(names: Mapping[str, int], masks: Sequence[int], role: str, thing: str) -> str:
    """Return a caution on models that share no thing with another; `masks` are of the models of each."""
    present, together = 0, 0
    for mask in masks:
        present |= mask
        together |= mask if mask.bit_count() > 1 else 0
    alone = [name for name, number in names.items() if present & ~together & (1 << number)]
    if not alone or present.bit_count() < 2:
        return ""
    shares = "shares" if len(alone) == 1 else "share"
    who = f"{join_names(list(map(repr, alone)), 4)} {shares} no {thing} with another {role}"
    if not together:
        who = f"no two {role}s share a {thing}"
    return (
        f"{who}, so that nothing is compared between them; if {plural(thing)} are the same, name them alike "
        "in all rows"
    )
