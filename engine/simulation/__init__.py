"""Simulated studies with a planted bias (layer 4), and simulated models that answer prompts.

- `rubrics`, `pairs` and `orders` each make a study; `design`, `pair_design`, `order_design`: what they plant.
- `provider` answers messages like a model, so that a run works without a key: `prompt_reading` reads what is
  asked, `oracle` knows the truth, `judge_answers` err about it, and `planted` holds the settings.
- `study_tables` has the Arrow columns and the writing that they share.

Arrays and Arrow tables only: no pandas, no measures, no command line.
"""
