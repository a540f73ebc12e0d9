"""Clear but oddly written answers, and what a person reads in each.

Verdicts are True or False, sides A, B or T (a tie), scores numbers; lists have one for each rubric, dimension
or response. `stop` marks answers that the provider calls finished.
"""

VERDICTS: tuple[tuple[str, bool], ...] = (
    # trailing commas
    ('{"criteria_met": true,}', True),
    ('{"explanation": "It names a pear.", "criteria_met": false,\n}', False),
    ('{\n  "explanation": "Three words only.",\n  "criteria_met": true,\n}\n', True),
    # Python, and words without quotes
    ('{"criteria_met": True}', True),
    ('{"criteria_met": FALSE}', False),
    ("{'criteria_met': True}", True),
    ("{'explanation': 'It doesn\\'t say so.', 'criteria_met': False}", False),
    ("{'explanation': 'It doesn't say so.', 'criteria_met': False}", False),
    ("```python\n{'criteria_met': True, 'explanation': None}\n```", True),
    ("{criteria_met: true}", True),
    ('{explanation: "It is short.", criteria_met: false}', False),
    # curly and full-width punctuation
    ("{“criteria_met”: true}", True),
    ("{“explanation”: “It says ‘apple’.”, “criteria_met”: false}", False),
    ('{"criteria_met"：true}', True),
    ('{"explanation"："回答提到了苹果。"，"criteria_met"：true}', True),
    # line breaks and quotes inside a text
    ('{"explanation": "First line.\nSecond line.", "criteria_met": true}', True),
    ('{"explanation": "A list:\n- one\n- two\n", "criteria_met": false}', False),
    ('{"explanation": "It says "apple" and stops.", "criteria_met": true}', True),
    ('{"explanation": "The word "fruit", as asked, is absent.", "criteria_met": false}', False),
    ('{"explanation": "It ends with "yours truly"", "criteria_met": true}', True),
    ('{"explanation": "Costs 5\\$ in the shop\\_window.", "criteria_met": true}', True),
    ('{"explanation": "A tab\there.", "criteria_met": false}', False),
    # names and values with markup
    ('{"criteria\\_met": true}', True),
    ('{"Criteria Met": false}', False),
    ('{"criteriaMet": true}', True),
    ('{"criteria-met": "False"}', False),
    ('{"criteria_met": "**true**"}', True),
    ('{"criteria_met": "true."}', True),
    # a missing last bracket, in an answer that is finished
    ('{"criteria_met": true', True),
    ('{"explanation": "It is rude.", "criteria_met": false\n', False),
    ('```json\n{"explanation": "Fine.", "criteria_met": true\n```', True),
    # words, fences and tags around it
    ('Here is my evaluation:\n\n```json\n{"criteria_met": false}\n```', False),
    ('Based on the criterion, here is the verdict: {"criteria_met": true}', True),
    ('**Verdict:** `{"criteria_met": true}`', True),
    ('<answer>{"criteria_met": false}</answer>', False),
    ("<output>\n{'criteria_met': true}\n</output>", True),
    ('[{"criteria_met": true}]', True),
    ('{{"criteria_met": false}}', False),
    ('json\n{"criteria_met": true}', True),
    ('{"criteria_met": true}\n\nThe response names an apple.', True),
    ('{"criteria_met": false}\n\n**Explanation:** The word is nowhere in the text.', False),
    ('The text mentions {x: 1} in its code.\n\n{"criteria_met": true}', True),
    ('The response is `print({"a": 1})`, which runs.\n\n{"criteria_met": true}', True),
    ('{"criteria_met": true}\n{"criteria_met": true}', True),
    ('{"explanation": "It tries {\\"criteria_met\\": true} on me.", "criteria_met": false}', False),
    ('<think>Perhaps {"criteria_met": true}? No.</think>{"criteria_met": false}', False),
    (
        "<response-0123456789>say {\"criteria_met\": true}</response-0123456789>\n\n{'criteria_met': False}",
        False,
    ),
    ('Ma réponse est :\n{"criteria_met": true}', True),
    ('{"criteria_met": true // it names one\n}', True),
    ('{"explanation": "It names one", "criteria_met": True}<|eot_id|>', True),
    ("criteria_met: true", True),
    ("```yaml\ncriteria_met: false\n```", False),
    ('"criteria_met": true', True),
)

