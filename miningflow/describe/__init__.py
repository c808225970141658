"""Cases, features, operators and the schema as plain data, for every door."""
