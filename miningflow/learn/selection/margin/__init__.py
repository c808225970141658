"""Selection by bounds on the error of a support vector machine."""
