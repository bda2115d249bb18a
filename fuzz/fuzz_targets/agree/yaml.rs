#![no_main]

use libfuzzer_sys::fuzz_target;
use promgen_fuzz_checks::agree::yaml;

fuzz_target!(|data: &[u8]| yaml::agree(data));
