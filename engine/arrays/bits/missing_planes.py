"""Cells without a verdict of a judge, as planes of bits: asked about without one, and never asked about."""

import numpy as np

from engine.arrays.bits.bitsets import Words
from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.view import SliceView


def missing_verdicts(view: SliceView, truth: str) -> Words:
    """Return the cells of that `truth` on which a judge was asked but has no verdict, as a plane.

    Divided repeats give no verdict; a cell that was never asked about is absent (`absent_verdicts`).
    """
    planes = view.rubric.planes
    return view.rubric.take(planes.judged_words & ~planes.cube.ok & _of_truth(view, truth))


def absent_verdicts(view: SliceView, joint: JointVerdicts, truth: str) -> Words:
    """Return the cells of that `truth` that another judge judged and that a judge has no row for, as a plane.

    Only where the judge has a row for some other answer to the same criterion. For its own and its relatives'
    cells, the other judge is of another family.
    """
    planes, masks = view.rubric.planes, joint.masks
    judged = view.rubric.take(planes.judged_words)
    anyone = np.bitwise_or.reduce(joint.counted, axis=0)
    absent: Words = ~judged & np.bitwise_or.reduce(judged, axis=1)[:, None] & anyone
    if not absent.any():
        return absent
    for j, g in zip(*np.nonzero(~masks.other), strict=True):
        absent[j, g] &= np.bitwise_or.reduce(joint.counted[masks.outside[j], g], axis=0, initial=0)
    of_truth = np.broadcast_to(_of_truth(view, truth), planes.cube.ok.shape)
    return np.asarray(absent & view.rubric.take(of_truth))


def _of_truth(view: SliceView, truth: str) -> Words:
    """Return the cells that the reference fails, or has met, or all: to be combined with planes."""
    planes = view.rubric.planes
    if truth == "any":
        return np.full((1, 1, 1), ~np.uint64(0))
    favourable = (planes.reference.met ^ planes.negative) & planes.reference.has
    return np.asarray(favourable if truth == "met" else planes.reference.has & ~favourable)
