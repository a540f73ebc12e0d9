"""The 25 instruction types of IFEval: their counts in a text, their criteria in words, and their checks."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic

from engine.values import quantity

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer


# ------------------------------------------------------------------------------
# Counts in a text: words, sentences, paragraphs, words in capitals.


Relation = Literal["at least", "less than"]
Count = Annotated[int, pydantic.Field(ge=0)]
Text = Annotated[str, pydantic.Field(min_length=1)]
Texts = Annotated[list[Text], pydantic.Field(min_length=1)]
Letter = Annotated[str, pydantic.Field(min_length=1, max_length=1)]
LanguageCode = Annotated[str, pydantic.Field(pattern="^[a-z]{2,3}(-[a-z]{2})?$")]

Check = Callable[[str], bool]
"""Returns whether a text meets an instruction."""

MOST_CHARACTERS = 1_000_000
"""The longest text to split into sentences: a longer one would take minutes, and is no model's answer."""

_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\S+")
# Tokens are split by the Penn Treebank's conventions.
_MARKS = re.compile(r"\.{2,}|--|[][(){}<>\"“”‘’«»„`;@#$%&?!…–—]|[:,](?!\d)|[^\w\s'*.]'|''")
_CLITIC = re.compile(r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)|n't)(?!\w)", re.IGNORECASE)
_JOINED = re.compile(r"\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b", re.IGNORECASE)


class TooLongError(ValueError):
    """The text is too long for the check; the instruction gets no verdict."""


def fulfils(count: int, relation: Relation, limit: int) -> bool:
    return count >= limit if relation == "at least" else count < limit


def has_count(items: Iterator[object], relation: Relation, limit: int) -> bool:
    """Return whether the number of items satisfies the relation; stops counting at the limit."""
    return fulfils(sum(1 for _ in islice(items, limit)), relation, limit)


def capital_words(text: str) -> Iterator[str]:
    """Yield the tokens with a capital and no small letter, split as in the Penn Treebank.

    Contractions are split too (`CAN'T` is two), and marks from words, but not asterisks or full stops.
    """
    for match in _BLANKS.finditer(text):
        word = match.group()
        if word.isupper() or word != word.lower():  # few words have a capital
            spaced = _CLITIC.sub(r" \1", _MARKS.sub(" ", word))
            spaced = _JOINED.sub(lambda parts: " ".join(filter(None, parts.groups())), spaced)
            yield from filter(str.isupper, spaced.split())


# ------------------------------------------------------------------------------
# Instructions in words: the criteria that judges are shown.


Arguments = Mapping[str, Any]

_RELATIONS = {"at least": "at least", "less than": "fewer than"}
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "de": "German", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "gu": "Gujarati", "hi": "Hindi", "it": "Italian",
    "kn": "Kannada", "ko": "Korean", "mr": "Marathi", "ne": "Nepali", "pa": "Punjabi", "pt": "Portuguese",
    "ru": "Russian", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "ur": "Urdu",
    "vi": "Vietnamese",
}  # fmt: skip

