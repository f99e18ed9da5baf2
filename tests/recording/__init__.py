"""Transcripts recorded with the real Claude CLI. Run by hand or by the `sdk` tests; nothing here is shipped."""
