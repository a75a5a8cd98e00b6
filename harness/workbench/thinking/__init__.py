"""The trace of the reasoning for a puzzle as data, found in a process of its own.

messages    what the process gets and sends
events      the events of the rules, then of a search
marks       what a drawing marks of a reason
steps       events as steps, with the board from which each starts
difficulty  the level of a puzzle, and the hardest rule that it needs
process     the process
traces      the traces of the pages
graph       the bilocation graph of a board
routes      the routes
"""
