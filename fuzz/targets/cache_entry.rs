//! The target `cache_entry`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| relo_fuzz::cache_entry(bytes));
