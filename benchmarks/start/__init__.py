"""How good is what `init --from` drafts: types, keys, relations, a first model, and its cost."""
