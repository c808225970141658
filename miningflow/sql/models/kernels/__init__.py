"""Kernel machines as SQL, in the form that suits each engine."""
