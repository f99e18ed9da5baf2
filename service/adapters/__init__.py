"""What meets the outside: transcript formats, extractors, SQL, Redis, the embedded engine."""
