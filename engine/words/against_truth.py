"""That the judges together contradict what is true, so that one is probably read the wrong way round."""

from typing import TYPE_CHECKING

from engine.measures.truth_agreement import truth_agreement
from engine.wording import Wording
from engine.words.based_on import Beforehand

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result


def inverted_verdicts(study: "MeasuredStudy", result: "Result") -> list[Beforehand]:
    """Return that conclusions rest on verdicts which are probably read inverted, with a number and a remedy.

    Empty where the judges agree with what is true, or nothing is known of it.
    """
    if "decided_by" not in result.filters:  # of another measure than the conclusions
        return []
    agreement = truth_agreement(study, result.filters)
    if not agreement.is_inverted:
        return []
    share = agreement.correct / agreement.n
    return [
        Beforehand(
            f"The judges agree with what is true in only {agreement.correct:,} of {agreement.n:,} verdicts "
            f"({share:.0%}), and pass what is truly met more rarely than the rest: verdicts or the truth are "
            "probably read the wrong way round, which turns conclusions around. ",
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
