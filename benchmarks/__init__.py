"""Speed as ratios in one run, against what one would pick instead. Run: make bench."""
