"""The nouns: rows and words. `models.registry` imports every table; this module imports nothing."""
