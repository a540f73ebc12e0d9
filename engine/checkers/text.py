"""How checkers read a text: its words, sentences and language; and each instruction in words."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer


# ------------------------------------------------------------------------------
# What instructions count in a text: words, sentences, paragraphs, words in capitals.


Relation = Literal["at least", "less than"]
Count = Annotated[int, pydantic.Field(ge=0)]
Text = Annotated[str, pydantic.Field(min_length=1)]
Texts = Annotated[list[Text], pydantic.Field(min_length=1)]

Check = Callable[[str], bool]
"""Says whether a text meets an instruction."""

MOST_CHARACTERS = 1_000_000
"""A longer text is not split into sentences: no answer of a model is that long, and it would take minutes."""

_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\S+")
# A token ends where the Penn Treebank's conventions part a word from what follows it.
_MARKS = re.compile(r"\.{2,}|--|[][(){}<>\"“”‘’«»„`;@#$%&?!…–—]|[:,](?!\d)|[^\w\s'*.]'|''")
_CLITIC = re.compile(r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)|n't)(?!\w)", re.IGNORECASE)
_JOINED = re.compile(r"\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b", re.IGNORECASE)


class TooLongError(ValueError):
    """A text that is too long for what is asked of it; the instruction gets no verdict."""


def fulfils(count: int, relation: Relation, wanted: int) -> bool:
    """Return whether the count is as the relation asks."""
    return count >= wanted if relation == "at least" else count < wanted


def counted(items: Iterator[object], relation: Relation, wanted: int) -> bool:
    """Return whether there are as many items as asked; none is looked for beyond the wanted number."""
    return fulfils(sum(1 for _ in islice(items, wanted)), relation, wanted)


def words(text: str) -> Iterator[str]:
    """Yield runs of letters, digits and underscores."""
    return (match.group() for match in _WORD.finditer(text))


def sentences(text: str) -> Iterator[str]:
    """Yield sentences as Punkt finds them (Kiss & Strunk 2006), with the English model that NLTK hands out.

    Raises TooLongError for a text of more than a million characters.
    """
    if len(text) > MOST_CHARACTERS:
        raise TooLongError(f"the text has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
    return (text[start:end] for start, end in _splitter().span_tokenize(text))


def capital_words(text: str) -> Iterator[str]:
    """Yield the tokens without a small letter and with a capital one, parted as in the Penn Treebank.

    Contractions are parted too (`CAN'T` is two), and marks from words, but not asterisks or full stops.
    """
    for match in _BLANKS.finditer(text):
        word = match.group()
        if word.isupper() or word != word.lower():  # few words have a capital
            yield from (token for token in _tokens(word) if token.isupper())


def paragraphs(text: str) -> int | None:
    """Return how many paragraphs are parted by `***`, or None where one between two others is blank."""
    parts = re.split(r"\s?\*\*\*\s?", text)
    if any(not part.strip() for part in parts[1:-1]):
        return None
    ends = parts[:1] + parts[1:][-1:]
    return len(parts) - sum(not part.strip() for part in ends)


def _tokens(word: str) -> list[str]:
    parted = _CLITIC.sub(r" \1", _MARKS.sub(" ", word))
    return _JOINED.sub(lambda match: " ".join(filter(None, match.groups())), parted).split()


@cache
def _splitter() -> "PunktSentenceTokenizer":
    import punkt

    return punkt.tokenizer_for("english")


# ------------------------------------------------------------------------------
# What an instruction asks for, in a sentence: the criterion that judges are shown.


Given = Mapping[str, Any]

_RELATIONS = {"at least": "at least", "less than": "fewer than"}
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "de": "German", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "gu": "Gujarati", "hi": "Hindi", "it": "Italian",
    "kn": "Kannada", "ko": "Korean", "mr": "Marathi", "ne": "Nepali", "pa": "Punjabi", "pt": "Portuguese",
    "ru": "Russian", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "ur": "Urdu",
    "vi": "Vietnamese",
}  # fmt: skip

SENTENCES: dict[str, Callable[[Given], str]] = {
    "keywords:existence": lambda k: f"The response contains {_words(k['keywords'])}.",
    "keywords:frequency": lambda k: (
        f"The word {_quoted(k['keyword'])} occurs {_many(k['relation'], k['frequency'], 'time')} "
        "in the response."
    ),
    "keywords:forbidden_words": lambda k: (
        f"The response does not contain {_words(k['forbidden_words'], 'or')}."
    ),
    "keywords:letter_frequency": lambda k: (
        f"The character {_quoted(k['letter'])} occurs {_many(k['let_relation'], k['let_frequency'], 'time')} "
        "in the response (capital or small)."
    ),
    "language:response_language": lambda k: (
        f"The whole response is in {_LANGUAGES.get(k['language'], 'the language ' + k['language'])}."
    ),
    "length_constraints:number_sentences": lambda k: (
        f"The response has {_many(k['relation'], k['num_sentences'], 'sentence')}."
    ),
    "length_constraints:number_paragraphs": lambda k: (
        f"The response has exactly {_many(None, k['num_paragraphs'], 'paragraph')}, parted by ***."
    ),
    "length_constraints:number_words": lambda k: (
        f"The response has {_many(k['relation'], k['num_words'], 'word')}."
    ),
    "length_constraints:nth_paragraph_first_word": lambda k: (
        f"The response has exactly {_many(None, k['num_paragraphs'], 'paragraph')}, parted by blank lines, "
        f"and paragraph {k['nth_paragraph']} begins with the word {_quoted(k['first_word'])}."
    ),
    "detectable_content:number_placeholders": lambda k: (
        f"The response has {_many('at least', k['num_placeholders'], 'placeholder')} in square brackets, "
        "such as [name]."
    ),
    "detectable_content:postscript": lambda k: (
        f"The response ends with a postscript that begins with {_quoted(k['postscript_marker'])}."
    ),
    "detectable_format:number_bullet_lists": lambda k: (
        f"The response has exactly {_many(None, k['num_bullets'], 'bullet point')} in Markdown (* or -)."
    ),
    "detectable_format:constrained_response": lambda _: (
        'The response contains one of "My answer is yes.", "My answer is no." and "My answer is maybe."'
    ),
    "detectable_format:number_highlighted_sections": lambda k: (
        f"The response has {_many('at least', k['num_highlights'], 'passage')} between Markdown asterisks."
    ),
    "detectable_format:multiple_sections": lambda k: (
        f"The response has {_many('at least', k['num_sections'], 'section')}, each marked "
        f"{_quoted(k['section_spliter'].strip() + ' X')} with its number for X."
    ),
    "detectable_format:json_format": lambda _: "The whole response is valid JSON.",
    "detectable_format:title": lambda _: (
        "The response has a title in double angular brackets, such as <<title>>."
    ),
    "combination:two_responses": lambda _: (
        "The response gives exactly two different answers, parted by six asterisks: ******."
    ),
    "combination:repeat_prompt": lambda k: (
        f"Before anything else the response repeats this request word for word: {k['prompt_to_repeat']}"
    ),
    "startend:end_checker": lambda k: f"The response ends with this exact phrase: {k['end_phrase']}",
    "startend:quotation": lambda _: "The whole response stands in double quotation marks.",
    "change_case:capital_word_frequency": lambda k: (
        f"The response has {_many(k['capital_relation'], k['capital_frequency'], 'word')} in capital letters."
    ),
    "change_case:english_capital": lambda _: (
        "The whole response is in English and in capital letters, without a small letter."
    ),
    "change_case:english_lowercase": lambda _: (
        "The whole response is in English and in small letters, without a capital letter."
    ),
    "punctuation:no_comma": lambda _: "The response contains no comma.",
}
"""What each instruction type of IFEval asks for, with the arguments of its checker."""


def criterion(checker: str, kwargs: Given) -> str:
    """Return what a shipped checker asks of a response, with arguments that `make_check` accepts.

    Raises KeyError for a checker that is not shipped.
    """
    return SENTENCES[checker](kwargs)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _words(words: list[str], last: str = "and") -> str:
    *listed, final = [_quoted(word) for word in words]
    return f"the words {', '.join(listed)} {last} {final}" if listed else f"the word {final}"


def _many(relation: str | None, given: int, noun: str) -> str:
    count = int(given)  # a file may have it as text, which the checkers take for a number too
    counted = f"{count:,} {noun}{'' if count == 1 else 's'}"
    return counted if relation is None else f"{_RELATIONS[relation]} {counted}"
