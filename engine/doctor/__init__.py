"""What can be measured with a study, and what is missing for the rest.

`examine` asks every measure of the catalogue itself, so that the answer is the one the user would get. May
import what `engine.study` may.
"""

from engine.doctor.diagnosis import Diagnosis, Kinship, Verdict
from engine.doctor.examine import examine

__all__ = ["Diagnosis", "Kinship", "Verdict", "examine"]
