"""The demo's story: nine turns at the desk of a small harbour logistics firm, invented from end to end."""
