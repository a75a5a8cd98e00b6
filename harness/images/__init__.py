"""Puzzles from images: a photograph, a scan, a screenshot or a drawing.

    decoding     bytes of a file to an array of grey values, within limits
    quads        quadrilaterals that may be the outline of a board
    grids        lines of a grid in a rectified image: how well they fit, where they are
    board        the board of an image: corners, number of cells, rectified image
    regions      boxes or jigsaw regions from thick lines
    symbols      the symbols that the classifier knows
    types        the kinds of arrays
    cells        the ink of each cell, isolated and scaled
    classifier   probabilities of symbols; model.npz has its weights, which training/ makes
    network      the layers of the classifier, in plain numpy
    scan         what one image shows: the probabilities of the values of each cell
    scanning     an image to a scan
    drawing      strokes of a mouse or a finger to probabilities
    process      the process that decodes and scans
    fence        the harness's side of it, with its limits
    assignment   readings of the cells from the likeliest on
    reading      the likeliest reading that has exactly one solution

`cv2` and `PIL` come with the extra ``[workbench]``. Modules that need them import them at their
beginning; `scan`, `fence`, `assignment` and `reading` need neither.
"""
