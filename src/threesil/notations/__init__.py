"""Reading and writing: theories, problems, proofs and models, one file for each notation.

What is read and written by one file stands here; nothing here searches. Other rooms use:

document   what a file says: a theory and its problems
infix      terms and equations as people write them
names, tokens   how names are shown, and the places of texts in messages
lines      whole texts, read from files
operators  a reader by operator precedence, for further notations
renaming   names that the languages of others take
proof_json, model_json, system_json   certificates as JSON
reading    any file; article, certificates, models, typed, tptp: particular ones
writing    any notation of files; ladr, tptp, waldmeister: problems for provers; text, tree, view,
           notebook: for people; parts: what a certificate says, and what must be written
"""
