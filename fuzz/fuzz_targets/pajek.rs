#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| gage_fuzz::run("pajek", data));
