"""What a simulated generator writes: short texts that can be read, of the prompt's own words."""

import random
import re

from engine.simulation.provider.asked import Question

_WORD = re.compile(r"[^\W\d_]{4,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
OPENINGS = (
    "In short: it depends on {a}.",
    "The answer begins with {a}.",
    "Let us look at {a} first.",
    "A good place to start is {a}.",
)
SENTENCES = (
    "Most people notice {a} before they think of {b}.",
    "There is a link between {a} and {b}, and it is easy to test.",
    "Keep {a} apart from {b}, and the rest follows.",
    "What holds for {a} need not hold for {b}.",
    "Write down what you know of {a}, then compare it with {b}.",
    "If {a} is not clear yet, {b} is the safer choice.",
    "Check {a} twice; {b} can wait.",
)
CLOSINGS = ("That is the whole of it.", "The rest is practice.", "This should be enough to go on.")
REWRITTEN = ("In other words:", "Put differently:", "Said another way:")
LONGEST_SOURCE = 2_000  # characters of the prompt that words are taken from


def written(asked: Question, draw: random.Random) -> str:
    """Return a response to the prompt, of three to seven sentences."""
    words = list(dict.fromkeys(_WORD.findall(asked.prompt[:LONGEST_SOURCE]))) or ["this", "that"]
    sentences = [draw.choice(OPENINGS), *draw.sample(SENTENCES, draw.randint(1, 5)), draw.choice(CLOSINGS)]
    return " ".join(each.format(a=draw.choice(words), b=draw.choice(words)) for each in sentences)


def rewritten(asked: Question, draw: random.Random) -> str:
    """Return the response in another order of sentences, after an opening that says so."""
    first, *rest = _SENTENCE.split(asked.responses[0].strip())
    draw.shuffle(rest)
    return " ".join([draw.choice(REWRITTEN), first, *rest]).strip()
