"""Runs interchangeable Sudoku solvers under equal conditions: who is right, who is fast?"""
