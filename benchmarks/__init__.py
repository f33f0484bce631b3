"""Speed as ratios in one run, against what one would pick instead (design 10). Run: make bench."""
