"""Programs that customers download: one file each, which need nothing of this repository."""
