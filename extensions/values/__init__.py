"""More norms than runs need, and the credit of games that are written in files.

The norms are the Banzhaf value, plain and normalised, the nucleolus and the Deegan–Packel index.
`files` reports on a game in a file; `axioms` tests whether a value has the axioms of the Shapley
value.
"""

from shapley_coop.extension import Extension

EXTENSION = Extension(
    name="values",
    about="More norms (Banzhaf, nucleolus, Deegan–Packel), and credit of games in files.",
)
