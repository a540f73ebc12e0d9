"""The glossary: each term of the field in one sentence, for pages, reports, documentation and the terminal.

Terms are defined only here; explanations elsewhere reuse these sentences.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from engine.conclusions import CONCLUSIONS, NOT_COMPARED, NOT_TESTED


@dataclass(frozen=True)
class Term:
    """A term, its meaning in one sentence, and the other forms in which a text may use it."""

    name: str
    meaning: str
    forms: tuple[str, ...] = ()


_MEANINGS = {
    "accuracy": "How often a judge agrees with the reference: on single criteria (accuracy on criteria, "
    "MRA), or on which of two answers is better (pair accuracy, MIPA).",
    "adjusted p": "A p-value corrected for the number of judges or slices tested (Benjamini-Hochberg).",
    "agreement": "The share of the pairs of judges that give the same verdict on a criterion, on average "
    "over the answers: of 7 judges, 6 alike are 15 of 21 pairs, 71%.",
    "answer": "What a model wrote on a question (`response` in columns).",
    "archetype": "One of four kinds: an Incompetent Randomizer picks the better answer in less than 80 of "
    "100 clear pairs; the others among equals favour themselves (Machiavellian), others (Blindly Biased) or "
    "neither (Objective).",
    "author": "The model that wrote an answer (`generator` in columns).",
    "axis, theme, category": "How a data set groups its criteria or its prompts; a segment is a division of "
    "your own, such as channel or difficulty.",
    "best of n": "Letting a judge pick the best of several answers, as when its verdicts are used as a "
    "reward.",
    "board": "The table and chart of all judges with the conclusion on each, as `spb judges` prints it.",
    "card": "A picture with the conclusion on one judge, to be shown elsewhere (`spb report --judge`).",
    "case": "One verdict that counts, on a criterion of an answer, a pair or a score (a cell); own cases "
    "are those of the judge's own answers.",
    "caveat": "Something to know before quoting a conclusion, such as missing verdicts or few judges.",
    "checker": "A program that decides whether an answer follows an instruction.",
    "committee": "Several judges whose majority, mean or median counts as one verdict.",
    "confidence interval": "A range that contains the true value in about 95 of 100 such studies (95% CI).",
    "criterion": "One thing that an answer is checked for (`rubric` in columns).",
    "DBG score": "The share of pairs in which a judge lets its own answer win, minus the share in which "
    "gold judges or the reference do; ties count one half.",
    "delta": "How far a judge's score of a model lies above the reference's, minus the judge's mean "
    "difference over all models, on a scale of 100 points.",
    "demonstration": "A study that ships with the program, with simulated judges whose bias is known.",
    "discernment": "How clearly a judge tells good answers from bad ones; where it differs from other "
    "judges, that alone can look like self-preference.",
    "discriminability": "How often a judge picks the better of two answers that clearly differ in quality "
    "(D).",
    "epsilon": "The largest difference in quality, on a scale of 0 to 10, at which two answers count as "
    "equally good.",
    "equal-quality pair": "Two answers that are equally good by a label that the judge did not give.",
    "failed": "Of an answer: the reference says that it does not meet the criterion (or that it does, where "
    "the criterion takes points).",
    "family": "Models of one line by one developer, such as GPT; a judge's family is the other models in it.",
    "finding": "A sentence with its number that a rule made from a study, with marks for what speaks against "
    "it.",
    "fragile": "Said of a conclusion on a judge, not on the judges together, that five or fewer wrong labels "
    "of the reference would undo.",
    "given and expected": "Of 100 own cases, how many a judge passed or voted for (or its points), and how "
    "many were expected from other judges as strict as it; the excess is their difference.",
    "gold judges": "Judges whose verdicts stand in for the truth, such as people or much stronger models.",
    "gold stress test": "A judge's number under every panel of gold judges, which shows what holds "
    "whoever they are.",
    "HSPP ratio": "How many times as likely a judge is to pass its own answer as an answer of another "
    "family, among criteria that the answer failed (harmful self-preference); 1 means no preference.",
    "human:unnamed": "The verdicts of people who have no name in the study, as a reference beside `human`, "
    "the majority of all people, and `human:NAME`, one of them (`--reference human:unnamed`).",
    "judge": "The model that gives verdicts.",
    "judges of other families": "The judges that are not of a judge's family and judged the same answers "
    "(outside judges).",
    "judgment": "One reply of a judge: a verdict on a criterion, a score, or a choice between two answers.",
    "label": "What a person says of an answer or a pair, as a labeller.",
    "majority": "What more than half of repeats, people or a committee's members say; where they split "
    "evenly there is none, and the verdict is left out.",
    "lenient": "Of a judge: it scores the answers of other families above the reference, which is not to "
    "favour its own (a strict one below; `spb measure delta` says by how much).",
    "matched ratio": "The HSPP ratio on criteria that both answers failed, so that harder failures do not "
    "look like bias.",
    "naive": "Of a p-value or interval: computed as if verdicts on one question did not hang together, so "
    "that it looks surer than it is.",
    "odds": "How often a judge passes answers, divided by how often it fails them.",
    "ordering": "The order in which criteria, options or answers are shown to a judge.",
    "overestimation": "A verdict that passes what the reference fails; the reverse is an underestimation.",
    "own failures": "Criteria that the judge's own answer failed according to the reference.",
    "paradigm": "How a judge is asked: one criterion or all criteria in a call, a direct score, two answers "
    "side by side, a score with written options, or quality on dimensions.",
    "p-value": "How often chance alone would make a difference at least as large, if there were none.",
    "pair": "Two answers to one question that a judge compares; both orders in which it saw them are one "
    "pair, and a pair that lacks one of them is left out.",
    "passed": "Of a judge: its verdict is that an answer meets the criterion (or that it does not, where the "
    "criterion takes points).",
    "placebo": "The same number for a judge and another family's answers, which shows what tastes alone can "
    "do.",
    "points of 100": "A score as a share of the top of its scale, times 100: scores from 1 to 10 are divided "
    "by 10, so they begin at 10 points, not at 0.",
    "polarity": "Whether a criterion gives points (positive) or takes them (negative).",
    "position": "The place of a criterion, an option or an answer among those shown.",
    "proxy": "Another model with the same result against the same opponent as the judge, which shows what an "
    "answer of that quality deserves.",
    "question": "A prompt, with its criteria if it has any (`instance` in columns).",
    "reference": "The verdicts taken as true: those of a program, of people or of a committee.",
    "repeat": "A further judgment of the same thing, in one run or in several: the majority of verdicts "
    "counts, the mean of scores, and verdicts without a majority are left out.",
    "resample": "A draw of whole questions with replacement, used to compute intervals.",
    "rubric": "The criteria of a question, as a list.",
    "relatedness": "How alike two judges err: their agreement beyond chance within each truth, less what "
    "each has with all judges.",
    "run": "All calls to models made under one configuration.",
    "self-preference": "A judge's tendency to rate its own answers higher than they deserve.",
    "shared taste": "A liking of judges in general for a kind of answer, such as a style: a judge that has "
    "more of it rates its own such answers higher without favouring itself.",
    "slice": "The judgments that match the filters.",
    "SPB": "How much more often a judge firmly chooses its own of two equally good answers than it chooses "
    "one of two others (self-preference bias).",
    "status": "The outcome of a call: ok, unparsed (no verdict could be read), refused or error; only ok "
    "rows hold a verdict.",
    "store": "The folder, or S3 prefix, that holds studies.",
    "study": "Models, questions, answers, references and judgments that belong together, in one folder of "
    "tables.",
    "taste": "How much more or less than other judges a judge likes another model's answers; even without "
    "self-preference, judges differ so.",
    "transform": "A change made to an answer before it is judged, such as a paraphrase.",
    "variant": "The name of the prompt template.",
    "verdict": "What a judge says: passed or failed, a score or a choice; missing ones are counted apart "
    "(the truth is met or not met).",
    "vote": "What a pair, both orders together, counts for an answer: 1 if it wins both, or one and ties the "
    "other; .5 for two ties or different winners; else 0.",
    **{each.judge.words: f"Of a judge: {each.meaning}." for each in CONCLUSIONS},
    NOT_COMPARED: "Of a judge: judges of other families, with which it would be compared, are missing.",
    NOT_TESTED: "Of a judge: it differs from other judges by the same on every question, or passed all (or "
    "none) of its own cases on which judges disagree.",
}
"""What each term means."""

_FORMS = {
    "adjusted p": ("p, adjusted", "adjusted"),
    "answer": ("response",),
    "author": ("generator", "model"),
    "axis, theme, category": ("axis", "axes", "theme", "category", "segment"),
    "confidence interval": ("95% CI", "95% interval", "interval"),
    "criterion": ("criteria",),
    "case": ("cell", "cells", "cases", "own cases"),
    "DBG score": ("DBG",),
    "equal-quality pair": ("pairs of equal quality", "equally good"),
    "gold judges": ("gold judge",),
    "given and expected": ("given", "expected", "excess"),
    "HSPP ratio": ("HSPP", "ratio"),
    "matched ratio": ("matched",),
    "judges of other families": ("judge of another family", "other judges", "outside judge"),
    "lenient": ("leniency", "strict", "strictness"),
    "label": ("labeller", "annotator", "annotation"),
    "own failures": ("own failed",),
    "p-value": ("p value", "p"),
    "passed": ("passes",),
    "failed": ("fails", "failure"),
    "question": ("instance",),
    "pair": ("pairs of answers",),
    "points of 100": ("points",),
    "vote": ("votes",),
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
    """Return the terms that texts use, in the singular or plural, in alphabetical order; not in commands."""
    text = _COMMAND.sub("", texts if isinstance(texts, str) else "\n".join(texts))
    return tuple(term for term in GLOSSARY if _pattern(term).search(text))


_COMMAND = re.compile(r"`spb [^`]*`")


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    names = (form.strip() for name in (term.name, *term.forms) for form in name.split(","))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})s?(?![\w-])", re.IGNORECASE)