SENTENCES: dict[str, Callable[[Arguments], str]] = {
    "keywords:existence": lambda k: f"The response contains {_word_list(k['keywords'])}.",
    "keywords:frequency": lambda k: (
        f"The word {_quote(k['keyword'])} occurs {_many(k['relation'], k['frequency'], 'time')} "
        "in the response."
    ),
    "keywords:forbidden_words": lambda k: (
        f"The response does not contain {_word_list(k['forbidden_words'], 'or')}."
    ),
    "keywords:letter_frequency": lambda k: (
        f"The character {_quote(k['letter'])} occurs {_many(k['let_relation'], k['let_frequency'], 'time')} "
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
        f"and paragraph {k['nth_paragraph']} begins with the word {_quote(k['first_word'])}."
    ),
    "detectable_content:number_placeholders": lambda k: (
        f"The response has {_many('at least', k['num_placeholders'], 'placeholder')} in square brackets, "
        "such as [name]."
    ),
    "detectable_content:postscript": lambda k: (
        f"The response ends with a postscript that begins with {_quote(k['postscript_marker'])}."
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
        f"{_quote(k['section_spliter'].strip() + ' X')} with its number for X."
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
"""The criterion of each instruction type of IFEval, from the arguments of its checker."""


def _quote(text: str) -> str:
    return f'"{text}"'


def _word_list(words: list[str], conjunction: str = "and") -> str:
    *others, last_word = [_quote(word) for word in words]
    return f"the words {', '.join(others)} {conjunction} {last_word}" if others else f"the word {last_word}"


def _many(relation: str | None, count: int, noun: str) -> str:
    number = quantity(int(count), noun)  # a file may have it as text, which the checkers accept too
    return number if relation is None else f"{_RELATIONS[relation]} {number}"


# ------------------------------------------------------------------------------
# Instructions about the response as a whole, and its parts: `combination:*`, `detectable_content:*`.


def repeat_prompt(prompt_to_repeat: Text) -> Check:
    prompt = prompt_to_repeat.strip().lower()
    return lambda text: text.strip().lower().startswith(prompt)


def two_responses() -> Check:
    """Ask for two different responses, separated by six asterisks; neither may be blank."""

    def check(text: str) -> bool:
        parts = [part.strip() for part in text.split("******")]
        answers = [part for part in parts if part]
        return all(parts[1:-1]) and len(answers) == 2 and answers[0] != answers[1]

    return check


# IFEval's two markers may be written with spaces after the full stops.
_POSTSCRIPTS = {"P.P.S": re.compile(r"p\.\s?p\.\s?s"), "P.S.": re.compile(r"p\.\s?s\.")}


def number_placeholders(num_placeholders: Count) -> Check:
    """Ask for a minimum number of placeholders in square brackets, each within a line."""
    return lambda text: has_count(_bracketed_texts(text), "at least", num_placeholders)


def postscript(postscript_marker: Text) -> Check:
    """Ask for the marker of a postscript; case does not count."""
    marker = postscript_marker.strip()
    pattern = _POSTSCRIPTS.get(marker, re.compile(re.escape(marker.lower())))
    return lambda text: pattern.search(text.lower()) is not None


def _bracketed_texts(text: str) -> Iterator[str]:
    """Yield the text from each opening bracket to the next closing one (a pattern would backtrack)."""
    for line in text.split("\n"):
        end = 0
        while (start := line.find("[", end)) >= 0 and (end := line.find("]", start) + 1) > 0:
            yield line[start:end]


# ------------------------------------------------------------------------------
# Instructions about the format: `detectable_format:*`.


# A single star or a hyphen at the start of a line; the character after a star may be a line break.
_STAR = re.compile(r"^[^\S\n]*+\*[^*].*$", re.MULTILINE)
_HYPHEN = re.compile(r"^[^\S\n]*+-.*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*([^\n*]*)\*")
_STRONG = re.compile(r"\*\*([^\n*]*)\*\*")
_FENCE = re.compile(r"^```(?:json|Json|JSON)?")


def number_bullet_lists(num_bullets: Count) -> Check:
    """Ask for an exact number of bullet points, lines that begin with `*` or `-`."""
    return lambda text: sum(1 for p in (_STAR, _HYPHEN) for _ in p.finditer(text)) == num_bullets


def constrained_response() -> Check:
    allowed = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
    return lambda text: any(answer in text for answer in allowed)


def number_highlighted_sections(num_highlights: Count) -> Check:
    """Ask for a minimum number of non-blank passages between single or double stars."""

    def check(text: str) -> bool:
        passages = (match[1] for pattern in (_EMPHASIS, _STRONG) for match in pattern.finditer(text))
        return has_count((p for p in passages if p.strip()), "at least", num_highlights)

    return check


def multiple_sections(section_spliter: Text, num_sections: Count) -> Check:
    """Ask for a minimum number of sections, each starting with the word and a number (`SECTION 1`)."""
    pattern = re.compile(rf"{re.escape(section_spliter.strip())}\s?\d")
    return lambda text: has_count(pattern.finditer(text), "at least", num_sections)


def json_format() -> Check:
    """Ask that the whole text be JSON, fenced or not."""

    def check(text: str) -> bool:
        try:
            json.loads(_FENCE.sub("", text.strip()).removesuffix("```").strip())
        except ValueError:  # a RecursionError, of JSON nested too deeply, means no verdict
            return False
        return True

    return check


def title() -> Check:
    """Ask for a title in double angular brackets, `<<title>>`, on one line and not blank."""

    def has_title(line: str) -> bool:
        start, end = line.find("<<"), line.rfind(">>")
        return 0 <= start < end - 2 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())

    return lambda text: any(map(has_title, text.split("\n")))


# ------------------------------------------------------------------------------
# Instructions about words and letters: `keywords:*`. Case never counts.


def existence(keywords: Texts) -> Check:
    """Ask for each keyword, possibly inside a word."""
    patterns = [_literal(keyword) for keyword in keywords]
    return lambda text: all(pattern.search(text) for pattern in patterns)


def frequency(keyword: Text, frequency: Count, relation: Relation) -> Check:
    """Ask for at least, or less than, so many occurrences of the keyword, possibly inside words."""
    pattern = _literal(keyword.strip())
    return lambda text: fulfils(sum(1 for _ in pattern.finditer(text)), relation, frequency)


def forbidden_words(forbidden_words: Texts) -> Check:
    """Ask that none of the words occur as a whole word."""
    patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in forbidden_words]
    return lambda text: not any(pattern.search(text) for pattern in patterns)


