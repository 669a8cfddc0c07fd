"""Problem sets: files of them, single ones as text, random ones, theorems with their proofs.

files     problems of a theory from files, and a single one as people type it
targets   what the words on a command line stand for
sets      problem sets by their names, and where data is
generate, theorems   random problems, theorems with their proofs
parts     the split into train, dev and test
fetch     sets that are downloaded, fetch.ueq: from a copy of TPTP; fetch.download: addresses
"""
