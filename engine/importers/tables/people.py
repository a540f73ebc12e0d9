"""Which person gave a reference: by the ids of a column, else by the order of the rows.

Two people, or one person twice, may have judged the same thing. Their verdicts are stored side by side, the
first as `human:1`, the second as `human:2`, if the table does not name the people.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from engine.importers.option_spelling import OptionSpelling


@dataclass(slots=True)
class People:
    """The verdicts of people on each thing, in the order of the rows."""

    votes: dict[Hashable, list[Hashable]] = field(default_factory=dict)
    rows: dict[Hashable, Hashable] = field(default_factory=dict)

    def number(self, thing: Hashable, verdict: Hashable, row: Hashable) -> int:
        """Return the number of the person who gave a verdict on a thing, from 1.

        A row of the file is one person's vote, though a wide table makes several judgments of it. If `row` is
        None the same verdict may stand beside several judgments: it is another person's only if it differs.
        """
        votes = self.votes.setdefault(thing, [])
        if row is None and verdict in votes:
            return votes.index(verdict) + 1
        if row is not None and self.rows.get(thing) == row:
            return len(votes)
        self.rows[thing] = row
        votes.append(verdict)
        return len(votes)

    @property
    def repeated(self) -> list[Hashable]:
        """The things on which there are several votes."""
        return [thing for thing, votes in self.votes.items() if len(votes) > 1]

    @property
    def conflicting(self) -> int:
        """The number of things on which the votes differ."""
        return sum(len(set(votes)) > 1 for votes in self.votes.values())

    @property
    def undecided(self) -> int:
        """The number of things on which no verdict has more than half of the votes."""
        return sum(2 * Counter(votes).most_common(1)[0][1] <= len(votes) for votes in self.votes.values())

    @property
    def most(self) -> int:
        return max(map(len, self.votes.values()), default=0)

    def note(
        self, things: str, name: Callable[[int], str], spelling: OptionSpelling, *, by_majority: bool
    ) -> str:
        """Return a sentence on several votes on `things`, counted already; `name` gives a person's name.

        `by_majority` if a strict majority of them says what is true.
        """
        names = f"{name(1)} {'and' if self.most == 2 else 'to'} {name(self.most)}"
        lost = ""
        if by_majority and self.undecided:
            lost = (
                f"; {self.undecided:,} without a majority have no truth, and are left out where it is needed"
            )
        return (
            f"people gave several verdicts on {things}, and differ on "
            f"{self.conflicting:,}: they are {names}, in the order of the rows "
            f"({spelling.columns({'annotator': 'FIELD'})} names them){lost}"
        )
