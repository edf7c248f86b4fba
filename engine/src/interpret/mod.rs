//! The reference interpreter: rules at work on any host, without PDL.

mod shape;

pub use shape::shape;
