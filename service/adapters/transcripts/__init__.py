"""One file a transcript format, each read into domain.transcript."""
