"""Courses kept on a device for use offline, and sending what was done there."""
