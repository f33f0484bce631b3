"""Measures speed as ratios within one run, against what one would pick instead. Run: make bench."""
