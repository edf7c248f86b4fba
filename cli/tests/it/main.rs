//! The command as users run it, on real code, against real consumers.

mod amdgpu;
mod backends;
mod carried;
mod cuda;
mod embed;
mod generated;
mod julia;
mod numba;
mod opencl;
mod refusals;
mod runtime;
mod sites;
mod support;
mod untouched;
mod vulkan;
