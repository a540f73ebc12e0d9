"""Our verdicts and the official ones on the responses of ten models to IFEval."""

import pytest

from .agreement import BEGIN, DATA, END, IFEVAL, PAGE, measure, table

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the IFEval verdicts at ../shared/data/ifeval"
)


@pytest.fixture(scope="module")
def agreement():
    return measure()


def test_996_of_1000_official_verdicts_agree(agreement):
    assert sum(agreement.compared.values()) == 16_560
    assert agreement.share >= 0.996


def test_differences_come_from_chance_or_another_sentence_splitter(agreement):
    """All else is exact: two programs may differ only on languages and sentences."""
    uncertain = {
        "change_case:english_capital",
        "change_case:english_lowercase",
        "language:response_language",
        "length_constraints:number_sentences",
    }

    assert {difference.checker for difference in agreement.differences} <= uncertain
    assert set(agreement.compared) == set(IFEVAL)


def test_the_page_shows_the_result(agreement):
    """If this fails, run `python -m tests.checkers.agreement`."""
    _, _, rest = PAGE.read_text("utf-8").partition(BEGIN)

    assert rest.partition(END)[0].strip() == table(agreement).strip()
