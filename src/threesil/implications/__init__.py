"""Which equations of a list imply which: pairs that are listed, or all of them."""
