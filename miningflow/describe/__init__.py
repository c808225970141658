"""Cases, features, operators and the schema as plain data and as text."""
