"""That the judges together contradict what is true, so that one is probably read the wrong way round."""

from typing import TYPE_CHECKING

from engine.measures.scorecard.truth_agreement import TruthAgreement, truth_agreement
from engine.wording import Wording
from engine.words.based_on import Beforehand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result

_SIGNS = {"positive": "points of 0 or more", "negative": "points below 0"}


def inverted_verdicts(study: "MeasuredStudy", result: "Result") -> list[Beforehand]:
    """Return that conclusions rest on verdicts which are probably read inverted, with a number and a remedy.

    Empty where the judges agree with what is true, or nothing is known of it.
    """
    if "decided_by" not in result.filters:  # of another measure than the conclusions
        return []
    by_sign = {each: truth_agreement(study, result.filters, each) for each in _SIGNS}
    inverted = [each for each, agreement in by_sign.items() if agreement.is_inverted]
    if len(inverted) == 1 and all(agreement.n for agreement in by_sign.values()):
        return [_of_one_sign(by_sign, inverted[0])]
    agreement = truth_agreement(study, result.filters)
    if not agreement.is_inverted:
        return []
    return [
        Beforehand(
            f"The judges agree with what is true in only {_share(agreement)}, and pass what is truly met "
            "more rarely than the rest: verdicts or the truth are probably read the wrong way round, which "
            "turns conclusions around. ",
            Wording(
                "Check what --value met:... and --value reference_met:... say, or the words of the file, and "
                "import it again with the opposite meanings",
                'Check what value={"met": ...} and value={"reference_met": ...} say, or the words of the '
                "table, and read it again with the opposite meanings",
                "Check the words of the file, and import it again with the opposite meanings",
            ),
            ".",
        )
    ]


def _of_one_sign(by_sign: "Mapping[str, TruthAgreement]", sign: str) -> Beforehand:
    """Return that verdicts or the truth are read inverted on criteria of one sign alone."""
    [other] = [each for each in by_sign if each != sign]
    return Beforehand(
        f"On criteria with {_SIGNS[sign]} the judges agree with what is true in only "
        f"{_share(by_sign[sign])}, on the others in {_share(by_sign[other])}: on the former, verdicts or the "
        "truth are probably read the wrong way round, which turns conclusions around. ",
        Wording(
            "Where words such as pass and fail say how the answer did, import the file again with "
            "--value met:pass=good,fail=bad (or reference_met)",
            "Where words such as pass and fail say how the answer did, read the table again with "
            'value={"met": {"pass": "good", "fail": "bad"}} (or "reference_met")',
            "Where words such as pass and fail say how the answer did, import the file again and choose so",
        ),
        ".",
    )


def _share(agreement: TruthAgreement) -> str:
    share = agreement.correct / agreement.n
    return f"{agreement.correct:,} of {agreement.n:,} verdicts ({share:.0%})"
