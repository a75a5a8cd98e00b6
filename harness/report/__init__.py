"""How a run is shown: figures as text, tables, the display of a run that goes on."""
