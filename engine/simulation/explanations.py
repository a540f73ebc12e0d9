"""What the judges of the demonstration study say: reasons, and answers without a verdict."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.simulation.study import SimulatedStudy

LONGEST_QUOTE = 90

FOUND = "The response does this: “{piece}”"
FOUND_WRONGLY = "Taken as a whole, the response does this."
NOT_FOUND = "Nothing in the response does this."
NOT_FOUND_QUOTED = "“{piece}” comes near, but does not do this."
OVERLOOKED = "I did not see this in the response."


SPOILT = {
    "unparsed": "Mostly yes, though it depends on how one reads it.",
    "refused": "The request was declined by the provider.",
}


def raw_answers(judgments: pa.Table) -> pa.ChunkedArray:
    """Return what was said where no verdict could be read, null for rows with status ok."""
    return pa.chunked_array([_raw(chunk) for chunk in judgments["status"].chunks])


def _raw(status: pa.DictionaryArray) -> pa.DictionaryArray:
    words = pa.array([SPOILT.get(name) for name in status.dictionary.to_pylist()], pa.string())
    return words.take(status.indices).dictionary_encode()


def explanations(
    judgments: pa.Table, study: SimulatedStudy, pieces: Sequence[Sequence[str]]
) -> pa.ChunkedArray:
    """Return a reason for each single_rubric verdict with status ok, null for all other rows.

    `judgments` are all rows of `study`, in their order; `pieces` has for each generator the text that
    stands for each of the K rubrics (empty where it was left out).
    """
    truth = study.truth.met
    sentences: list[str] = []
    # For each (generator, rubric) the sentence of a verdict `not met` and, after it, that of `met`.
    for row, texts in enumerate(pieces):
        for rubric, piece in enumerate(texts):
            sentences += _sentences(piece, bool(truth[row, rubric]))
    vocabulary = pa.array(sentences).dictionary_encode()
    codes = vocabulary.indices.to_numpy().reshape(-1, 2)
    cells = np.tile(np.arange(truth.size), len(study.design.judges))
    met = _single_rubric_verdicts(judgments)
    drawn = met.fill_null(False).to_numpy(zero_copy_only=False).astype(int)
    chosen = pa.array(codes[cells, drawn], mask=met.is_null().to_numpy(zero_copy_only=False))
    rest = pa.nulls(len(judgments) - len(chosen), chosen.type)
    return pa.chunked_array(
        [pa.DictionaryArray.from_arrays(part, vocabulary.dictionary) for part in (chosen, rest)]
    )


def _single_rubric_verdicts(judgments: pa.Table) -> pa.Array:
    """Return `met` of the single_rubric rows, which come first in a simulated study."""
    rows = pc.equal(judgments["paradigm"].cast(pa.string()), "single_rubric")
    return judgments.filter(rows)["met"].combine_chunks()


def _sentences(piece: str, truly_met: bool) -> tuple[str, str]:
    """Return the reasons for `not met` and for `met`."""
    line = piece.split("\n")[0]
    quote = line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE].rsplit(" ", 1)[0] + " …"
    if truly_met:
        return OVERLOOKED, FOUND.format(piece=quote)
    return (NOT_FOUND_QUOTED.format(piece=quote) if quote else NOT_FOUND), FOUND_WRONGLY
