"""Puzzles as drawings.

layout   what is drawn: regions, marks of cells, the candidates of a cell
text     a drawing for a terminal
sheet    the parts of an SVG drawing
caption  the text around the grid of an SVG drawing
svg      a drawing as an SVG file
"""
