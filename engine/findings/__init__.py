"""What is found in a study: claims made by rules that a reader can see, and sentences built from numbers.

A rule reads rows of measures and nothing else; no model writes anything. May import measures, the finder and
the names of charts.
"""

from engine.findings.claims import (
    QUESTIONS,
    Answer,
    Claim,
    Findings,
    Mark,
    MarkKind,
    Method,
    Outcome,
    Question,
)
from engine.findings.gathering import findings
from engine.findings.rules import RULES
from engine.findings.sentences import Finding, family_preference, self_preference

__all__ = [
    "QUESTIONS",
    "RULES",
    "Answer",
    "Claim",
    "Finding",
    "Findings",
    "Mark",
    "MarkKind",
    "Method",
    "Outcome",
    "Question",
    "family_preference",
    "findings",
    "self_preference",
]
