"""Builds the report: what every step costs and how exact it is, in one HTML file."""
