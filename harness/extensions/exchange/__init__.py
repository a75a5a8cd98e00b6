"""Runs in the formats of other benchmark tools: results of BenchExec, scenarios of ASlib."""
