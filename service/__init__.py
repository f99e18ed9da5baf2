"""The verbs: rules (`domain`), flows, adapters and the ways in."""
