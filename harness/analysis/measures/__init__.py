"""What measures are made of: columns, frames of results, comparison groups, inference."""
