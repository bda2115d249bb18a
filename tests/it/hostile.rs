//! Input that nobody means well with: a message, the right exit code, and bounded time and memory.

use std::fs;

use crate::support::promgen;

#[test]
fn a_missing_path_and_an_empty_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    let missing = format!("{empty}/missing.yaml");
    for command in ["render", "config"] {
        let ran = promgen(&[command, &missing, empty]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(&format!("error: cannot read `{missing}`: ")), "{}", ran.stderr);
        assert!(
            ran.stderr.contains(&format!("error: no manifest (.yaml, .yml, .json) found in `{empty}`")),
            "{}",
            ran.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.yaml");
    fs::write(&path, "a: 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let ran = promgen(&["render", folder.path().to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("secret.yaml"), "{}", ran.stderr);
}

#[test]
fn a_folder_of_templates_without_templates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ran = promgen(&["render", "-", "--templates", folder.path().to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no template (.j2) found in"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_name_cannot_speak_to_the_terminal() {
    let ran = promgen(&["render", "\u{1b}[2J.yaml"]);
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}
