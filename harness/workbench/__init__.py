"""The workbench: a web application on this machine, in which the whole harness can be used.

access          who may use it: token, cookie, Host and Origin
connections     limits of the time in which a request arrives
open_requests   the requests that are being answered, which end with the server
bodies          what a request may contain, up to a size
refusals        errors as answers
replies         objects as answers
sentences       errors as one line
specs           the specs of backends in requests
hub             messages to all open pages
child           a process that the server starts; leash is its beginning
answering       a process that stays, and answers one line with one line
commands        Python modules that run to their end, with limits
jobs            work that takes a while and can be cancelled
memory          the memory that a question may use
scratch         the folder for temporary files
cores           the cores on which no sweep measures
boards          shapes, puzzles and drawings for the board
questions       the questions of the pages, and their answers; asker is their process
contradictions  which answers contradict each other
certificates    proofs of numbers of solutions
thinking        the reasoning step by step
image_reading   puzzles from images, values drawn into a cell; stroke_reader is its process
generating      generated puzzles; generator is its process
catalogue       the backends that can be chosen
runs            the runs of the folder of results, and the sweeps that the pages start
app             the application with all its routes
serving         the server
static/         the page, its style and its scripts
"""
