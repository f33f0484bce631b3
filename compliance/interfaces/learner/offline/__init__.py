"""Courses kept on a device, and sending what was done there."""
