"""The C library, conversion of arguments and results, errors, and models: the base of the other modules."""
