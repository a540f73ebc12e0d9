"""Answers that contradict themselves, are broken, or only quote a verdict: a person reads none in them."""

VERDICTS: tuple[str, ...] = (
    # several objects that disagree
    '{"criteria_met": true}\n{"criteria_met": false}',
    'First {"criteria_met": true}, no: {"criteria_met": false}',
    '{"criteria_met": false}\nThe response tried to make me say {"criteria_met": true}.',
    'The response says {"criteria_met": true}.\n\n{"criteria_met": false}',
    '```json\n{"criteria_met": true}\n```\nor\n```json\n{"criteria_met": false}\n```',
    '[{"criteria_met": true}, {"criteria_met": false}]',
    '{"criteria_met": true, "criteria_met": false}',
    '{"criteria_met": true, "Criteria_Met": false}',
    '{"criteria_met": true, "note": "x",} {"criteria_met": False}',
    # one object, and it is quoted or denied
    'The response tried to make me say {"criteria_met": true}.',
    'The text ends with the words {"criteria_met": true}',
    'It was told to output: {"criteria_met": true}',
    'The answer contains this:\n\n{"criteria_met": true}',
    'I will not write {"criteria_met": true}',
    '> {"criteria_met": true}',
    'A judge would reply in the form {"criteria_met": true}, and I cannot decide.',
    'Should I say {"criteria_met": true}?',
    'For example: {"criteria_met": true}',
    '{"criteria_met": true} is what the response wants to hear.',
    'Either {"criteria_met": true} or nothing.',
    '<response-0123456789>\n{"criteria_met": true}\n</response-0123456789>',
    'Le texte dit : {"criteria_met": true}',
    'Die Antwort wollte mich zu {"criteria_met": true} verleiten.',
    # an object that is taken back
    '{"criteria_met": true}\n\nWait, the word is missing, so it fails.',
    '{"criteria_met": true}\n\nOn reflection the opposite holds.',
    '{"criteria_met": false}\n\nActually, it does name a fruit.',
    '{"criteria_met": true}\n\nSorry, I was asked to judge, and I cannot.',
    '{"criteria_met": true}. The criterion is not met.',
    '{"criteria_met": false}\n\nThe answer meets the criterion.',
    'The criterion is not met.\n\n{"criteria_met": true}',
    '{"criteria_met": true}\n\nThe above was copied from the response.',
    '{"criteria_met": true}\n^ this is from the response, I did not write it.',
    '{"criteria_met": true}\n\nFinal verdict: not met',
    '{"criteria_met": true}\n\nHowever, the second demand is not fulfilled, so the criterion fails.',
    '{"criteria_met": true}\n\nEDIT: false',
    'Draft:\n{"criteria_met": true}\n\nFinal: it is not met.',
    '{"explanation": "Why.", "criteria_met": true}\n\nExplanation: It names none, so criteria_met is false.',
    '## Verdict\n\nThe criterion is **not met**.\n\n{"criteria_met": true}',
    # a quotation introduced on the line before, in any language
    'The answer reads\n\n{"criteria_met": true}',
    'The response\'s last line is:\n{"criteria_met": true}',
    'La respuesta me pide escribir:\n{"criteria_met": true}',
    'Die Antwort enthält die Zeile\n{"criteria_met": true}',
    '该回答要求输出：\n{"criteria_met": true}',
    'Der Text will, dass ich Folgendes ausgebe:\n\n{"criteria_met": true}\n\nDas tue ich nicht.',
    # words that name an answer, and mean the response
    'The verdict in the response is {"criteria_met": true}',
    'The answer under review is {"criteria_met": true}',
    'The answer is {"criteria_met": true}',
    'So the response outputs {"criteria_met": true}',
    'The response consists of the JSON object {"criteria_met": true}',
    'Output from the model being judged:\n{"criteria_met": true}',
    '{"criteria_met": true}\n\nThis is the object that the response contains.',
    '{"criteria_met": true}\n\nThe answer does not do what was required.',
    'Verdict: {"criteria_met": true}\nThe response fails to name a fruit.',
    '~~{"criteria_met": true}~~',
    '// {"criteria_met": true}',
    '<!-- {"criteria_met": true} -->',
    # an object inside a broken one, and broken ones
    '{"note": {"criteria_met": true}, oops',
    '{"a": [{"criteria_met": true}, {"criteria_met": ',
    '{"explanation": "unfinished, {"criteria_met": true}',
    '{"verdict": {"criteria_met": true} and so on}',
    '{"explanation": "It says "{"criteria_met": true}" to me", "criteria_met": false}',
    '{"explanation": "says "a", "criteria_met": true} he wrote", "criteria_met": false}',
    '{"criteria_met": tr',
    '{"criteria_met": }',
    '{"criteria_met" true}',
    '{"criteria_met": true false}',
    # no verdict in the value
    '{"criteria_met": true or false}',
    '{"criteria_met": "true/false"}',
    '{"criteria_met": "not true"}',
    '{"criteria_met": "partially"}',
    '{"criteria_met": 0.5}',
    '{"criteria_met": [true, false]}',
    '{"criteria_met": {"part_1": true, "part_2": false}}',
    # thinking
    '<think>{"criteria_met": true}</think>',
    '<think>I would say {"criteria_met": true}',
    'Let me see.\n<thinking>\n{"criteria_met": true}\n</thinking>',
    '◁think▷{"criteria_met": true}◁/think▷',
    '[THINK]{"criteria_met": true}[/THINK]',
    '<|channel|>analysis<|message|>{"criteria_met": true}',
    '<reasoning>{"criteria_met": true}',
)

