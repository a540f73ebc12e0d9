"""Writes responses that meet or fail IFEval's instructions as required."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# ------------------------------------------------------------------------------
# A draft of a response: the sentences of its topic, their layout, and the text around them.


DEFAULT_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class Topic:
    """Sentences about one subject: ten that always fit, and two with each of two words that those lack."""

    topic: str
    theme: str
    subject: str
    title: str
    sentences: Sequence[str]
    words: Mapping[str, Sequence[str]]
    question: str
    answer: str
    reason: str
    foreign: Mapping[str, str] | None = None


@dataclass(slots=True)
class Draft:
    """A draft of a response: sentences of its topic, their layout, and the text around them."""

    topic: Topic
    rng: np.random.Generator
    lead: str = ""
    size: int = DEFAULT_SENTENCES
    added: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    text: str | None = None
    changes: list[Callable[[list[str]], list[str]]] = field(default_factory=list)
    layout: Callable[[list[str]], str] | None = None
    head: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    ending: str | None = None
    finish: Callable[[str], str] = str

    def pick(self, *choices: str) -> str:
        """Draw one of several texts."""
        return choices[int(self.rng.integers(len(choices)))]

    def write(self) -> str:
        """Return the response."""
        order = self.rng.permutation(len(self.topic.sentences))[: self.size]
        sentences = [*self.first, *(self.topic.sentences[i] for i in order), *self.added]
        if self.lead:
            sentences.insert(0, self.lead)
        for change in self.changes:
            sentences = change(sentences)
        body = self.text or (self.layout or prose)(sentences)
        parts = [*self.head, body, *self.tail, *([self.ending] if self.ending else [])]
        return self.finish("\n".join(parts))


def prose(sentences: list[str]) -> str:
    """Lay sentences out in one paragraph, or in two if there are many."""
    middle = (len(sentences) + 1) // 2
    halves = [sentences[:middle], sentences[middle:]] if len(sentences) > DEFAULT_SENTENCES else [sentences]
    return "\n\n".join(" ".join(half) for half in halves)


def parts(count: int, joint: str, start: str = "") -> Callable[[list[str]], str]:
    """Return the layout in `count` parts; `start` may have a placeholder for the part's number."""

    def layout(sentences: list[str]) -> str:
        cut = np.array_split(np.arange(len(sentences)), count)
        return joint.join(
            start.format(n) + " ".join(sentences[i] for i in part) for n, part in enumerate(cut, start=1)
        )

    return layout


# ------------------------------------------------------------------------------
# One writer for each instruction: it changes a draft so that its text meets or fails the instruction.


Kwargs = Mapping[str, Any]
Writer = Callable[[Draft, Kwargs, bool], None]

_MOST, _MANY, _FEWEST = 10, 8, 3
_ASIDE = "To begin with, it helps to know the basics."
_SEND = "[name]", "[address]", "[phone]", "[date]"
_OPENERS = {
    "meanwhile": "Meanwhile there is more to say.",
    "often": "Often the small things count.",
    "today": "Today this matters more than ever.",
}
_RARE = {
    "q": (
        "Quite a few people request quick answers to questions like this.",
        "It is quite easy to quiz a friend about it.",
    )
}


