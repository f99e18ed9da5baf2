"""Extractors: transcript in, ledger entries out."""
