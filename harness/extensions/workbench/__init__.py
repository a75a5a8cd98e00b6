"""The workbench: a web application on this machine that offers the whole harness.

app            the application with all its routes, and the server
access         who may use it: token, cookie, Host and Origin
messages       what pages send and get: bodies of requests, answers as JSON, events
register       what pages have started, by name, to be cancelled and ended
processes      commands and functions of the harness in processes of their own
answering      the process of a function
cores          the cores on which no sweep measures, and the memory limit of a question
boards         shapes, puzzles and drawings for the board
questions      the questions of the pages, their answers, and contradictions among the answers
jobs           work that a page starts: generated puzzles, certificates
image_reading  puzzles from images, values drawn into a cell
traces         the reasoning step by step; trace_steps finds the steps
runs           the runs of the folder of results
following      the trials of runs as they end
sweeps         the runs that the pages start
digest         the tables of runs and comparisons
run_routes     the routes of runs
static/        the page, its style and its scripts
"""
