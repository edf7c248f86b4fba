//! Errors as Python's exceptions, made by the package's `_errors.py`.

use miette::Diagnostic;
use pyo3::prelude::*;
use relo_loader::{LoadError, ManifestError};

use crate::resolver::python_referent;

/// The exception for an error. What Python itself raises on the way comes in its place.
pub(crate) fn exception(py: Python<'_>, error: &LoadError) -> PyErr {
    make(py, error).unwrap_or_else(|raised| raised)
}

fn make(py: Python<'_>, error: &LoadError) -> PyResult<PyErr> {
    let code = error.code().map(|code| code.to_string());
    let help = error.help().map(|help| help.to_string());
    let module = py.import("relo._errors")?;
    let whole = error.to_string();
    // What is listed below the first line are the details.
    let first = whole.split_once(":\n").map_or(whole.as_str(), |(first, _)| first);
    let made = match error {
        LoadError::Unresolved(all) => {
            let details = all
                .iter()
                .map(|one| Ok((python_referent(py, &one.referent)?, &*one.reason)))
                .collect::<PyResult<Vec<_>>>()?;
            module.getattr("unresolved_error")?.call1((code, first, help, details))?
        }
        LoadError::Manifest(ManifestError::Inconsistent { problems }) => {
            module.getattr("ManifestError")?.call1((code, first, help, problems))?
        }
        LoadError::Manifest(_) => module.getattr("ManifestError")?.call1((code, whole, help))?,
        _ => module.getattr("LoadError")?.call1((code, whole, help))?,
    };
    Ok(PyErr::from_value(made))
}
