//! The command as users run it, on real code, against real consumers.

mod amdgpu;
mod author;
mod backends;
mod cache;
mod carried;
mod cuda;
mod embed;
mod explain;
mod folds;
mod generated;
mod interpreter;
mod julia;
mod link;
mod live;
mod numba;
mod opencl;
mod refusals;
mod runtime;
mod sites;
mod support;
mod survival;
mod untouched;
mod vulkan;
