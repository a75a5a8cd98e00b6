"""Boards and conclusions as drawings.

svg      a board with a conclusion and a graph of links, as SVG
marks    the fills of a reason: houses, cells and candidates
curves   curves between candidates, and their labels
room     the room that a drawing has left
"""
