"""Speed and quality of the selectors on real data."""
