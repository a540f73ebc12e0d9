"""What can be chosen in a study: as `engine.choices` finds it, for reports too."""

from engine.choices import SETTLED, Choices, choices_of

__all__ = ["SETTLED", "Choices", "choices_of"]
