"""The most frequent jobs of a working day, each walked in a browser with its clicks counted."""
