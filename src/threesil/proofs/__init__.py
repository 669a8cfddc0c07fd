"""What one does with a proof: shorten it, cut it into lemmas, translate it, write it for others."""
