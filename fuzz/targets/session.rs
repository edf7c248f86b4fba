//! The target `session`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| relo_fuzz::session(text));
