"""Speed and science, as ratios within one run; never part of the tests."""
