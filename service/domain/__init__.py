"""Pure rules: no I/O, of ours only models.kinds."""
