"""Makes the site's pages and figures that come from results; see the modules that are commands."""
