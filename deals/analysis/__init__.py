"""The analysis of a deal before it is signed: incentives, outlook and certificate."""
