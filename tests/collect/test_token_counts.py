"""Tokens counted by script, against the vocabularies that litellm ships."""

from itertools import pairwise
from pathlib import Path

import pytest

from engine.collect.calls import Message
from engine.collect.client.token_counts import TokenRange, message_tokens, prompt_tokens, text_tokens

TEXTS = {
    "English": "The patient should see a clinician within two days if the fever does not fall.",
    "German": "Wenn das Fieber nicht sinkt, müssen Sie innerhalb von zwei Tagen einen Arzt aufsuchen.",
    "Vietnamese": "Nếu cơn sốt không giảm, bệnh nhân nên đi khám bác sĩ trong vòng hai ngày.",
    "Russian": "Если температура не снижается, пациенту следует обратиться к врачу.",
    "Greek": "Αν ο πυρετός δεν πέσει, ο ασθενής πρέπει να δει γιατρό μέσα σε δύο ημέρες.",
    "Hebrew": "אם החום אינו יורד, על המטופל לפנות לרופא תוך יומיים.",
    "Arabic": "إذا لم تنخفض الحمى فيجب على المريض مراجعة الطبيب خلال يومين.",
    "Hindi": "यदि बुखार कम नहीं होता है तो रोगी को दो दिनों के भीतर चिकित्सक से मिलना चाहिए।",
    "Tamil": "காய்ச்சல் குறையவில்லை என்றால் நோயாளி மருத்துவரை அணுக வேண்டும்.",
    "Thai": "หากไข้ไม่ลดลง ผู้ป่วยควรไปพบแพทย์ภายในสองวัน",
    "Chinese": "如果发烧没有消退,患者应在两天内就医。请判断回答是否正确,并给出理由。",
    "Japanese": "熱が下がらない場合、患者は二日以内に医師の診察を受けるべきです。",
    "Korean": "열이 내리지 않으면 환자는 이틀 안에 의사의 진료를 받아야 합니다.",
    "emoji": "😀🎉🚀🧬🫠🥲" * 3,
    "code": "def spend(cap: float, calls: int = 3_000) -> float:\n    return min(cap, calls * 0.01)\n",
    "minified code": "function(e,t){var n=e[t]||{};for(var r=0;r<n.length;r++){if(n[r]!==-1){return!!n}}}",
    "mathematics": r"\int_0^{\infty} \frac{x^{s-1}}{e^x-1}\,dx = \Gamma(s)\zeta(s)",
    "JSON": '{"results": [{"criteria_met": true, "explanation": "It does."}], "n": 12345}',
    "a hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
}


def count_by(vocabulary: str, text: str) -> int:
    """Return the tokens of a text by a vocabulary that litellm has in its package; skip if it has none."""
    litellm, tiktoken = pytest.importorskip("litellm"), pytest.importorskip("tiktoken")
    folder = Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers"
    if not any(folder.glob("[0-9a-f]*")):
        pytest.skip("this litellm ships no vocabulary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        return len(tiktoken.get_encoding(vocabulary).encode(text, disallowed_special=()))


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("vocabulary", ["cl100k_base", "o200k_base"])
def test_a_texts_tokens_lie_between_the_two_counts(kind: str, vocabulary: str) -> None:
    text = TEXTS[kind]

    assert text_tokens(text).low <= count_by(vocabulary, text) <= text_tokens(text).high


@pytest.mark.parametrize("kind", ["English", "code", "Chinese", "Korean"])
def test_the_high_count_is_no_more_than_twice_that_of_an_older_vocabulary(kind: str) -> None:
    assert text_tokens(TEXTS[kind]).high <= 2 * count_by("cl100k_base", TEXTS[kind])


def test_a_prompt_counts_its_messages_too() -> None:
    messages: list[Message] = [{"role": "system", "content": ""}, {"role": "user", "content": "a" * 100}]

    counts = message_tokens(messages)

    # 100 small letters at .2 to .3 tokens, 4 to 8 for each message, and one to round up each high count
    assert (counts.low, counts.middle, counts.high) == (28, 38, 48)


def test_a_lone_surrogate_is_counted() -> None:
    assert text_tokens("\ud800").high >= 1


SCRIPTS = {
    # the first and the last character, and one between them
    "letters": "azm",
    "marked letters": "\u0080\u02bf\u00e9",
    "Greek and Cyrillic": "\u02c0\u04ff\u03b1",
    "Hebrew and Arabic": "\u0500\u07ff\u05d0",
    "the scripts of India": "\u0800\u0fff\u0915",
    "scripts of few vocabularies": "\u1000\u1fff\u1780",
    "signs": "\u2000\u2fff\u2212",
    "Chinese and Japanese": "\u3000\u9fff\u4e2d",
    "Korean": "\ua000\ud7ff\uac00",
    "wide forms": "\ue000\uffff\uff0c",
    "emoji": "\U00010000\U0010ffff\U0001f600",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_all_characters_of_a_script_count_alike(script: str) -> None:
    first, last, typical = (text_tokens(character * 1_000) for character in SCRIPTS[script])

    assert first == last == typical


def test_neighbouring_scripts_count_differently_and_so_do_signs_beside_letters() -> None:
    counts = [text_tokens(characters[0] * 1_000) for characters in SCRIPTS.values()]
    sides = [text_tokens(sign * 1_000) for sign in "`{!\x1f"]

    assert all(one != other for one, other in pairwise(counts))
    assert set(sides) == {text_tokens("7" * 1_000)}  # as digits and capitals
    assert text_tokens(" " * 1_000) not in sides


def test_the_counts_of_a_mixed_text_are_those_of_its_characters() -> None:
    low, high = 0, 0
    for characters in SCRIPTS.values():
        counts = text_tokens(characters[2] * 1_000)
        low, high = low + counts.low, high + counts.high - 1
    text = "".join(characters[2] * 1_000 for characters in SCRIPTS.values())

    assert (text_tokens(text).low, text_tokens(text).high) == (
        pytest.approx(low, abs=len(SCRIPTS)),
        pytest.approx(high, abs=len(SCRIPTS)),
    )


@pytest.mark.parametrize(("low", "high", "middle"), [(2, 4, 3), (2, 5, 4), (0, 1, 1), (3, 3, 3)])
def test_the_middle_of_a_range_is_rounded_up(low: int, high: int, middle: int) -> None:
    assert TokenRange(low, high).middle == middle


def test_a_high_count_is_reserved_for_a_prompt() -> None:
    assert prompt_tokens([{"role": "user", "content": "a" * 100}]) == 39  # 30, 1 to round up, and 8
