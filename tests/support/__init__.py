"""What tests share: example data, cases, stores and servers."""
