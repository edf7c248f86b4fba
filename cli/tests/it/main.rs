//! The command as users run it, on real code, against real consumers.

mod amdgpu;
mod backends;
mod carried;
mod cuda;
mod embed;
mod folds;
mod interpreter;
mod julia;
mod link;
mod numba;
mod opencl;
mod refusals;
mod runtime;
mod sites;
mod support;
mod survival;
mod untouched;
mod vulkan;
