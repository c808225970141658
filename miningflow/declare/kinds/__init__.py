"""Kinds of parameters, one class each, a file per family; with the words that declare them."""
