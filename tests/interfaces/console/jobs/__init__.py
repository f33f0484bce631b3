"""The most frequent jobs of a working day, each done in a browser with its clicks counted."""
