"""Attacks on what MiningFlow promises, in numbers that find rare faults; `make attack` runs them.

Each takes a count and a seed, prints what it counted, and fails if a promise was broken:

    PYTHONPATH=tests python -m attacks altered-stores --count 50 --seed 1
"""
