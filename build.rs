//! Links the program of a release build without what nothing reads: relocations, and the tables for unwinding.
//!
//! Both are an eighth of the program, and the relocations a fifth of the time to start. Only where the toolchain links with
//! its own linker: others may have no such options.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to a build script by its environment")]

use std::path::Path;
use std::{env, fs};

/// A linker script that adds to the default one. A panic of a release build aborts, so nothing unwinds.
const WITHOUT_UNWINDING: &str =
    "SECTIONS { /DISCARD/ : { *(.eh_frame .eh_frame.* .gcc_except_table .gcc_except_table.*) } }
INSERT AFTER .text;
";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if !is_release() || !has_own_linker() {
        return;
    }
    let script = Path::new(&variable("OUT_DIR")).join("without-unwinding.ld");
    fs::write(&script, WITHOUT_UNWINDING).expect("cargo made the folder");
    for argument in ["-no-pie", "-Wl,--no-eh-frame-hdr", &format!("-Wl,-T,{}", script.display())] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Whether the build is for use: neither for a debugger nor for a profiler, which unwind.
fn is_release() -> bool {
    variable("PROFILE") == "release" && variable("DEBUG") == "false"
}

/// Whether rustc links with the linker it brings, and nobody has chosen other flags.
fn has_own_linker() -> bool {
    let target = variable("TARGET");
    target == "x86_64-unknown-linux-gnu"
        && variable("HOST") == target
        && env::var_os("RUSTC_LINKER").is_none()
        && variable("CARGO_ENCODED_RUSTFLAGS").is_empty()
}
