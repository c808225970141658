"""Selection by the alignment of a kernel with the target."""
