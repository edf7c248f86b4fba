//! The command as users run it, on real code, against real consumers.

mod amdgpu;
mod author;
mod backends;
mod carried;
mod cuda;
mod embed;
mod explain;
mod interpreter;
mod julia;
mod numba;
mod opencl;
mod refusals;
mod runtime;
mod sites;
mod support;
mod untouched;
mod vulkan;
