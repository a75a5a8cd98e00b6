"""Puzzles from images: a photograph, a scan, a screenshot or a drawing.

    board        the board of an image: corners, number of cells, rectified image
    cells        the ink of each cell, isolated and scaled
    classifier   probabilities of symbols; model.npz has its weights, which training/ makes
    scan         what one image shows: the probabilities of the values of each cell
    scanning     an image to a scan
    fence        the process that decodes and scans untrusted files, with its limits
    reading      the likeliest reading that has exactly one solution

`cv2` and `PIL` come with the extra ``[workbench]``. Modules that need them import them at the top;
`scan`, `fence` and `reading` need neither.
"""
