"""What questions and criteria are called: by their ids or, where an import made an id of the text, by it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import unknown
from engine.messages import conversation
from engine.phrases import shortened
from engine.slices import BY_RUBRIC, Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

LONGEST = 90
"""Most characters of a text that stands for an id."""

MOST_RECURRING = 60
"""How many criteria of a study are offered to choose among."""

MOST_NAMED = 50
"""How many criteria an error lists."""


def question_names(study: "StudyArrays") -> Mapping[str, str]:
    """Return the name of each question of a study by its id, read once."""
    names: Mapping[str, str] = study.remember("question names", lambda: _of_questions(study))
    return names


def names_of_groups(study: "StudyArrays", by: str | Iterable[str] | None) -> Mapping[str, str]:
    """Return names for the values of what rows are grouped by: texts of criteria for made ids, else none."""
    if by is None or BY_RUBRIC not in ((by,) if isinstance(by, str) else by):
        return {}
    names: Mapping[str, str] = study.remember("criterion names", lambda: _of_criteria(study))
    return names


def criterion_names(study: "StudyArrays") -> Mapping[str, str]:
    """Return the name of each criterion by its id: its text for made ids; none for an id of several texts."""
    ids = dict.fromkeys(study.index.rubric_ids.to_pylist())
    several = ids_of_several_texts(study)
    names = names_of_groups(study, BY_RUBRIC)
    return {each: names.get(each, each) for each in ids if each not in several}


def recurring_criteria(study: "StudyArrays") -> tuple[str, ...]:
    """Return the ids of a study's criteria, sorted, if they are few and each stands in several questions.

    None of a study with an id of several texts, which in each question is that of another criterion.
    """
    counts = study.index.rubric_ids.value_counts()
    times = dict(zip(*(counts.field(name).to_pylist() for name in ("values", "counts")), strict=True))
    if len(times) > MOST_RECURRING or min(times.values(), default=0) < 2 or ids_of_several_texts(study):
        return ()
    return tuple(sorted(times))


def criteria_to_group(study: "StudyArrays") -> NDArray[Any]:
    """Return what each criterion is grouped by, read once: its id, or its text where ids say nothing.

    That is where each id stands in one question alone and most texts recur in others.
    """
    groups: NDArray[Any] = study.remember("criteria to group", lambda: _ids_or_texts(study))
    return groups


def grouped_by_text(study: "StudyArrays") -> bool:
    """Return whether criteria are grouped by their texts, of which each may have several ids."""
    return bool((criteria_to_group(study) != study.index.rubric_ids.to_pylist()).any())


def with_criterion_ids(study: "StudyArrays", spec: Slice) -> Slice:
    """Return a slice whose criteria are named by their ids; see `criterion_ids`."""
    return replace(spec, rubric_id=criterion_ids(study, spec.rubric_id)) if spec.rubric_id else spec


def criterion_ids(study: "StudyArrays", given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the ids of criteria, of which some may be named by their own text.

    A text by which criteria are grouped stands for all that have it. UsageError, which lists the ids with
    their texts, for a criterion that the study does not have, or another text that several have.
    """
    present = set(study.index.rubric_ids.to_pylist())
    if present.issuperset(given):
        return given
    texts: Mapping[str, str] = study.remember("texts of criteria", lambda: _texts_of_criteria(study))
    ids = defaultdict[str, set[str]](set)
    for name, text in texts.items():
        ids[text].add(name)
    whole = ", ".join(given)  # a text with commas, which were taken for those of a list
    given = (whole,) if " ".join(whole.split()) in ids else given
    ids_of = {name: [name] if name in present else sorted(ids[" ".join(name.split())]) for name in given}
    for name, each in ids_of.items():
        if not each or (len(each) > 1 and not grouped_by_text(study)):
            choices = [f"{one} ({shortened(texts[one], LONGEST)!r})" if texts.get(one) else one
                     for one in each or sorted(present)]  # fmt: skip
            hint = "several criteria have this text" if each else ""
            further = ["..."] * (len(choices) > MOST_NAMED)
            raise unknown("criterion id", name, [*choices[:MOST_NAMED], *further], hint)
    return tuple(dict.fromkeys(one for each in ids_of.values() for one in each))


def criterion_words(criterion: str | None, rubric_id: str | None) -> str | None:
    """Return a criterion as people read it: its text, or its id where none is stored; None without both."""
    return criterion or rubric_id


def question_text(prompt: str | None, most: int) -> str:
    """Return a prompt's last message in one line, cut; nothing if the prompt is not stored."""
    messages = conversation(prompt)
    return _in_one_line(messages[-1].text, most) if messages else ""


