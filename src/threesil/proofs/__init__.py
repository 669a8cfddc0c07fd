"""What one does with a proof that one has: shorten it, cut it into lemmas, put it back to the axioms,
translate it, write it in the notations of others."""
