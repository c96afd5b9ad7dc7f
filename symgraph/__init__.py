"""symgraph: symbolic networks you can see, bind and train."""

__version__ = "0.1.0"
