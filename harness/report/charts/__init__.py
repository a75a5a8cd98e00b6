"""Charts of runs and comparisons, described in Vega-Lite for the page, notebooks and papers."""
