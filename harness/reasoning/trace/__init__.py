"""What happens in a search, as events, and the views of these events.

events    the events: data without any text
"""
