"""The glossary: each term of the field in one sentence, for pages, reports, documentation and the terminal.

Terms are defined only here; explanations elsewhere reuse these sentences.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from engine.words.board_facts import MEANINGS
from engine.words.conclusions import CONCLUSIONS


@dataclass(frozen=True)
class Term:
    """A term, its meaning in one sentence, and the other forms in which a text may use it."""

    name: str
    meaning: str
    forms: tuple[str, ...] = ()


_MEANINGS = {
    "accuracy": "How often a judge agrees with the reference: on single rubrics (rubric accuracy, MRA), or "
    "on which of two responses is better (pair accuracy, MIPA).",
    "adjusted p": "A p-value corrected for the number of judges or slices tested (Benjamini-Hochberg).",
    "agreement": "The share of judges that give the same verdict on a rubric.",
    "annotator": "A person who labels responses or pairs.",
    "archetype": "One of four kinds of judge: an Incompetent Randomizer cannot tell better from worse; the "
    "others can, and among equals favour themselves (Machiavellian), others (Blindly Biased) or neither "
    "(Objective).",
    "axis, theme, category": "How a data set groups its rubrics or its prompts.",
    "best of n": "Letting a judge pick the best of several answers, as when its verdicts are used as a "
    "reward.",
    "caveat": "Something to know before quoting a conclusion, such as missing verdicts or few judges.",
    "checker": "A program that decides whether a response follows an instruction.",
    "committee": "Several judges whose majority, mean or median counts as one verdict.",
    "confidence interval": "A range that contains the true value in about 95 of 100 such studies (95% CI).",
    "criterion": "The text of a rubric.",
    "DBG score": "The share of pairs in which a judge lets its own response win, minus the share in which "
    "gold judges or the reference do; ties count one half.",
    "delta": "How far a judge's score of a generator lies above the reference's, minus the judge's mean "
    "difference over all generators, on a scale of 100 points.",
    "discriminability": "How often a judge picks the better of two responses that clearly differ in quality "
    "(D).",
    "epsilon": "The largest difference in quality at which two responses count as equally good.",
    "equal-quality pair": "Two responses that are equally good by a label that the judge did not give.",
    "family": "Models of one line by one developer, such as GPT; a judge's family is the other models in it.",
    "generator": "The model that wrote a response.",
    "given and expected": "Of 100 own cases, how many a judge passed or voted for (or its points), and how "
    "many were expected from other judges as strict as it; the excess is their difference.",
    "gold judges": "Judges whose verdicts stand in for the truth, such as people or much stronger models.",
    "gold stress test": "A judge's number under every panel of gold judges, which shows what holds "
    "whoever they are.",
    "HSPP ratio": "How many times as likely a judge is to pass its own response as a response of another "
    "family, among rubrics that the response failed (harmful self-preference); 1 means no preference.",
    "instance": "A prompt with its rubrics.",
    "judge": "The model that gives verdicts.",
    "judgment": "One answer of a judge: a verdict on a rubric, a score, or a choice between two responses.",
    "matched ratio": "The HSPP ratio on rubrics that both responses failed, so that harder failures do not "
    "look like bias.",
    "odds": "How often a judge passes responses, divided by how often it fails them.",
    "ordering": "The order in which rubrics, options or responses are shown to a judge.",
    "outside judges": "The judges of other families that judged the same responses.",
    "overestimation": "A verdict that passes what the reference fails; the reverse is an underestimation.",
    "own failures": "Rubrics that the judge's own response failed according to the reference.",
    "paradigm": "How a judge is asked: one rubric or all rubrics in a call, a direct score, two responses "
    "side by side, a score with written options, or quality on dimensions.",
    "polarity": "Whether a rubric gives points (positive) or takes them (negative).",
    "position": "The place of a rubric, an option or a response among those shown.",
    "proxy": "Another model with the same result against the same opponent as the judge, which shows what a "
    "response of that quality deserves.",
    "reference": "The verdicts taken as true: those of a program, of people or of a committee.",
    "resample": "A draw of whole instances with replacement, used to compute intervals.",
    "rubric": "One thing that a response is checked for.",
    "run": "All calls to models made under one configuration.",
    "self-preference": "A judge's tendency to rate its own responses higher than they deserve.",
    "slice": "The judgments that match the filters.",
    "SPB": "How much more often a judge firmly chooses its own of two equally good responses than it chooses "
    "one of two others (self-preference bias).",
    "status": "The outcome of a call: ok, unparsed (no verdict could be read), refused or error; only ok "
    "rows hold a verdict.",
    "store": "The folder, or S3 prefix, that holds studies.",
    "study": "Models, instances, responses, references and judgments that belong together, in one folder of "
    "tables.",
    "taste": "A judge's liking for some other model, which makes even unbiased judges differ.",
    "transform": "A change made to a response before it is judged, such as a paraphrase.",
    "variant": "The name of the prompt template.",
    "verdict": "A judge's answer on a rubric: met or not met; missing verdicts are counted separately.",
    **{words: f"Of a judge: {MEANINGS[code]}." for code, words in CONCLUSIONS.items()},
}
"""What each term means."""

_FORMS = {
    "adjusted p": ("p, adjusted", "adjusted"),
    "axis, theme, category": ("axis", "theme", "category"),
    "confidence interval": ("95% CI", "95% interval", "interval"),
    "criterion": ("criteria",),
    "DBG score": ("DBG",),
    "equal-quality pair": ("pairs of equal quality", "equally good"),
    "gold judges": ("gold judge",),
    "HSPP ratio": ("HSPP", "ratio"),
    "matched ratio": ("matched",),
    "outside judges": ("outside judge", "judges of other families"),
    "own failures": ("own failed", "own cases"),
    "proxy": ("proxies",),
    "taste": ("tastes",),
    "favours itself": ("favour themselves",),
    "overrates its own answers": ("overrate their own answers",),
    "treats its own like others": (
        "treat their own answers like others'",
        "treats its own answers like others'",
    ),
    "no difference shown": ("no difference is shown",),
    "underrates its own answers": ("underrate their own answers",),
    "is harder on itself": ("are harder on themselves",),
}
"""The other forms in which a text may use a term."""

GLOSSARY: tuple[Term, ...] = tuple(
    Term(name, _MEANINGS[name], _FORMS.get(name, ()))
    for name in sorted(_MEANINGS, key=lambda name: (name.casefold().replace("-", " "), name))
)
"""Every term, in alphabetical order."""


def meaning_of(name: str) -> str:
    """Return the sentence that defines a term; KeyError if it is unknown."""
    return _MEANINGS[name]


def terms_in(texts: str | Iterable[str]) -> tuple[Term, ...]:
    """Return the terms that texts use, in the singular or plural, in alphabetical order."""
    text = texts if isinstance(texts, str) else "\n".join(texts)
    return tuple(term for term in GLOSSARY if _pattern(term).search(text))


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    names = (form.strip() for name in (term.name, *term.forms) for form in name.split(","))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})s?(?![\w-])", re.IGNORECASE)
