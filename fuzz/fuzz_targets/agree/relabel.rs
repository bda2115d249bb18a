#![no_main]

use libfuzzer_sys::fuzz_target;
use promgen_fuzz_checks::agree::relabel;

fuzz_target!(|data: &[u8]| relabel::agree(data));
