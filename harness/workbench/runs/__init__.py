"""The runs under ``results/``: listed, started, followed, shown and compared.

folders     the folders of runs, and the names by which a request may name them
facts       what a listing shows of a run
listing     the runs, filtered and in pages
following   the trials of a run as they end
request     a sweep as a page sets it up, and its files
launcher    the process of a sweep
sweeps      the sweeps that this workbench runs, one after the other
cores       the cores on which sweeps measure
watch       the runs that are going on, published to the pages
digest      a process that prints the tables of a run or of a comparison
pages       tables and pages, made again after a change
routes      the routes
"""
