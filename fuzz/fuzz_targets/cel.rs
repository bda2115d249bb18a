#![no_main]

use libfuzzer_sys::fuzz_target;
use promgen_fuzz_checks::texts;

fuzz_target!(|data: &[u8]| texts::cel(data));
