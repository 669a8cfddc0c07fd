"""Ways to use a trained policy on problems."""
