"""Parts of the sentences of `instruction_rules`: quoted words, lists of them, counts, languages."""

from engine.phrases import quantity

_RELATIONS = {"at least": "at least", "less than": "fewer than"}
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "de": "German", "en": "English", "es": "Spanish",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "gu": "Gujarati", "hi": "Hindi", "it": "Italian",
    "kn": "Kannada", "ko": "Korean", "mr": "Marathi", "ne": "Nepali", "pa": "Punjabi", "pt": "Portuguese",
    "ru": "Russian", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "ur": "Urdu",
    "vi": "Vietnamese",
}  # fmt: skip


def quoted(text: str) -> str:
    return f'"{text}"'


def word_list(words: list[str], conjunction: str = "and") -> str:
    *others, last_word = [quoted(word) for word in words]
    return f"the words {', '.join(others)} {conjunction} {last_word}" if others else f"the word {last_word}"


def many(relation: str | None, count: int, noun: str) -> str:
    number = quantity(int(count), noun)  # a file may have it as text, which the checkers accept too
    return number if relation is None else f"{_RELATIONS[relation]} {number}"


def language_name(code: str) -> str:
    return _LANGUAGES.get(code, f"the language {code}")
