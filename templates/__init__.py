"""jinja2 templates of everything that symgraph generates."""
