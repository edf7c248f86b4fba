//! The target `manifest`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| relo_fuzz::manifest(text));
