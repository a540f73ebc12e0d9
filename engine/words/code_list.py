"""Every code that commands, tables and pages print, with its meaning and what to do about it.

Meanings come from where a code is declared; remedies for reasons go by what is missing, in the first group
of `_REMEDIES` that names the code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args


@dataclass(frozen=True, slots=True)
class Code:
    """A code, the kind of thing it stands for, its meaning, and the remedy if there is one."""

    name: str
    kind: str
    meaning: str
    remedy: str = ""


_REMEDIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "have judges of other families judge the same answers",
        ("no_outside_judge", "no_common_own_cell", "no_common_cell", "no_common_pair", "no_outside_judges",
         "no_common_cell_of_relatives",
         "no_common_choice", "no_outside_rank", "no_proxy_outside_the_family", "no_outside_verdict"),
    ),
    (
        "have the judge's model answer too, and judge its answers",
        ("no_own_responses", "no_own_cells", "no_own_or_other_scores", "no_own_case", "no_own_verdict_beside",
         "no_own_response_with_a_quality"),
    ),
    (
        "judge questions that its answers fail, or compare all criteria: `spb measure outside --truth any`",
        ("no_own_failures",),
    ),
    (
        "have another model of its family answer, or correct the families (`--models`)",
        ("no_relatives", "no_cells_of_relatives", "no_relatives_or_others", "no_pair_of_relatives"),
    ),
    (
        "judge more questions; `spb plan power` says how many",
        ("few_instances", "few_pairs", "not_detectable", "undecided", "adjustment",
         "few_cases", "too_few_expected", "one_instance_disputed", "hangs_on_one_instance",
         "few_pairs_to_rank", "few_cases_to_rank", "one_example_with_a_proxy", "too_small",
         "same_items", "beyond_scale"),
    ),
    (
        "see the difference of the two shares, which has a number and a test: `spb measure hspp --all`",
        ("not_identified", "separated"),
    ),
    (
        "judge more questions (`spb plan power` says how many); `spb measure outside --all` prints that rate",
        ("few_credited", "few_uncredited"),
    ),
    (
        (
            "judge more questions (`spb plan power` says how many), which helps as far as sampling widens "
            "the interval; beyond that have more models of other families answer and judge"
        ),
        ("within_tastes", "shared_taste", "discernment", "t_test", "permutation"),
    ),
    (
        "have more models of other families answer and judge; more questions alone do not help",
        ("no_shared_taste", "fewer_than_four_judges", "fewer_than_five_judges_that_answer",
         "fewer_than_three_judges_or_one_family", "no_placebo", "no_placebos", "no_others",
         "too_few_judges_for_tastes", "tastes_unknown",
         "discernment_untold", "no_response_of_others", "tastes_assumed", "too_few_members"),
    ),
    ("have models of more families answer and judge", ("few_families", "too_few_families")),
    (
        "repeat what has no verdict (`spb run CONFIG --redo unparsed`), or import it",
        ("unparsed", "incomplete", "no_verdicts"),
    ),
    (
        "repeat or import what has no verdict; where repeats split, take one run or `--repeats first`",
        ("missing_verdicts",),
    ),
    (
        "add a reference: programs or a committee (`spb reference`), or people (`spb label`)",
        ("no_reference", "no_verdict_with_a_reference", "no_comparison_with_a_reference",
         "no_score_by_both"),
    ),
    (
        (
            "add a reference for these answers too: people's labels (`spb label`), or a committee of judges "
            "that have judged them (`spb reference`)"
        ),
        ("no_reference_of_own", "no_reference_of_relatives"),
    ),
    ("give more questions a reference, such as people's labels (`spb label`)", ("too_few_labels",)),
    ("judge questions without a reference too, which is what this number is for", ("nothing_unlabelled",)),
    ("have more judges of other families judge the same answers", ("no_panel",)),
    (
        "have more raters score the same options in several orders; name who is known (`--people`)",
        ("no_other_model_scored", "no_other_person_scored", "one_ordering", "no_other_question"),
    ),
    (
        "leave the judge's family out of the reference (`--exclude-family`), or take another one",
        ("family_in_reference",),
    ),
    (
        "judge each pair in both orders, and import which answer was shown first",
        ("order_missing",),
    ),
    ("judge more pairs, each in both orders", ("no_pair_with_two_winners",)),
    ("collect judgments of quality (paradigm `quality`), or labels by people", ("no_quality",)),
    (
        "judge more questions, their quality too (paradigm `quality`, or labels by people)",
        ("no_equal_quality_pair", "no_null_pair", "no_contrast_pair"),
    ),
    ("add people's labels of the same items (`spb label new --overlap 2`)",
     ("fewer_than_two_labels_of_an_item", "no_pair_with_both_labels")),
    ("have an odd number of people label each item (`spb label new --overlap 3`)", ("no_majority",)),
    ("choose fewer judges, or a slice", ("many_judges", "many_verdicts", "too_many_gold_judges")),
    ("set `logprobs = true` for the model", ("no_probabilities",)),
    ("give the scale (`--set scale=10`)", ("no_scale", "off_scale")),
    ("run the study again: failed calls are repeated", ("error",)),
)  # fmt: skip
"""What to do about a code: a remedy, and the codes that it helps with."""

_STATUSES = {
    "ok": "the answer holds a verdict",
    "unparsed": "an answer without a readable verdict",
    "refused": "the provider refused to answer",
    "error": "the call failed",
}
_SHORTFALLS = {
    "cut_off": ("the answer reached the token limit", "raise `max_tokens`"),
    "only_thinking": ("the model thought and did not answer", "raise `max_tokens`, or reduce thinking"),
    "empty": ("there is no text", "check the model's `params` and its server's output"),
    "malformed": (
        "the answer is not in the required form",
        'use another template, or `structured = "always"`',
    ),
}
_FAILURES = {
    "rate_limit": "too many requests (429)",
    "server": "the server failed (5xx)",
    "timeout": "no answer in time",
    "connection": "the connection was refused, reset or broken",
    "answer": "half an answer, no JSON, or no choice in it",
    "request": "this request was refused (400 and the like)",
    "key": "the key is missing or refused, or its account is empty",
    "model": "the server does not know the model, or refuses a parameter of every call",
    "budget": "not called: the spending cap would have been exceeded",
}
_MARKS = {
    "small": "it rests on fewer than 30 cases",
    "not_significant": "p, adjusted over all that was tried, is 0.05 or more",
    "not_concluded": "the scorecard does not conclude that the judge favours itself",
    "cause_open": "whether because they are its own is open",
    "fragile": "a few wrong labels of the reference would undo it",
    "simulated": "a program made the judgments",
    "contradicted": "another number says otherwise",
}
_RESULTS = {
    "PASS": "the judge passes the rule of `spb gate`",
    "FAIL": "the judge fails the rule of `spb gate`",
    "INCONCLUSIVE": "the study does not say whether the judge passes or fails the rule of `spb gate`",
}


def codes() -> Iterator[Code]:
    """Yield every code once for each kind of thing that it stands for."""
    from engine import conclusions
    from engine.arrays.left_out import CODES
    from engine.collect.calls import Cause
    from engine.collect.client.provider_errors import MEANINGS as OF_ERRORS
    from engine.collect.client.provider_errors import REMEDIES
    from engine.measures.undefined_reasons import REASONS
    from engine.paradigms import TRAITS
    from engine.phrases import sentence_case
    from engine.words.caveats import CAVEATS, OF_NUMBERS
    from engine.words.group_conclusions import SHARED_TASTE, SHARED_TASTE_NEEDS

    yield from (Code(name, "conclusion", words) for name, words in conclusions.meanings().items())
    more = {SHARED_TASTE: f"{REASONS[SHARED_TASTE]}. {sentence_case(SHARED_TASTE_NEEDS)}"}
    yield from _with_remedies("reason", REASONS | more)
    yield from _with_remedies("caveat", CAVEATS | OF_NUMBERS)
    yield from _with_remedies("left out", CODES)
    yield from _with_remedies("status of a judgment", _STATUSES)
    yield from (Code(name, "shortfall", *words) for name, words in _SHORTFALLS.items())
    yield from (Code(name, "kind of error", words) for name, words in _FAILURES.items())
    for cause in get_args(Cause):
        yield Code(cause, "cause of an error", OF_ERRORS[cause], REMEDIES[cause])
    yield from (Code(name, "mark of a finding", words) for name, words in _MARKS.items())
    yield from (Code(name, "result of the gate", words) for name, words in _RESULTS.items())
    yield from (Code(traits.name, "paradigm", traits.meaning) for traits in TRAITS.values())


def _with_remedies(kind: str, meanings: Mapping[str, str]) -> Iterator[Code]:
    remedies = {name: remedy for remedy, names in reversed(_REMEDIES) for name in names}
    yield from (Code(name, kind, words, remedies.get(name, "")) for name, words in meanings.items())
