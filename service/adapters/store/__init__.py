"""SQL: rows in, domain values out."""
