"""The workbench: a web application on this machine, in which the whole harness can be used.

access      who may use it: token, cookie, Host and Origin
bodies      what a request may contain, up to a size
refusals    errors as answers
replies     objects as answers
hub         messages to all open pages
boards      shapes, puzzles and drawings for the board
asker       a process that puts questions to backends
questions   the questions of the pages, and their answers
thinking    the reasoning step by step
cores       the cores on which no sweep measures
catalogue   the backends that can be chosen
runs        the runs of the folder of results, and the sweeps that the pages start
app         the application with all its routes
serving     the server
static/     the page, its style and its scripts
"""
