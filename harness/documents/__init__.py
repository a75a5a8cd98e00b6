"""The documents of ``--json``: their keys, types and meanings, each declared once.

``docs/machine-output.md`` follows from the declarations, and the tests decode what the
commands print into them.

    document      what all documents share
    answers       answers to one puzzle, and certificates of them
    reasoning     traces of searches, and hints
    images        puzzles of images
    puzzles       puzzles, datasets and raters
    backends      backends and their options
    machine       the state of a machine
    agreement     the comparison of all answers
    fuzzing       comparisons on random puzzles
    runs          runs, their plans and their reports
    comparisons   comparisons of runs, and trends
    fill          documents from the objects of a run and its analysis
    fill_traces   documents of events
"""
