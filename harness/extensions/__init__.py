"""What the core works without: each package here registers its parts through entry points.

certificates  proofs of numbers of solutions, and their verifier
cluster       sweeps on several machines: this one, Dask, Slurm
conformance   the contract of backends as a test suite, and templates of backends
drawings      puzzles as SVG drawings, with the marks of constraints
formats       puzzle formats of applications and programs, and downloads of public sets
fuzz          random comparison of backends
generate      grids and puzzles at random
images        puzzles in photographs
page          the HTML report, charts and trends
reasoning     how a person solves: rules, hints, traces, ratings
site          records of runs as static pages
versions      backends in environments of their own
workbench     the local web application
"""
