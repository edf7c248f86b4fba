//! The target `checker`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| relo_fuzz::checker(text));
