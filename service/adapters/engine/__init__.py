"""The embedded engine: a Valkey server and a SQLite file under one data directory."""