def whole_question(prompt: str | None) -> str:
    """Return all messages of a prompt; nothing if the prompt is not stored."""
    return "\n\n".join(message.text for message in conversation(prompt))


def texts_of(
    study: "StudyArrays", questions: Iterable[str]
) -> tuple[dict[str, str], dict[tuple[str, str, str], str]]:
    """Return the stored texts of questions, whole, and of the answers to them.

    Questions by their ids; answers by the question's, their author and the transform, `none` for as written.
    """
    where = {"instance_id": tuple(questions)}
    prompts = study.files.table("instances", ("instance_id", "prompt"), where).to_pylist()
    columns = ("instance_id", "generator", "transform", "text")
    answers = study.files.table("responses", columns, where).to_pylist()
    whole = {row["instance_id"]: whole_question(row["prompt"]) for row in prompts}
    return {question: text for question, text in whole.items() if text}, {
        (row["instance_id"], row["generator"], row["transform"] or "none"): row["text"]
        for row in answers
        if row["text"]
    }


def _of_questions(study: "StudyArrays") -> dict[str, str]:
    ids = study.index.instances.to_pylist()
    rows = _rows_of_made_ids(study, "instances", ("instance_id", "prompt"), ids)
    texts = {name: text for name, prompt in rows if (text := question_text(prompt, LONGEST))}
    return {name: name for name in ids} | distinct(texts, ids)


def _of_criteria(study: "StudyArrays") -> dict[str, str]:
    ids = dict.fromkeys(study.index.rubric_ids.to_pylist())
    rows = _rows_of_made_ids(study, "rubrics", ("rubric_id", "criterion"), ids)
    return distinct({name: _in_one_line(text, LONGEST) for name, text in rows if text}, ids)


def _texts_of_criteria(study: "StudyArrays") -> dict[str, str]:
    """Return the text of each criterion in one line by its id; of an id with several texts, none."""
    texts = defaultdict[str, set[str]](set)
    for row in study.files.table("rubrics", ("rubric_id", "criterion")).to_pylist():
        if row["criterion"]:
            texts[row["rubric_id"]].add(" ".join(row["criterion"].split()))
    return {name: each.pop() for name, each in texts.items() if len(each) == 1}


def _ids_or_texts(study: "StudyArrays") -> NDArray[Any]:
    index = study.index
    ids = np.array([*index.rubric_ids.to_pylist(), None], dtype=object)[:-1]
    if len(set(ids)) < len(ids):
        return ids
    of_ids = _texts_of_criteria(study)
    texts = [of_ids.get(name) for name in ids]
    questions = defaultdict[str | None, set[int]](set)
    for text, question in zip(texts, index.layout.instance_of.tolist(), strict=True):
        questions[text].add(question)
    recur = [text is not None and len(questions[text]) > 1 for text in texts]
    if 2 * sum(recur) <= len(ids):
        return ids
    ids[:] = [name if text is None else text for name, text in zip(ids, texts, strict=True)]
    return ids


def ids_of_several_texts(study: "StudyArrays") -> frozenset[str]:
    """Return the ids of criteria that stand for other texts in other questions, read once."""
    names: frozenset[str] = study.remember("ids of several texts", lambda: _of_several_texts(study))
    return names


def _of_several_texts(study: "StudyArrays") -> frozenset[str]:
    columns = ("rubric_id", "criterion")
    pairs = study.files.table("rubrics", columns).group_by(list(columns)).aggregate([])
    times = Counter(pairs["rubric_id"].to_pylist())
    return frozenset(name for name, number in times.items() if number > 1)


def _rows_of_made_ids(
    study: "StudyArrays", table: str, columns: tuple[str, str], ids: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield the ids among these that an import made of texts, with the texts."""
    from engine.importers.reading.format import MADE_ID  # with all that reads files

    if made_ids := [name for name in ids if MADE_ID.fullmatch(name)]:
        stored = study.files.table(table, columns, {columns[0]: made_ids})
        yield from zip(*(stored[column].to_pylist() for column in columns), strict=True)


def _in_one_line(text: str, most: int) -> str:
    return shortened(" ".join(text.split()), most)


def distinct(names: Mapping[str, str], ids: Iterable[str] = ()) -> dict[str, str]:
    """Return names by id, with the id in brackets where several have the same name.

    `ids` are those of all, of which one without a name is called by its id.
    """
    times = Counter([*names.values(), *(each for each in ids if each not in names)])
    return {each: name if times[name] == 1 else f"{name} ({each})" for each, name in names.items()}
