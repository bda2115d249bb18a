//! The `promgen` binary: everything is in [`promgen::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    promgen::cli::main()
}
