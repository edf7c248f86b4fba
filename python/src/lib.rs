//! relo's loader as Python's `relo._loader`, which the package in `relo/` makes use of and documents.
//!
//! A [`resolver`] is a function of the host's, a loaded artifact an [`image`], and what fails is raised by
//! [`error`], as data. The interpreter's lock is given up while loading, and taken for each question to the host.

mod error;
mod image;
mod resolver;

/// What `relo/_loader.pyi` declares.
#[pyo3::pymodule]
mod _loader {
    #[pymodule_export]
    use crate::image::{Image, load};
}
