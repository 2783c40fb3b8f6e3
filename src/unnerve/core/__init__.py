"""What everything stands on: types, errors, random streams, the catalogue, the judge."""
