"""Software company (Shapley-Coop, ChatDev): six roles build a program and share its bounty."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.company"

EXTENSION = Extension(
    name="company",
    about="A software company: six roles build a program that is checked, and share its bounty.",
    games={"software_company": f"{_HERE}.game:SoftwareCompany"},
    opened={"task": f"{_HERE}.task:names_a_file"},
    suites={"company": _HERE},
)
