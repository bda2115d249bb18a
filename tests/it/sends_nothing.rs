//! promgen sends nothing: no command opens a socket, which `strace` would see, but one pair within the process, by which signals wake
//! the thread that handles them.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use promgen_testing::needs;

use crate::commands::{GOOD, Place, lines};
use crate::support::{root, swept};

/// What a program and its children ask the system for that concerns a network: one line for each call.
fn calls(program: &str, args: &[String], stdin: &str) -> String {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-e",
            "trace=%network",
            "-e",
            "signal=none",
            "-o",
        ])
        .arg(log.path())
        .arg(program);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that reads nothing may have ended.
    _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{program} {}: {stderr}",
        args.join(" ")
    );
    std::fs::read_to_string(log.path()).unwrap()
}

/// Returns whether a call concerns the pair within the process, and names no address.
fn is_own_pair(call: &str) -> bool {
    let call = call.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    // strace cannot read the number of a call in which a thread ends with its process: no call was made.
    if call.starts_with("???(") || call.starts_with("<... ??? resumed>") {
        return true;
    }
    let of_pair = [
        "socketpair(AF_UNIX, ",
        "recvfrom(",
        "<... recvfrom resumed>",
        "sendto(",
    ];
    of_pair.iter().any(|start| call.starts_with(start))
        && !call.contains("sa_family")
        && !call.contains("AF_INET")
}

#[needs(strace, bash)]
#[test]
fn no_command_opens_a_socket() {
    // A socket is seen where there is one; nothing is sent to it.
    let control = calls(
        "bash",
        &["-c".to_owned(), ": 3<>/dev/udp/127.0.0.1/9".to_owned()],
        "",
    );
    assert!(
        control.contains("socket(AF_INET") && !control.lines().all(is_own_pair),
        "{control}"
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.yaml"), GOOD).unwrap();
    let place = Place::new(folder.path(), "in.yaml", GOOD);
    let plain: Vec<_> = lines().iter().filter(|line| line.is_plain).collect();
    assert!(plain.len() > 60, "{}", plain.len());
    let n_plain = plain.len();
    let lines = swept(5, plain);
    for line in &lines {
        let out = tempfile::tempdir().unwrap();
        let (args, stdin) = line.typed(&place, out.path());
        let seen = calls(env!("CARGO_BIN_EXE_promgen"), &args, &stdin);
        let foreign: Vec<_> = seen.lines().filter(|call| !is_own_pair(call)).collect();
        assert!(
            foreign.is_empty() && seen.matches("socketpair(").count() <= 1,
            "{line}: {seen}"
        );
    }
    println!("{} of {n_plain} lines: no socket", lines.len());
}

/// No crate that the program is built of can speak to a network: none of them is known for it.
#[test]
fn nothing_that_speaks_to_a_network_is_linked() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    for name in [
        "curl",
        "h2",
        "hyper",
        "native-tls",
        "openssl",
        "quinn",
        "reqwest",
        "rustls",
        "socket2",
        "tokio",
        "ureq",
    ] {
        assert!(!lock.contains(&format!("\nname = \"{name}\"\n")), "{name}");
    }
    assert!(Path::new(&root().join("docs/sends-nothing.md")).is_file());
}
