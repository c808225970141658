"""SQL trees: literals, fragments, blocks, dialect differences, models as SQL."""