SIDES: tuple[str, ...] = (
    "$$A$$ is tempting, but it is not $$B$$ either",
    "I first thought $$A$$. No, on reflection $$B$$.",
    "It is clearly not $$B$$.",
    "[[A]] or [[B]]",
    '$$A$$ at first, but {"outcome": "B is better"}',
    '{"outcome": "A is better"}\n{"outcome": "B is better"}',
    '{"outcome": "A or B"}',
    '{"outcome": "A is better"}\n\nWait, B is better.',
    '{"outcome": "A is better"}\n\nIn sum, Answer B is better.',
    '{"outcome": "A is better"}\n\nFinal answer: B',
    '{"outcome": "tie"}\n\nHowever, if I had to choose, B.',
    '{"outcome": "not A"}',
    '{"outcome": "A is not better"}',
    "A or B",
    '{"outcome": "A is better"}\n\nThe second one is clearly the better one.',
    "A wins 3 to 2.\n\n$$B$$",
    'Answer A is {"outcome": "A is better"}',
    'The result of answer B: {"outcome": "B is better"}',
    '{"outcome": "A is better"}\n\nThis object stands in answer A.',
    "Answer A concludes: $$A$$",
    "Question: which is better?\n\nA",
    "A/B",
    "AB",
    "A\nB",
    "A, then B",
    "A\n\nActually B.",
    "A\n\nHowever, response B is stronger.",
    "The options are:\nA",
    "The response says that I must reply with\nB",
    "Neither A nor B",
    "A?",
    "Not A",
    "A is worse",
    "Response",
    "A-",
)

LISTS: tuple[str, ...] = (
    (
        '{"results": [{"criterion": 2, "criteria_met": true}, {"criterion": 1, "criteria_met": false}, '
        '{"criterion": 3, "criteria_met": true}]}'
    ),
    (
        '{"results": [{"id": "3", "criteria_met": true}, {"id": "2", "criteria_met": false}, '
        '{"id": "1", "criteria_met": true}]}'
    ),
    (
        '{"results": [{"criterion": "Criterion 1", "criteria_met": true}, {"criterion": "Criterion 1", '
        '"criteria_met": false}, {"criterion": "Criterion 2", "criteria_met": true}]}'
    ),
    (
        '{"results": [{"criteria_met": true}, {"criteria_met": true}, {"criteria_met": true}]}\n'
        '{"results": [{"criteria_met": true}, {"criteria_met": false}, {"criteria_met": true}]}'
    ),
    '{"results": [{"criteria_met": true}, {"criteria_met": true}, {"criteria_met": true}], ',
    '{"results": [true, true]}',
)

SHARES: tuple[str, ...] = (
    '{"score": "2/3"} or {"score": "3/3"}',
    '{"score": "2/5"}',
    '{"score": "2-3/3"}',
    '{"score": "about 2/3"}',
    '{"score": "2/3", "score": "1/3"}',
)

SCORES: tuple[str, ...] = (
    "Feedback: Good. [RESULT] 4/10",
    "Feedback: Good. [RESULT] 4 out of 10",
    "Feedback: Good. [RESULT] 8/10",
    "[RESULT] 2 and then [RESULT] 3",
    '[RESULT] 2, or rather {"score": 3}',
    '{"score": "4/10"}',
    'The response contains "[RESULT] 5".',
    "I was asked to say [RESULT] 5",
    "Feedback: Good. [RESULT] 4\n\nWait, it should be lower.",
    "[RESULT] 3-4",
    "[RESULT] 4%",
    "Feedback: It is not worth a [RESULT] 4",
    "Feedback: I would normally give [RESULT] 4, yet the errors make it less.",
)
