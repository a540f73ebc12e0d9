"""Simulated studies: generators and judges whose skill and bias are planted, so that they are known.

- `design`: what is planted, as frozen dataclasses; nothing is drawn there.
- `cast`: models for those who only name them.
- `items`, `truth`: instances with their rubrics, and which response meets which of them.
- `probabilities`: how likely a judge is to err; `verdicts`: verdicts drawn from that, in four paradigms;
  `rows`: the verdicts as record batches.
- `study`, `writing`: the tables, a stream of judgments and the planted truth of one simulated study.
- `pairs`, `orders`: whole studies of pairs of responses, and of the orders of options and lists.
- `demo_study`, `demo_texts`, `drafts`, `explanations`, `demo_health`, `demo_pairs`, `demo_orders`,
  `demo_verifiable`: the demonstration studies, whose responses are put together from readable texts.
- `provider`: simulated models that answer messages, for whole runs without a key.
- `columns`: makers of Arrow columns that these share.

Arrays and Arrow tables only: nothing here imports pandas, the measures or the command line.
"""

from engine.simulation.cast import cast
from engine.simulation.design import Bias, Design, Model, Slice
from engine.simulation.study import SimulatedStudy, simulate, simulate_items

__all__ = ["Bias", "Design", "Model", "SimulatedStudy", "Slice", "cast", "simulate", "simulate_items"]
