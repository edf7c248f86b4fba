//! The target `grammar`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| relo_fuzz::grammar(text));
