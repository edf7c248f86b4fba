//! The `relo` command.
fn main() {}
