//! Loading, and what is loaded.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use relo_loader::{Chain, LoadError, Manifest, Policy, Process, load_bytes};

use crate::error::exception;
use crate::resolver::Host;

/// A loaded artifact, until it is unloaded.
#[pyclass(frozen, module = "relo._loader")]
pub(crate) struct Image(RwLock<Option<relo_loader::SharedObject>>);

impl Image {
    fn guard(&self) -> RwLockReadGuard<'_, Option<relo_loader::SharedObject>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the image, unless it was unloaded.
    fn with<T>(
        &self,
        py: Python<'_>,
        action: impl FnOnce(&relo_loader::SharedObject) -> Result<T, LoadError>,
    ) -> PyResult<T> {
        let guard = self.guard();
        let image = guard.as_ref().ok_or_else(|| PyValueError::new_err("the image was unloaded"))?;
        action(image).map_err(|error| exception(py, &error))
    }
}

#[pymethods]
impl Image {
    /// The functions that the manifest names.
    #[getter]
    fn entries(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |image| Ok(image.entries().to_vec()))
    }

    /// The address of a function or datum that the artifact exports.
    fn address(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        self.with(py, |image| image.address(name))
    }

    /// The word at a datum that the artifact exports, plus bytes.
    fn word(&self, py: Python<'_>, symbol: &str, offset: u64) -> PyResult<u64> {
        self.with(py, |image| image.word(symbol, offset))
    }

    /// Unloads the code and lets go of what was kept for it. Once is enough.
    fn unload(&self, py: Python<'_>) {
        // What is let go may run code of Python's, so the lock is not held any more then.
        let image = self.0.write().unwrap_or_else(PoisonError::into_inner).take();
        // The artifact's finalisers may take their time.
        py.detach(|| drop(image));
    }
}

/// Loads an artifact. The host is asked first, then the process and the libraries that may be opened.
#[pyfunction]
#[pyo3(signature = (artifact, manifest, name, host, allow, bound))]
pub(crate) fn load(
    py: Python<'_>,
    artifact: Vec<u8>,
    manifest: &str,
    name: &str,
    host: Option<Py<PyAny>>,
    allow: Vec<String>,
    bound: bool,
) -> PyResult<Image> {
    let host = host.map(Host::new);
    let process = Process { policy: Policy::Allow(allow.into_iter().collect()) };
    let result = py.detach(|| {
        let manifest = Manifest::parse(manifest, name)?;
        if !manifest.portable && !bound {
            return Err(LoadError::NotPortable);
        }
        let mut chain = Chain::default();
        if let Some(host) = &host {
            chain.0.push(Box::new(host));
        }
        chain.0.push(Box::new(&process));
        load_bytes(artifact, &manifest, &chain)
    });
    if let Some(raised) = host.and_then(Host::into_raised) {
        return Err(raised);
    }
    match result {
        Ok(image) => Ok(Image(RwLock::new(Some(image)))),
        Err(error) => Err(exception(py, &error)),
    }
}
