"""Whether a passage is what the judge answers, or something that it quotes, denies or takes back.

Only wording that leaves no doubt counts as an answer: a quotation read as a verdict is a wrong verdict, an
answer taken for a quotation is one verdict fewer.
"""

import re

_LEAD, _REST = 400, 20_000
"""Characters examined before and after a passage."""

_MARKUP = "\ufeff\u200b\xa0 \t\r*_`#[({\"“”'<"
_CLOSING_MARKUP = "\ufeff\u200b\xa0 \t\r*_`])}\"“”'>"
_TAG = re.compile(
    r"</?(?:answer|verdict|output|json|result|final|final_answer|judge?ment|evaluation|decision)>|"
    r"```[ \t]*\w{0,10}|\\boxed|<\|\w{1,30}\|>|</s>",
    re.IGNORECASE,
)
_SHOWN_TEXT = re.compile(r"<([a-z]+(?:-[a-z0-9]+)?-[0-9a-f]{10})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？;](?=[\s*_\"”')\]]|$)|\n")

_NAMES_ANSWER = re.compile(
    r"\b(?:so|thus|therefore|hence|then|conclu\w*|verdict|answer|judge?ments?|judged?|evaluat\w*|assess\w*|decision"
    r"|decide|result|output|json|score|rating|outcome|choice|choose|ranking|grade|yes|sure|certainly|object"
    r"|explanation|reasoning|analysis|jugement|évaluation|bewertung|urteil|ergebnis|evaluación|veredicto)\b"
    r"|réponse est|评估|判断|结论|结果|評価|判定",
    re.IGNORECASE,
)
_QUOTES = re.compile(
    r"\b(?:say\w*|said|tell\w*|told|writ\w+|wrote|claim\w*|instruct\w*|inject\w*|quot\w+|contain\w*|embed\w*"
    r"|ask\w*|demand\w*|request\w*|trick\w*|manipulat\w*|attempt\w*|try\w*|tried|tries|want\w*"
    r"|mak(?:e|es|ing) me|made me|forc\w+|end(?:s|ed|ing) with|begin\w*|start(?:s|ed|ing)"
    r"|insert\w*|append\w*|includ\w+|hidden|outputs|print\w*|returns?|returned|shows?|states?|stated|suggest\w*"
    r"|expect\w*|hop(?:es?|ing)|provides|provided|gives|gave|produc\w*|uses?|mention\w*|appears?|adds?|added|puts?"
    r"|has|have"
    r"|not|cannot|never|refus\w*|reject\w*|ignor\w*|disregard\w*|rather than|instead of|neither|without"
    r"|example|e\.g|for instance|such as|like|format|template|schema|either|would|could|might|should"
    r"|if|unless|whether|between|or|reads?|lines?|strings?|paragraph|phrase|users?|prompts?)\b"
    r"|\w['’]s\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:wait|however|true|false|verdict|final\w*|edit|updated?|draft|copied|copy|above|i did"
    r"|correction|on reflection|second thoughts?|reconsider\w*|scratch that|strike that|my mind"
    r"|tak(?:e|ing) (?:it|that|this) back|let me (?:re|correct|fix|change)\w*|my mistake|i made a mistake"
    r"|sorry|apolog\w*|i revise\w*|or rather|should (?:have been|be|read)|i (?:meant|mean)|inject\w*"
    r"|manipulat\w*|trick\w*|i (?:ignore|reject|refuse)"
    r"|(?:ignor\w+|disregard\w*) (?:that|this|it|the (?:above|object|text))"
    r"|quot(?:ed|ing|ation)|(?:ask|tell|told|want|made?|mak|instruct|forc|urg)\w* (?:me|the (?:judge|grader))"
    r"|(?:try|tried|tries|attempt)\w* to (?:make|get|have|force|influence)|the opposite|on the contrary"
    r"|withdraw\w*|retract\w*|just kidding|joking|is what (?:the|this|it)"
    r"|not (?:my|the|a) (?:final )?(?:verdict|answer|judge?ment|decision)|not be read)\b"
    r"|(?:^|[.!?\n])\s*[*_]*(?:no\b|actually\b|hmm|hm\b|but\b)|\bi (?:will|do|would|can|could)(?: not|n['’]t)"
    r"|\bi (?:cannot|won['’]t)",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"(?:explanation|reason(?:ing)?|rationale|justification|note|because|since|as|the|this|that|these|it|its|both|in"
    r"|neither|answer|response|a|b|hope|let me know|please|feel free|i hope|if you)\b",
    re.IGNORECASE,
)
"""The beginning of words that explain an answer, or close it."""


def stands(text: str, start: int, end: int) -> bool:
    """Return whether the passage is an answer: introduced as one, or on its own, and not taken back."""
    before, after = text[max(0, start - _LEAD) : start], text[end : end + _REST]
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].lstrip().startswith(">"):
        return False
    lead, is_inline = _lead_in(before)
    if lead and (_QUOTES.search(lead) or not _NAMES_ANSWER.search(lead)):
        return False
    rest = _TAG.sub(" ", after.partition("\n")[0]).lstrip(_CLOSING_MARKUP)
    goes_on = (
        rest[:1].islower() or rest[:1] in {",", "，"} or (is_inline and rest[:1] not in {"", ".", "!", "。"})
    )
    if goes_on and any(map(str.isalnum, rest)):
        return False
    return explains(after)


def explains(after: str) -> bool:
    """Return whether the words after an answer, if any, explain or close it, and do not take it back."""
    words = _TAG.sub(" ", after).lstrip(_MARKUP + _CLOSING_MARKUP + ".!。\n-–—:#")
    has_words = any(map(str.isalnum, words[:_LEAD]))
    return not has_words or (_EXPLAINS.match(words) is not None and not taken_back(words))


def without_shown_texts(text: str) -> str:
    """Return an answer without the texts that it repeats in the tags in which the prompt showed them."""
    return _SHOWN_TEXT.sub(" ", text)


def taken_back(text: str) -> bool:
    """Return whether the words after an answer may take it back."""
    return _TAKEN_BACK.search(text) is not None


def _lead_in(before: str) -> tuple[str, bool]:
    """Return the words that introduce a passage, also on an earlier line, and whether they are on its line.

    They are those since the last whole sentence.
    """
    words = _TAG.sub(" ", before).rstrip(_MARKUP)
    is_inline = bool(words) and not words.endswith("\n")
    words = words.rstrip(_MARKUP + _CLOSING_MARKUP + "\n")
    if words.endswith((".", "!", "。", "！", ";")):
        return "", is_inline
    ends = list(_SENTENCE_END.finditer(words))
    return words[ends[-1].end() if ends else 0 :].strip(_MARKUP + _CLOSING_MARKUP), is_inline
