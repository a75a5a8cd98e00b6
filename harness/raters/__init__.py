"""Raters: plugins that give a puzzle a number for its difficulty.

rater        the interface of a rater
registry     raters by name, from entry points, and command files
checked      calls of raters whose code is not trusted
guesses      the guesses of a search, on average over scrambles
reasoned     the ratings of `harness.reasoning.rating`
pencilmark   the package pencilmark
hodoku       the package hodoku-py
command      programs as raters
"""

from harness.raters.rater import Rater

__all__ = ["Rater"]
