//! A function of the host as a resolver.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use relo_loader::{Resolved, Resolver};
use relo_referent::Referent;

/// A function that takes a referent and gives its word and what keeps it valid, or why there is none: what
/// `relo/_load.py` makes of what the user gives.
pub(crate) struct Host {
    function: Py<PyAny>,
    /// The first exception: loading goes no further, and it is raised in the end.
    raised: Mutex<Option<PyErr>>,
}

impl Host {
    pub(crate) fn new(function: Py<PyAny>) -> Self {
        Self { function, raised: Mutex::new(None) }
    }

    /// What the function raised.
    pub(crate) fn into_raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, py: Python<'_>, referent: &Referent) -> PyResult<Result<Resolved, String>> {
        let answer = self.function.bind(py).call1((python_referent(py, referent)?,))?;
        if let Ok(reason) = answer.extract::<String>() {
            return Ok(Err(reason));
        }
        let (word, keep): (u64, Py<PyAny>) = answer.extract()?;
        let root = (!keep.is_none(py)).then(|| Arc::new(keep) as relo_loader::Root);
        Ok(Ok(Resolved { word, root }))
    }
}

impl Resolver for Host {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_some() {
            return Err("the resolver failed before".into());
        }
        // The lock is this load's own: a function that loads something itself asks another host.
        Python::attach(|py| self.ask(py, referent)).unwrap_or_else(|error| {
            let reason = error.to_string();
            *raised = Some(error);
            Err(reason)
        })
    }
}

/// A referent as Python has it.
pub(crate) fn python_referent<'py>(py: Python<'py>, referent: &Referent) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("relo._referents")?;
    let named = PyDict::new(py);
    match referent {
        Referent::Object { runtime, key, addend } => {
            named.set_item("addend", addend)?;
            module.getattr("Object")?.call((runtime, key), Some(&named))
        }
        Referent::Symbol { name, library, addend } => {
            named.set_item("addend", addend)?;
            module.getattr("Symbol")?.call((name, library), Some(&named))
        }
        Referent::Word { symbol, library, offset } => {
            named.set_item("offset", offset)?;
            module.getattr("Word")?.call((symbol, library), Some(&named))
        }
    }
}
