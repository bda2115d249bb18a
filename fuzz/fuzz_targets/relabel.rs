#![no_main]

use libfuzzer_sys::fuzz_target;
use promgen_fuzz_checks::relabel;

fuzz_target!(|rules: relabel::Rules| relabel::run(&rules));
