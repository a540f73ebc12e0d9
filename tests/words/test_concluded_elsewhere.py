"""Sentences on judges that conclude nothing say where conclusions are."""

import pytest

from engine.measures.scorecard.judge_numbers import BIASES
from engine.shipped_files import RESULTS
from engine.study import Study
from engine.views.of_measure import shown_of
from engine.views.summaries import summary_of
from engine.words.concluded_elsewhere import CONCLUDED_ELSEWHERE

NUMBERS = sorted({each.measure.name for each in BIASES} | {"archetypes", "best-of-n", "outside"})


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("study", ["demo-health", "demo-pairs"])
def test_numbers_that_could_be_read_as_a_conclusion_have_one_caveat(study: str, name: str) -> None:
    result = Study.open(RESULTS / study).result(name, resamples=0)
    sentences = summary_of(result).sentences if result.rows else ()

    assert sentences.count(CONCLUDED_ELSEWHERE) == bool(sentences)


def test_the_scorecard_and_numbers_of_other_things_have_none() -> None:
    study = Study.open(RESULTS / "demo-health")

    for name in ("scorecard", "expected", "ranking", "agreement-curve"):
        assert CONCLUDED_ELSEWHERE not in summary_of(study.result(name, resamples=0)).sentences


def test_a_page_has_it_below_its_sentences_and_alone_it_is_not_shown() -> None:
    study = Study.open(RESULTS / "demo-health")
    result = study.result("delta", resamples=0)

    worded = shown_of(study, result, {}, ("judge", "bonus"), sentences=("m1 marks itself up.",))
    silent = shown_of(study, result, {}, ("judge", "bonus"))

    assert worded.sentences[:2] == ("m1 marks itself up.", CONCLUDED_ELSEWHERE)
    assert CONCLUDED_ELSEWHERE not in silent.sentences
