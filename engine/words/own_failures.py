"""Why a judge passes its own failed responses, in words."""

from engine.explore.stated_reasons import FEWEST, Reasons, TermCounts
from engine.phrases import join_names, quantity
from engine.words.written_numbers import in_sentence, with_interval

MOST_WORDS = 3  # how many of the words that stand out the sentence names


def quote_words(counts: TermCounts) -> str:
    """Return the words of a group: `“nothing”, “comes near”`."""
    return ", ".join(f"“{word}”" for word in counts.words) or "no words in common"


def odds_words(counts: TermCounts) -> str:
    """Return the judge's odds against outside judges that passed too; a dash if there are none."""
    return with_interval(counts.odds, counts.low, counts.high)


def reason_sentences(reasons: Reasons) -> tuple[str, ...]:
    """Return the results with every n, or why nothing can be compared."""
    if reasons.lacking is not None:
        return (f"The reasons of {reasons.judge} cannot be compared: {reasons.lacking}.",)
    cells = quantity(reasons.cells, "verdict")
    one = reasons.outside == 1
    outside = "1 judge of another family" if one else f"{reasons.outside:,} judges of other families"
    counts = (
        f"{reasons.judge} passed its own answers against {reasons.against} in {cells} and gave a reason for "
        f"{reasons.n_judge:,}. On the same criteria, {outside} gave {quantity(reasons.n_passed, 'reason')} "
        f"to pass and {reasons.n_failed:,} to fail."
    )
    largest = max((group.counts for group in reasons.groups), key=lambda terms: terms.n_failed)
    if not largest.n_failed:
        return counts, _own_sentence(reasons)
    share = f"{largest.n_failed:,} of {reasons.n_failed:,}"
    failing = f"Judges of other families that failed them mostly write {quote_words(largest)} ({share})."
    return counts, _own_sentence(reasons), failing


def _own_sentence(reasons: Reasons) -> str:
    """Return what sets the judge's reasons apart from those of outside judges that passed too."""
    first = reasons.groups[0].counts
    mostly = f"It mostly writes {quote_words(first)} ({first.n_judge:,} of {reasons.n_judge:,} reasons"
    if reasons.n_passed < FEWEST:
        return f"{mostly}); too few judges of other families passed these answers for a comparison."
    mostly += f"; judges of other families that also passed: {first.n_passed:,} of {reasons.n_passed:,})"
    own = [
        f"“{word.words[0]}” (odds {in_sentence(word.odds, word.low, word.high)})"
        for word in reasons.words
        if word.odds is not None and word.odds > 1
    ]
    if not own:
        return f"{mostly}. No words set its reasons apart from theirs."
    return f"{mostly}. It says {join_names(own[:MOST_WORDS])} more often than they do."
