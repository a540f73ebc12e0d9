"""The glossary: each term of the field in one sentence, for pages, reports, documentation and the terminal.

A term is defined here and nowhere else; what explains one elsewhere takes its sentence from here.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from engine.words.board_words import MEANINGS
from engine.words.conclusions import CONCLUSIONS


@dataclass(frozen=True)
class Term:
    """A term, what it means in one sentence, and the other forms in which a text may hold it."""

    name: str
    meaning: str
    forms: tuple[str, ...] = ()


_CONCLUSIONS = tuple(
    Term(words, f"Of a judge: {MEANINGS[code]}.", _forms)
    for (code, words), _forms in zip(
        CONCLUSIONS.items(),
        (
            ("favour themselves",),
            ("lean to themselves",),
            ("no material self-preference",),
            (),
            ("lean against themselves",),
            ("disfavour themselves",),
        ),
        strict=True,
    )
)

_TERMS = (
    Term(
        "accuracy",
        "How often a judge agrees with the reference: on single rubrics (rubric accuracy, MRA), or on"
        " which of two responses is better (pair accuracy, MIPA).",
    ),
    Term(
        "adjusted p",
        "A p-value corrected for the number of judges or slices tested, by the method of Benjamini "
        "and Hochberg.",
        ("p, adjusted", "adjusted"),
    ),
    Term(
        "agreement",
        "The share of judges that give the same verdict on a rubric.",
    ),
    Term(
        "annotator",
        "A person who labels responses or pairs.",
    ),
    Term(
        "archetype",
        "What kind of judge one is: it cannot tell better from worse (Incompetent Randomizer), or it "
        "can and among equals favours itself (Machiavellian), others (Blindly Biased) or neither "
        "(Objective).",
    ),
    Term(
        "axis, theme, category",
        "How a data set groups its rubrics or its prompts.",
        ("axis", "theme", "category"),
    ),
    Term(
        "caveat",
        "Something to know before quoting a conclusion, such as missing verdicts or few judges.",
    ),
    Term(
        "checker",
        "A program that decides whether a response follows an instruction.",
    ),
    Term(
        "committee",
        "Several judges whose majority, mean or median counts as one verdict.",
    ),
    Term(
        "confidence interval",
        "The range in which the true value lies in about 95 of 100 such studies (95% CI).",
        ("95% CI", "95% interval", "interval"),
    ),
    Term(
        "criterion",
        "The text of a rubric.",
        ("criteria",),
    ),
    Term(
        "DBG score",
        "The share of pairs in which a judge lets its own response win, minus the share in which gold"
        " judges or the reference do; ties count one half.",
        ("DBG",),
    ),
    Term(
        "delta",
        "How far a judge's score of a generator lies above the reference's, minus the judge's mean "
        "difference over all generators, in points of 100.",
    ),
    Term(
        "discriminability",
        "How often a judge picks the better of two responses that clearly differ in quality (D).",
    ),
    Term(
        "epsilon",
        "The largest difference in quality at which two responses count as equally good.",
    ),
    Term(
        "equal-quality pair",
        "Two responses that are equally good by a label that the judge did not give.",
        ("pairs of equal quality", "equally good"),
    ),
    Term(
        "family",
        "The models of one maker and line; a judge's family is the others of them.",
    ),
    Term(
        "generator",
        "The model that wrote a response.",
    ),
    Term(
        "gold judges",
        "Judges whose verdicts stand in for the truth, such as people or much stronger models.",
        ("gold judge",),
    ),
    Term(
        "HSPP ratio",
        "How many times as likely a judge is to pass its own response as a response of another "
        "family, among rubrics that the response failed (harmful self-preference); 1 means no "
        "preference.",
        ("HSPP", "ratio"),
    ),
    Term(
        "instance",
        "A prompt with its rubrics.",
    ),
    Term(
        "judge",
        "The model that gives verdicts.",
    ),
    Term(
        "judgment",
        "One answer of a judge: a verdict on a rubric, a score, or a choice between two responses.",
    ),
    Term(
        "matched ratio",
        "The HSPP ratio on rubrics that both responses failed, so that harder failures do not look "
        "like bias.",
        ("matched",),
    ),
    Term(
        "odds",
        "How often a judge passes responses divided by how often it fails them.",
    ),
    Term(
        "ordering",
        "The order in which rubrics, options or responses are shown to a judge.",
    ),
    Term(
        "outside judges",
        "The judges of other families that judged the same responses.",
        ("outside judge", "judges of other families"),
    ),
    Term(
        "overestimation",
        "A rubric that a judge passes and the reference fails; the reverse is an underestimation.",
    ),
    Term(
        "own failures",
        "Rubrics that the judge's own response failed according to the reference.",
        ("own failed", "own cases"),
    ),
    Term(
        "paradigm",
        "How a judge is asked: one rubric or all rubrics in a call, a direct score, two responses "
        "side by side, a score with written options, or quality on dimensions.",
    ),
    Term(
        "polarity",
        "Whether a rubric gives points (positive) or takes them (negative).",
    ),
    Term(
        "position",
        "The place of a rubric, an option or a response among those shown.",
    ),
    Term(
        "proxy",
        "Another model with the same result against the same opponent as the judge, which shows what "
        "a response of that quality deserves.",
        ("proxies",),
    ),
    Term(
        "reference",
        "The verdicts taken as true: those of a program, of people or of a committee.",
    ),
    Term(
        "resample",
        "A draw of whole instances with replacement, from which intervals are made.",
    ),
    Term(
        "rubric",
        "One thing that a response is checked for.",
    ),
    Term(
        "run",
        "Everything asked of models under one configuration at one time.",
    ),
    Term(
        "self-preference",
        "A judge's tendency to rate its own responses higher than they deserve.",
    ),
    Term(
        "slice",
        "The judgments that are left once filters are applied.",
    ),
    Term(
        "SPB",
        "How much more often a judge firmly chooses its own of two equally good responses than one of"
        " two others (self-preference bias).",
    ),
    Term(
        "status",
        "What became of a call: ok, unparsed (no verdict could be read), refused or error; only ok "
        "rows hold a verdict.",
    ),
    Term(
        "store",
        "The folder, or S3 prefix, that holds studies.",
    ),
    Term(
        "study",
        "Models, instances, responses, references and judgments that belong together, in one folder "
        "of tables.",
    ),
    Term(
        "taste",
        "What makes two unbiased judges differ over the same model.",
        ("tastes",),
    ),
    Term(
        "transform",
        "A rewriting of a response before it is judged, such as a paraphrase.",
    ),
    Term(
        "variant",
        "The prompt template of a paradigm, by name.",
    ),
    Term(
        "verdict",
        "What a judge says of a rubric: met or not met; a missing verdict is counted separately.",
    ),
)

GLOSSARY: tuple[Term, ...] = tuple(
    sorted((*_TERMS, *_CONCLUSIONS), key=lambda term: (term.name.casefold().replace("-", " "), term.name))
)
"""Every term, in the order of the alphabet."""


_MEANINGS = {term.name: term.meaning for term in GLOSSARY}


def meaning_of(name: str) -> str:
    """Return the sentence that defines a term; KeyError where there is none of that name."""
    return _MEANINGS[name]


def terms_in(texts: str | Iterable[str]) -> tuple[Term, ...]:
    """Return the terms that texts hold, in the singular or the plural, in the order of the alphabet."""
    text = texts if isinstance(texts, str) else "\n".join(texts)
    return tuple(term for term in GLOSSARY if _pattern(term).search(text))


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    names = (form.strip() for name in (term.name, *term.forms) for form in name.split(","))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})s?(?![\w-])", re.IGNORECASE)
