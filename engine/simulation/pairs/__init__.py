"""Simulated studies of pairs: quality, equal and contrast pairs, votes, preferences, planted archetypes.

- `design`: what is planted, as frozen dataclasses; nothing is drawn there.
- `responses`, `gold`: how good responses are, which pairs are drawn, what gold judges say.
- `chances`: how likely each choice is; `verdicts`: choices drawn from that, in four variants; `rows`,
  `reasons`: these as tables.
- `study`, `expected`: the tables, a stream of judgments, and the planted truth.
- `cast`: contestants for those who only name them.

Arrays and Arrow tables only: nothing here imports pandas, the measures or the command line.
"""

from engine.simulation.pairs.cast import contestants
from engine.simulation.pairs.design import Contestant, PairDesign
from engine.simulation.pairs.study import SimulatedPairs, simulate_pairs

__all__ = ["Contestant", "PairDesign", "SimulatedPairs", "contestants", "simulate_pairs"]
