"""Facts: one room for each subject, whose tables are written only by its own actions and recorders."""
