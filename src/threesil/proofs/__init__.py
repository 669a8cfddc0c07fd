"""Work on finished proofs: shorten them, cut them into lemmas, translate them, write them."""
