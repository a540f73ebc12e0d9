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
_SHOWN_TEXT = re.compile(
    r"<([a-z]+(?:-[a-z0-9]+)?-[0-9a-f]{10})>.*?(?:</\1>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!。！;](?=[\s*_\"”')\]]|$)|\n")

_INTRODUCING = frozenset(
    """
    so thus therefore hence then and finally overall in to sum up conclusion conclude summary
    complete now my final the is are was as follows follow following here heres i we would decide
    judge judged rate evaluate verdict judgment judgement evaluation assessment decision result
    output json object score rating outcome choice ranking grade answer explanation reasoning
    analysis sure certainly of course ok okay yes below above based on criterion criteria this that
    it its merits requested required given
    ma réponse est mon jugement évaluation meine bewertung urteil ergebnis ist mi evaluación veredicto es
    好的 评估 评估如下 评估结果 评估结果如下 评价如下 判断 结论 结果 答案 答案是 評価 判定
    """.split()  # noqa: SIM905 - a list of this length is read more easily without quotes
)
"""The only words that may introduce an answer; in `the answer`, judges mean the response."""
_WORD = re.compile(r"[^\W_]+")
_THE_ANSWER = re.compile(r"\bthe answer\b", re.IGNORECASE)
_STRIKING = frozenset("~/<>\\?？")
"""Signs of what is struck out, a comment, a tag or a question."""
_ITEM = re.compile(r"\s*(?:[-*•#]|[0-9]{1,2}[.)])\s?")
_LEADS_ON = re.compile(
    r"\b(?:say\w*|reads?|is|are|with|to|of|by|as|like|contains?|outputs?)\W*\Z", re.IGNORECASE
)
"""The end of a line whose sentence goes on."""
_TAKEN_BACK = re.compile(
    r"\b(?:objects?|json|lines?|strings?|wait|however|true|false|verdict|final\w*|edit|updated?|draft|copied"
    r"|copy|above|i did"
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
    if lead and not _introduces(lead):
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
    """Return an answer without comments, and the texts that it repeats in the tags that the prompt used."""
    return _SHOWN_TEXT.sub(" ", text)


def taken_back(text: str) -> bool:
    """Return whether the words after an answer may take it back."""
    return _TAKEN_BACK.search(text) is not None


def _introduces(lead: str) -> bool:
    if set(lead) & _STRIKING:
        return False
    words = _WORD.findall(lead.casefold().replace("'", "").replace("’", ""))
    return all(word in _INTRODUCING for word in words) and _THE_ANSWER.search(lead) is None


def _lead_in(before: str) -> tuple[str, bool]:
    """Return the words that introduce a passage, also on an earlier line, and whether they are on its line.

    They are those since the last whole sentence.
    """
    words = _TAG.sub(" ", before).rstrip(_MARKUP)
    is_inline = bool(words) and not words.endswith("\n")
    words = words.rstrip(_MARKUP + _CLOSING_MARKUP + "\n")
    if words.endswith((".", "!", "。", "！", ";")):
        return "", is_inline
    line = words[words.rfind("\n") + 1 :]
    has_gap = "\n\n" in before[len(words) :].replace(" ", "")
    if has_gap and _ITEM.match(line) and not line.endswith((":", "：")) and not _LEADS_ON.search(line):
        return "", is_inline  # the last of a list
    ends = list(_SENTENCE_END.finditer(words))
    return words[ends[-1].end() if ends else 0 :].strip(_MARKUP + _CLOSING_MARKUP), is_inline
