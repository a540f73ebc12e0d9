"""Why a judge passes its own failed responses, in words."""

from engine.explore.reasons import FEWEST, Reasons, Standing
from engine.words import counted, in_sentence, listed, with_interval

MOST_NAMED = 3
"""Words that stand out and are named in the sentence."""


def quoted(standing: Standing) -> str:
    """Return the words of a group: `“nothing”, “comes near”`."""
    return ", ".join(f"“{word}”" for word in standing.words) or "no words in common"


def odds_words(standing: Standing) -> str:
    """Return the odds of the judge against outside judges that passed too; a dash where there are none."""
    return with_interval(standing.odds, standing.low, standing.high)


def reason_sentences(reasons: Reasons) -> tuple[str, ...]:
    """Return what came out, with every n; or why nothing is compared."""
    if reasons.lacking is not None:
        return (f"Why {reasons.judge} passes its own failed answers cannot be said: {reasons.lacking}.",)
    return (_counts(reasons), _own(reasons), *_instead(reasons))


def _counts(reasons: Reasons) -> str:
    cells = counted(reasons.cells, "verdict")
    outside = counted(reasons.outside, "outside judge")
    return (
        f"{reasons.judge} passed its own answers against {reasons.against} in {cells} and gave a reason for "
        f"{reasons.n_judge:,}; on the same criteria {outside} gave {counted(reasons.n_passed, 'reason')} to "
        f"pass and {reasons.n_failed:,} to fail."
    )


def _own(reasons: Reasons) -> str:
    """Return what stands out of the judge's reasons, held against those of outside judges that passed too."""
    first = reasons.groups[0].standing
    mostly = f"It mostly writes {quoted(first)} ({first.n_judge:,} of {reasons.n_judge:,} reasons"
    if reasons.n_passed < FEWEST:
        return f"{mostly}); too few outside judges passed these answers to set beside it."
    mostly += f"; outside judges that passed too: {first.n_passed:,} of {reasons.n_passed:,})"
    own = [
        f"“{word.words[0]}” (odds {in_sentence(word.odds, word.low, word.high)})"
        for word in reasons.words
        if word.odds is not None and word.odds > 1
    ]
    if not own:
        return f"{mostly}. No words set its reasons apart from theirs."
    return f"{mostly}. It says {listed(own[:MOST_NAMED])} more often than they do."


def _instead(reasons: Reasons) -> tuple[str, ...]:
    """Return what outside judges mostly write that failed the same answers."""
    largest = max((group.standing for group in reasons.groups), key=lambda standing: standing.n_failed)
    if not largest.n_failed:
        return ()
    share = f"{largest.n_failed:,} of {reasons.n_failed:,}"
    return (f"Outside judges that failed them mostly write {quoted(largest)} ({share}).",)
