"""Simulated studies of orders: scores picked from lists of options, criteria judged in lists.

- `design`: what is planted, as frozen dataclasses; nothing is drawn there.
- `scores`: stories, how likely each score is in each ordering, what is drawn; `lists`: verdicts by place in
  the list; `rows`: both as tables.
- `study`: the tables, a stream of judgments, and the planted truth.
- `cast`: scorers for those who only name them.

Arrays and Arrow tables only: nothing here imports pandas, the measures or the command line.
"""

from engine.simulation.orders.cast import scorers
from engine.simulation.orders.design import OrderDesign, Scorer
from engine.simulation.orders.study import SimulatedOrders, simulate_orders

__all__ = ["OrderDesign", "Scorer", "SimulatedOrders", "scorers", "simulate_orders"]
