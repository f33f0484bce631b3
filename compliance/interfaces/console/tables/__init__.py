"""Tables to download: CSV and XLSX, written row by row, protected against formula injection."""
