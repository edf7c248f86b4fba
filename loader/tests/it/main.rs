//! Artifacts that a C compiler makes here, loaded with everything that can go right or wrong.

mod attacks;
mod call;
mod described;
mod hostile;
mod linked;
mod load;
mod properties;
mod ptx;
mod resolvers;
mod schema;
mod support;
mod threads;
