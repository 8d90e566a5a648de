"""The workflow `consent`: the counted split is put to everybody who contributed."""
