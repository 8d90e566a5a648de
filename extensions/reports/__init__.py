"""Reports of sweeps as pages, tables and comparisons, with the statistics that they need."""

from shapley_coop.extension import Extension

_HERE = "shapley_coop.extensions.reports"

EXTENSION = Extension(
    name="reports",
    about="Report sweeps as pages, tables and comparisons; write a run as one page.",
    first=("compare", "export", "report"),
    commands={
        "Experiment": {
            "export": f"{_HERE}.exporting:export",
            "compare": f"{_HERE}.comparing:compare",
        },
        "Serve and show": {"report": f"{_HERE}.reporting:report"},
    },
    suite_checks={"report": f"{_HERE}.wanted:check_report"},
)
