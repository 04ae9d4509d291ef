"""The site: what Doxygen makes it of."""
