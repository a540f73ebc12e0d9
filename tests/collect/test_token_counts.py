"""Tokens counted by script, against the vocabularies that litellm ships."""

from pathlib import Path

import pytest

from engine.collect.calls import Message
from engine.collect.token_counts import message_tokens, text_tokens

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