def _existence(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    used = kwargs["keywords"] if met else kwargs["keywords"][1:]
    draft.added += [draft.topic.words[word][0] for word in used]


def _frequency(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    draft.added += draft.topic.words[kwargs["keyword"]][: kwargs["frequency"] - (not met)]


def _forbidden(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    if not met:
        draft.added.append(draft.topic.words[draft.pick(*kwargs["forbidden_words"])][0])


def _letter(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    letter, count = kwargs["letter"], kwargs["let_frequency"]
    if letter == "#":
        tags = [f"#{word}" for word in draft.topic.title.lower().split()]
        tags = [*tags, f"#{draft.topic.theme}", f"#{draft.topic.topic}", "#more"][: count - (not met)]
        draft.tail.append(" ".join(tags))
    elif letter == "!":
        marked = count if met else count - 2

        def shout(sentences: list[str]) -> list[str]:
            return [s[:-1] + "!" if i < marked else s for i, s in enumerate(sentences)]

        draft.changes.append(shout)
    elif met:
        draft.added += _RARE[letter]


def _language(draft: Draft, _: Kwargs, met: bool) -> None:
    if met and draft.topic.foreign is not None:
        draft.text = draft.topic.foreign["text"]


def _length(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    draft.lead = ""
    draft.size = _MOST if met == (kwargs["relation"] == "at least") else _FEWEST


def _paragraphs(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    count = kwargs["num_paragraphs"]
    wrong = {"too many": parts(count + 1, "\n***\n"), "blank lines": parts(count, "\n\n")}
    draft.layout = parts(count, "\n***\n") if met else wrong[draft.pick(*wrong)]


def _first_word(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    count, nth = kwargs["num_paragraphs"], kwargs["nth_paragraph"]

    def layout(sentences: list[str]) -> str:
        paragraphs = parts(count, "\n\n")(sentences).split("\n\n")
        if met:
            paragraphs[nth - 1] = f"{_OPENERS[kwargs['first_word']]} {paragraphs[nth - 1]}"
        return "\n\n".join(paragraphs)

    draft.layout = layout


def _placeholders(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    blanks = _SEND[: kwargs["num_placeholders"] - (not met)]
    draft.tail.append(f"For more please write to {' or '.join(blanks) or 'me'}.")


def _postscript(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    more = "Tell me if you would like to hear more."
    draft.tail.append(
        f"{kwargs['postscript_marker']} {more}" if met else draft.pick(f"By the way: {more}", more)
    )


def _bullets(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    count = kwargs["num_bullets"]
    wrong = {"one less": count - 1, "one more": count + 1, "numbers": 0}
    listed = count if met else wrong[draft.pick(*wrong)]
    draft.size = max(draft.size, count + 2)

    def layout(sentences: list[str]) -> str:
        items = sentences[-(listed or count) :]
        lines = [f"- {item}" if listed else f"{n}. {item}" for n, item in enumerate(items, start=1)]
        return "\n".join([" ".join(sentences[: -len(items)]), *lines])

    draft.layout = layout


def _constrained(draft: Draft, _: Kwargs, met: bool) -> None:
    answer = draft.topic.answer
    draft.lead = ""
    draft.first[:0] = [f"My answer is {answer}." if met else f"{answer.capitalize()}.", draft.topic.reason]


def _highlights(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    marked = kwargs["num_highlights"] - (not met)

    def mark(sentences: list[str]) -> list[str]:
        return [_emphasised(s) if i < marked else s for i, s in enumerate(sentences)]

    draft.changes.append(mark)


def _emphasised(sentence: str) -> str:
    first = sentence.split(" ", 2)
    return " ".join([f"*{' '.join(first[:2])}*", *first[2:]])


def _sections(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    mark, count = kwargs["section_spliter"], kwargs["num_sections"]
    wrong = {
        "fewer": parts(count - 1, "\n\n", f"{mark} {{}}\n"),
        "unnumbered": parts(count, "\n\n", "Next\n"),
    }
    draft.layout = parts(count, "\n\n", f"{mark} {{}}\n") if met else wrong[draft.pick(*wrong)]


def _json(draft: Draft, _: Kwargs, met: bool) -> None:
    def layout(sentences: list[str]) -> str:
        written = json.dumps({"title": draft.topic.title, "points": sentences}, indent=1)
        return f"```json\n{written}\n```" if fenced else written

    fenced = draft.pick("yes", "no") == "yes"
    if met:
        draft.lead = ""
        draft.layout = layout
    elif draft.pick("prose", "talk") == "talk":
        draft.lead = ""
        draft.layout = lambda sentences: f"Here is the JSON that you asked for.\n{layout(sentences)}"


def _title(draft: Draft, _: Kwargs, met: bool) -> None:
    title = draft.topic.title
    draft.head.append(f"<<{title}>>" if met else draft.pick(title, f"Title: {title}", f"<{title}>"))


def _two(draft: Draft, _: Kwargs, met: bool) -> None:
    draft.size = max(draft.size, DEFAULT_SENTENCES + 1)
    draft.layout = parts(2, "\n******\n") if met else _not_two(draft)


def _not_two(draft: Draft) -> Callable[[list[str]], str]:
    """Return the layout of one response, or of two that are separated otherwise."""
    wrong = {"one": prose, "separated otherwise": parts(2, "\n\nOr else:\n\n")}
    return wrong[draft.pick(*wrong)]


def _repeat(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    if met:
        draft.head.insert(0, kwargs["prompt_to_repeat"] + "\n")
    else:
        draft.head.insert(
            0, draft.pick(f"You asked about {draft.topic.subject}.", "Here is my answer.") + "\n"
        )


def _end(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    phrase = kwargs["end_phrase"]
    draft.ending = phrase if met else draft.pick("That is all for now.", f"{phrase} Best wishes.")


def _quotation(draft: Draft, _: Kwargs, met: bool) -> None:
    if met:
        draft.finish = lambda text: f'"{text}"'
    elif draft.pick("none", "first only") == "first only":
        draft.finish = lambda text: f'"{text}'


def _capitals(draft: Draft, kwargs: Kwargs, met: bool) -> None:
    count, at_least = kwargs["capital_frequency"], kwargs["capital_relation"] == "at least"
    loud = (count if met else count - 2) if at_least else (count - 2 if met else count + 1)
    draft.size = max(draft.size, loud)

    def raise_voice(sentences: list[str]) -> list[str]:
        calm = [f"Some {s[0].lower()}{s[1:]}" if s.startswith("A ") else s for s in sentences]
        calm = [s.replace("Some a ", "One ") for s in calm]
        return [_last_word_up(s) if i < loud else s for i, s in enumerate(calm)]

    draft.changes.append(raise_voice)


def _last_word_up(sentence: str) -> str:
    start, _, last = sentence.rpartition(" ")
    return f"{start} {last.upper()}"


def _upper(draft: Draft, _: Kwargs, met: bool) -> None:
    draft.size = max(draft.size, _MANY)  # so that its language can be detected
    if met:
        draft.finish = _after(draft.finish, str.upper)
    else:
        draft.changes.append(lambda sentences: [sentences[0].upper(), *sentences[1:]])


def _lower(draft: Draft, _: Kwargs, met: bool) -> None:
    if met:
        draft.finish = _after(draft.finish, str.lower)


def _after(last: Callable[[str], str], first: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: last(first(text))


def _commas(draft: Draft, _: Kwargs, met: bool) -> None:
    if not met and draft.text is None:
        draft.first.append(_ASIDE)
    elif not met and draft.text is not None:
        draft.text = draft.text.replace(". ", ", ", 1)


WRITERS: dict[str, Writer] = {
    "keywords:existence": _existence,
    "keywords:frequency": _frequency,
    "keywords:forbidden_words": _forbidden,
    "language:response_language": _language,
    "length_constraints:number_sentences": _length,
    "length_constraints:number_words": _length,
    "punctuation:no_comma": _commas,
    "detectable_format:constrained_response": _constrained,
    "keywords:letter_frequency": _letter,
    "change_case:capital_word_frequency": _capitals,
    "detectable_format:number_highlighted_sections": _highlights,
    "length_constraints:number_paragraphs": _paragraphs,
    "length_constraints:nth_paragraph_first_word": _first_word,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:multiple_sections": _sections,
    "detectable_format:json_format": _json,
    "combination:two_responses": _two,
    "detectable_format:title": _title,
    "combination:repeat_prompt": _repeat,
    "detectable_content:number_placeholders": _placeholders,
    "detectable_content:postscript": _postscript,
    "startend:end_checker": _end,
    "startend:quotation": _quotation,
    "change_case:english_capital": _upper,
    "change_case:english_lowercase": _lower,
}
"""The writers in order of application: content, layout, text around it, case of letters."""


# ------------------------------------------------------------------------------
# Writing a response that meets or fails IFEval's instructions as required.


_ORDER = list(WRITERS)


def write_response(
    topic: Topic,
    instructions: Sequence[tuple[str, Kwargs]],
    met: Sequence[bool],
    rng: np.random.Generator,
    lead: str = "",
) -> str:
    """Write a response that meets or fails each instruction as `met` says, after a model's `lead`."""
    draft = Draft(topic, rng, lead)
    wanted = sorted(zip(instructions, met, strict=True), key=lambda item: _ORDER.index(item[0][0]))
    for (checker, kwargs), meets in wanted:
        WRITERS[checker](draft, kwargs, meets)
    return draft.write()
