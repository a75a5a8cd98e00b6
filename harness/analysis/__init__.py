"""What a run means: its trials as a frame, its summary, who disagrees with whom."""

from harness.analysis.agreement import Disagreement, agreement
from harness.analysis.run import Run, load
from harness.analysis.summary import summary

__all__ = ["Disagreement", "Run", "agreement", "load", "summary"]
