"""Further verbs for a case: a file or folder per verb."""
