"""What customers take away: programs of one file each, which need nothing of this repository."""
