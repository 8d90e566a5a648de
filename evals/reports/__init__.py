"""Reports on runs and sweeps: tables, figures and pages."""
