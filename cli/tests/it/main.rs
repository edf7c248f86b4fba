//! The command as users run it, on real code, against real consumers.

mod carried;
mod cuda;
mod julia;
mod numba;
mod refusals;
mod runtime;
mod sites;
mod support;
mod untouched;
