"""Fuzzing: an endless stream of puzzles on which backends are compared.

shapes         the shapes of the stream, and how often each occurs
puzzles        random puzzles of a shape, from full grids to contradictions
laws           related puzzles, and what must hold between their numbers of solutions
claims         what an answer claims, as an interval of numbers of solutions
reference      the number of solutions by the internal solver, which no backend uses
option_space   specs with other values of options
blocks         puzzles of one shape with the questions about them
stream         the trials of all blocks, and their comparison
findings       contradictions, crashes and broken laws
history        the calls that a worker has had
calls          a sequence of calls, and its answers from a new worker
judgement      who is right, with the evidence
shrinking      smaller cases with the same fault
saved          cases as files, and their replay
fuzz           all of it, for some seconds or trials
"""
