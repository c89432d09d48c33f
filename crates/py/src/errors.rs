//! The exceptions of the Python package that the extension raises.

pyo3::import_exception!(dumbbell.errors, DumbbellError);
pyo3::import_exception!(dumbbell.errors, ScenarioError);
pyo3::import_exception!(dumbbell.errors, TheoryError);
pyo3::import_exception!(dumbbell.errors, TraceLimitError);
