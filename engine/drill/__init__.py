"""The judgments behind a number: which they are, and what was said in each.

- `cells`: the places in a study's arrays that a kind of finding is made of, counted as the measures count.
- `texts`: prompts, criteria, responses and reasons: searched, and read for one item.
- `listing`: `rows`, one page of the judgments behind a selection, with their total number.
- `beside`: the verdict of a second judge, or on a second response, set beside each of them.
- `calls`: how a judge was asked and what came back, as far as that is stored.
- `item`: `item`, one judgment with everything around it; `prompts`: `prompt`, what its judge was sent.

It reads what it shows and no more, and may import all of `engine` but measures, charts and commands.
"""

from engine.drill.beside import Beside
from engine.drill.cells import KINDS
from engine.drill.item import Item, Said, item
from engine.drill.listing import Listing, rows
from engine.drill.prompts import prompt

__all__ = ["KINDS", "Beside", "Item", "Listing", "Said", "item", "prompt", "rows"]
