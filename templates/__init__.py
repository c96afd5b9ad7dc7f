"""Templates of generated text; the jinja2 environment goes here with the first of them."""
