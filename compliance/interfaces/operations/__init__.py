"""Keeping it going: checkpoints, reminders, nightly verification, logs, metrics, start-up checks."""
