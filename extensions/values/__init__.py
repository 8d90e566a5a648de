"""More norms than runs need, and the credit of games that are written in files.

The norms are the Banzhaf value, plain and normalised, the nucleolus and the Deegan–Packel index.
`files` reports on a game in a file, and `axioms` tests whether a value has the axioms of the
Shapley value. `voting` and `airport` know games of any number of agents by their structure.

>>> from shapley_coop.extensions.values.files import credit_report
>>> council = {"weights": {"Ann": 3, "Ben": 2, "Cem": 2, "Dee": 1}, "quota": 5}
>>> credit_report(council, "banzhaf")["values"]
{'Ann': 0.625, 'Ben': 0.375, 'Cem': 0.375, 'Dee': 0.125}
"""

from shapley_coop.extension import Extension, Norm

_HERE = "shapley_coop.extensions.values"

EXTENSION = Extension(
    name="values",
    about="More norms (Banzhaf, nucleolus, Deegan–Packel), and the credit of games in files.",
    norms={
        "banzhaf": Norm(f"{_HERE}.banzhaf:banzhaf", f"{_HERE}.banzhaf:of_many"),
        "banzhaf_normalised": Norm(
            f"{_HERE}.banzhaf:banzhaf_normalised", f"{_HERE}.banzhaf:of_many"
        ),
        "nucleolus": Norm(f"{_HERE}.nucleolus:by_nucleolus"),
        "deegan_packel": Norm(f"{_HERE}.deegan_packel:by_deegan_packel", most=0),
    },
    files={"games": f"{_HERE}.command:credit_file"},
    suites={"norms": _HERE},
)