def letter_frequency(letter: Letter, let_frequency: Count, let_relation: Relation) -> Check:
    """Ask for at least, or less than, so many occurrences of a letter (or another character, such as `#`)."""
    small = letter.lower()
    return lambda text: fulfils(text.lower().count(small), let_relation, let_frequency)


def _literal(keyword: str) -> re.Pattern[str]:
    return re.compile(re.escape(keyword), re.IGNORECASE)


# ------------------------------------------------------------------------------
# Instructions about the language, and about capital and small letters: `language:*`, `change_case:*`.


LONGEST_SAMPLE = 50_000
"""Characters from which the language is detected; langdetect uses at most 10,000 letters of them."""


def response_language(language: LanguageCode) -> Check:
    """Ask for the language of the code (`de`, `zh-cn`); a text without any word passes, as in IFEval."""
    return lambda text: detect_language(text) in (language, None)


def detect_language(text: str) -> str | None:
    """Return the code of the text's language by langdetect; None if it cannot be detected."""
    library = import_module("langdetect")
    library.DetectorFactory.seed = 0  # the same for each text, so that verdicts are reproducible
    try:
        code: str = library.detect(text[:LONGEST_SAMPLE])
    except library.LangDetectException:
        return None
    return code


def capital_word_frequency(capital_frequency: Count, capital_relation: Relation) -> Check:
    return lambda text: has_count(capital_words(text), capital_relation, capital_frequency)


def english_capital() -> Check:
    """Ask for English in capital letters; a text whose language cannot be detected counts as English."""
    return lambda text: text.isupper() and detect_language(text) in ("en", None)


def english_lowercase() -> Check:
    """Ask for English in small letters; a text whose language cannot be detected counts as English."""
    return lambda text: text.islower() and detect_language(text) in ("en", None)


# ------------------------------------------------------------------------------
# Instructions about length: `length_constraints:*`.


_WORD_END = re.compile(r"[.,?!'\"]")


def number_words(num_words: Count, relation: Relation) -> Check:
    return lambda text: has_count(_WORD.finditer(text), relation, num_words)


@cache
def _splitter() -> "PunktSentenceTokenizer":
    import punkt

    return punkt.tokenizer_for("english")


def number_sentences(num_sentences: Count, relation: Relation) -> Check:
    """Ask for so many sentences, split by Punkt (Kiss & Strunk 2006) with NLTK's English model."""

    def check(text: str) -> bool:
        if len(text) > MOST_CHARACTERS:
            raise TooLongError(f"the text has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
        return has_count(_splitter().span_tokenize(text), relation, num_sentences)

    return check


def number_paragraphs(num_paragraphs: Count) -> Check:
    """Ask for an exact number of paragraphs, separated by `***`; none between two others may be blank."""

    def check(text: str) -> bool:
        parts = [part.strip() for part in re.split(r"\s?\*\*\*\s?", text)]
        return all(parts[1:-1]) and sum(map(bool, parts)) == num_paragraphs

    return check


def nth_paragraph_first_word(num_paragraphs: Count, nth_paragraph: Count, first_word: Text) -> Check:
    """Ask for an exact number of paragraphs, separated by blank lines, the nth beginning with the word.

    Blank paragraphs do not count towards the number, but do in finding the nth, as in IFEval. The word ends
    at the first full stop, comma, question, exclamation or quotation mark; case does not count.
    """

    def check(text: str) -> bool:
        parts = text.split("\n\n")
        size = sum(bool(part.strip()) for part in parts)
        if size != num_paragraphs or not 1 <= nth_paragraph <= size:
            return False
        first, *_ = parts[nth_paragraph - 1].split(maxsplit=1) or [""]
        start = first.lstrip("'").lstrip('"')
        return _WORD_END.split(start, maxsplit=1)[0].lower() == first_word.lower() and bool(first)

    return check


# ------------------------------------------------------------------------------
# Instructions about punctuation, the beginning and the end: `punctuation:*`, `startend:*`.


def no_comma() -> Check:
    return lambda text: "," not in text


def end_checker(end_phrase: Text) -> Check:
    """Ask for the phrase at the end, quoted or not; case does not count."""
    phrase = end_phrase.strip().lower()
    return lambda text: text.strip().strip('"').lower().endswith(phrase)


def quotation() -> Check:
    return lambda text: len(bare := text.strip()) > 1 and bare[0] == bare[-1] == '"'
