"""One company's context and another's identifiers: nothing of the other company is ever disclosed."""