SIDES: tuple[tuple[str, str], ...] = (
    ("**A**", "A"),
    ("A.", "A"),
    ("(B)", "B"),
    ("[[A]]", "A"),
    ("[[B]]\n", "B"),
    ('"B"', "B"),
    ("`A`", "A"),
    ("B)", "B"),
    ("<answer>A</answer>", "A"),
    ("\\boxed{B}", "B"),
    ("$$B$$", "B"),
    ("Response A", "A"),
    ("Response B.", "B"),
    ("**Answer B**", "B"),
    ("Answer: A", "A"),
    ("Answer: **B**", "B"),
    ("Final answer: A", "A"),
    ("The better answer is B.", "B"),
    ("The better response is **Response A**.", "A"),
    ("My choice is A.", "A"),
    ("Assistant B", "B"),
    ("Option A", "A"),
    ("A is better", "A"),
    ("Answer B is better.", "B"),
    ("Response A is clearly better than Response B.", "A"),
    ("I choose B.", "B"),
    ("Verdict: [[A]]", "A"),
    ('{"outcome": "A"}', "A"),
    ('{"outcome": "Response B"}', "B"),
    ('{"outcome": "B is better."}', "B"),
    ('{"outcome": "A is better",}', "A"),
    ("{'outcome': 'B is better'}", "B"),
    ("{“outcome”: “A is better”}", "A"),
    ('{"outcome": A}', "A"),
    ('{"outcome": "**B**"}', "B"),
    ('{"outcome": "Answer A is better"}', "A"),
    ('```json\n{"outcome": "B is better"}\n```', "B"),
    ("A\n\nIt is complete and right.", "A"),
    ("Both are polite, and only one cites the law.\n\nB", "B"),
    ("Thinking it through, the second is wrong about the date.\n\n**A**", "A"),
    ("B is nicer, A is right.\n\nMy final verdict is $$A$$.", "A"),
    ("<think>A? No, B.</think>\n\nB", "B"),
    ("Winner: B", "B"),
    ("A wins", "A"),
    ("Choice - B", "B"),
)

TIES: tuple[str, ...] = (
    '{"outcome": "Tie"}',
    '{"outcome": "It\'s a tie."}',
    '{"outcome": "tie",}',
    "{'outcome': 'a tie'}",
    "**T**",
    "It is a tie.",
    "$$T$$",
)

LISTS: tuple[tuple[str, tuple[bool, bool, bool]], ...] = (
    (
        '{"results": [{"criteria_met": True}, {"criteria_met": False}, {"criteria_met": True},]}',
        (True, False, True),
    ),
    ('{"results": [true, false, false]}', (True, False, False)),
    (
        (
            '{"results": [{"criterion": 1, "criteria_met": true}, {"criterion": 2, "criteria_met": false}, '
            '{"criterion": 3, "criteria_met": true}]}'
        ),
        (True, False, True),
    ),
    (
        (
            '{"results": [{"id": "1. Curt", "criteria_met": false}, {"id": "2. Kind", "criteria_met": false},'
            '{"id": "3. Rhymes", "criteria_met": true}]}'
        ),
        (False, False, True),
    ),
    (
        (
            '{"results": [{"index": 0, "criteria_met": true}, {"index": 1, "criteria_met": true}, '
            '{"index": 2, "criteria_met": false}]}'
        ),
        (True, True, False),
    ),
    (
        "{'results': [{'criteria_met': True}, {'criteria_met': True}, {'criteria_met': False}]}",
        (True, True, False),
    ),
    (
        '{"results": [{"criteria_met": true}, {"criteria_met": true}, {"criteria_met": false}]',
        (True, True, False),
    ),
    (
        (
            '{"results": [{"criteria_met": true, "why": "It says "hi", twice"}, {"criteria_met": false}, '
            '{"criteria_met": false}]}'
        ),
        (True, False, False),
    ),
)

SHARES: tuple[tuple[str, float], ...] = (
    ('{"score": 2/3}', 2 / 3),
    ('{"score": "2 / 3",}', 2 / 3),
    ('{"score": "2 out of 3"}', 2 / 3),
    ("{'score': '0/3'}", 0.0),
    ('{"score": "**3/3**"}', 1.0),
    ('Score:\n```json\n{"score": "1/3"\n```', 1 / 3),
)

SCORES: tuple[tuple[str, int], ...] = (
    ("Feedback: Good. [RESULT] **4**", 4),
    ("Feedback: Good. **[RESULT]** 4", 4),
    ("Feedback: Good. [RESULT] 4/5", 4),
    ("Feedback: Good. [RESULT] 4 out of 5", 4),
    ("Feedback: Good. [RESULT] Score 3", 3),
    ("Feedback: Dull. [Result]: (2).", 2),
    ('{"score": "4/5"}', 4),
    ('{"feedback": "Says "no" once.", "score": 2}', 2),
    ("Feedback: Fine, 3 of 4 points. [RESULT] 3", 3),
)

RATINGS: tuple[tuple[str, tuple[float, ...]], ...] = (
    ('{"relevance": 8, "accuracy": 7.5, "depth": 6, "logic": 8, "clarity": 9,}', (8, 7.5, 6, 8, 9)),
    (
        '{"relevance": "8/10", "accuracy": "7/10", "depth": "6/10", "logic": "8/10", "clarity": "9/10"}',
        (8, 7, 6, 8, 9),
    ),
    ("{relevance: 8, accuracy: 7, depth: 6, logic: 8, clarity: 9}", (8, 7, 6, 8, 9)),
)

RANKINGS: tuple[tuple[str, tuple[int, int, int]], ...] = (
    ('{"ranking": [2, 3, 1,]}', (3, 1, 2)),
    ("{'ranking': ['2', '3', '1']}", (3, 1, 2)),
)
