"""Reasoning about puzzles of any shape, step by step, as a person does.

board      candidates of all cells, values placed, conclusions with their reasons, and rules
rules      the rules, a module for each kind
graphs     the bilocation and the bivalue graph, and nonrepetitive walks in them
solving    solving by rules without search
search     search with rules between guesses, depth first or breadth first
trace      the events of a search, and their views
tree       the tree of a search as a drawing
drawing    a board as a drawing, with a conclusion
ladder     the rules by name, simplest first, and the levels of generated puzzles
rating     how difficult a puzzle is, by several measures
"""
