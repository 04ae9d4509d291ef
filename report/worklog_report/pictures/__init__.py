"""Curves, bars and accesses, as SVG."""
