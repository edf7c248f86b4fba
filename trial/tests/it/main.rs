//! One binary for all tests of the tests.

mod outcomes;
mod shipped;
