"""One verb a file; each is handed its ports."""
