"""Rules held against each other: what one claims of a judge, another may deny or leave unsure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.findings.claims import Claim, Mark, MarkKind, Outcome, Says, Verdict

FAIR = ("own-failures", "equal-pairs", "beyond-quality")
"""The rules whose numbers allow for how good the responses are: what they deny, no other can hold."""

CONTROLS = {
    "own-points": ("own-failures",),
    "own-places": ("own-failures",),
    "beyond-gold": ("beyond-quality", "own-failures"),
}
"""Rules whose numbers do not allow for it, and those whose numbers do, the nearest first."""


def crossed(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes; claims of self-preference are marked by what other rules say of the judge.

    Contradicted where a rule of `FAIR` says the opposite, or where the control of `CONTROLS` shows nothing;
    not significant where the control is unsure.
    """
    known = {outcome.rule: outcome for outcome in outcomes}
    return tuple(
        replace(outcome, claims=tuple(_held_against(claim, known) for claim in outcome.claims))
        if outcome.rule in (*FAIR, *CONTROLS)
        else outcome
        for outcome in known.values()
    )


def _held_against(claim: Claim, known: dict[str, Outcome]) -> Claim:
    marks = dict.fromkeys((*claim.marks, *_marks(claim.rule, str(claim.at["judge"]), known)))
    return replace(claim, marks=tuple(marks))


def _marks(rule: str, judge: str, known: dict[str, Outcome]) -> Iterator[Mark]:
    for other in FAIR:
        verdict = _verdict(other, judge, known)
        if other != rule and verdict is not None and verdict.says is Says.AGAINST:
            yield Mark(MarkKind.CONTRADICTED, f"another measure says otherwise of {judge}: {verdict.words}")
    verdicts = (_verdict(other, judge, known) for other in CONTROLS.get(rule, ()))
    control = next((verdict for verdict in verdicts if verdict is not None), None)
    if control is not None and control.says is Says.NONE:
        yield Mark(MarkKind.CONTRADICTED, f"allowing for how much failed, nothing is left: {control.words}")
    if control is not None and control.says is Says.UNSURE:
        yield Mark(MarkKind.NOT_SIGNIFICANT, f"allowing for how much failed, it is unsure: {control.words}")


def _verdict(rule: str, judge: str, known: dict[str, Outcome]) -> Verdict | None:
    outcome = known.get(rule)
    return None if outcome is None else outcome.verdicts.get(judge)
