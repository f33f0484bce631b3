"""Standing exports: registers written to files, once or again and again, and kept for as long as was asked for."""
