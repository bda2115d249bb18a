//! `#[needs(zsh)]`: a test that lacks its data or its program is ignored, and the summary of `cargo test` says why.
//!
//! The compiler looks for both when it compiles the test. What came later is seen when the test is compiled again, or by
//! `--include-ignored`.
#![allow(
    clippy::disallowed_methods,
    reason = "tests ask for what this machine has"
)]

use std::path::Path;
use std::process::{Command, Stdio};

use proc_macro::{Delimiter, TokenStream, TokenTree};

/// Ignores the test below it if something is missing: `#[needs(recordings, tar)]`.
///
/// `recordings` is the data beside the project, `permissions` a user whom the system can refuse a file, `strace` the
/// program, and that it may trace. Another name is that of a program on the PATH. The attribute stands above `#[test]`,
/// which reads what it writes.
#[proc_macro_attribute]
pub fn needs(names: TokenStream, test: TokenStream) -> TokenStream {
    if !is_test(&test) {
        return "compile_error!(\"`needs` stands above `#[test]`\");"
            .parse()
            .expect("an item");
    }
    let names = names.to_string();
    let missing: Vec<String> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !is_there(name))
        .map(told)
        .collect();
    let mut written = TokenStream::new();
    if !missing.is_empty() {
        let reason = format!("needs {}", missing.join(" and "));
        written.extend(
            format!("#[ignore = {reason:?}]")
                .parse::<TokenStream>()
                .expect("an attribute"),
        );
    }
    written.extend(test);
    written
}

/// `true` if what is named was there when this was compiled: `has!(recordings)`.
#[proc_macro]
pub fn has(name: TokenStream) -> TokenStream {
    is_there(&name.to_string())
        .to_string()
        .parse()
        .expect("a literal")
}

/// Returns whether one of the attributes is `#[test]`.
fn is_test(item: &TokenStream) -> bool {
    let groups = item.clone().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            Some(group.stream().to_string())
        }
        _ => None,
    });
    groups.into_iter().any(|attribute| attribute == "test")
}

fn is_there(name: &str) -> bool {
    match name {
        "recordings" => Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../../shared/conformance")
            .is_dir(),
        // The administrator may read every file.
        "permissions" => printed("id", &["-u"]).is_some_and(|user| user.trim_ascii() != b"0"),
        "strace" => printed("strace", &["-o", "/dev/null", "true"]).is_some(),
        program => has_program(program),
    }
}

fn told(name: &str) -> String {
    match name {
        "recordings" => "the recordings beside the project".to_owned(),
        "permissions" => "a user other than root".to_owned(),
        "strace" => "strace, which may trace".to_owned(),
        program => program.to_owned(),
    }
}

/// What a program prints. `None`: it is not there, or fails.
fn printed(program: &str, args: &[&str]) -> Option<Vec<u8>> {
    let ran = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    ran.status.success().then_some(ran.stdout)
}

fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&file).is_file())
}
