//! The target `pack_yaml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| relo_fuzz::pack_yaml(text));
