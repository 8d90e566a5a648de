"""The workflow `consent`, which asks every contributor to accept the counted split."""
