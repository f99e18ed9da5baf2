"""Redis: keys, functions, gauges."""
