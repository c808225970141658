"""Selection of groups of columns by the geometry of their rows."""
