"""Models of a puzzle for other solvers, and what these solvers print."""
