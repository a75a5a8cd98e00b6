"""What happens in a search, as events, and the views of these events.

events       the events: data without any text
recording    makes the events of a search
tracker      TRACKER, TRACKHIST and PAV: four columns
branches     the branches of the search tree by name
search_tree  the search tree, with large parts folded
tree         its drawing in a terminal
tree_svg     its drawing as SVG
steps        the board after each step
words        each event in words
"""
