"""Commands that inspect and remove runs, draw workflows, and check the installation."""
