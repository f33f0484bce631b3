"""Tables that people take away: CSV and XLSX, written row by row, with formula injection defused."""
