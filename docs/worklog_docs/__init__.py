"""Makes the pages and figures of the site that come from results; see the modules that are commands."""
