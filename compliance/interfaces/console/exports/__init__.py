"""Scheduled exports: registers written to files, once or repeatedly, and kept for the time that was chosen."""
