"""Instructions in words, by the name of the checker: the criteria that judges are shown."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.phrases import quantity

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
