//! Completions, manual pages, and what a run prints on standard error.

use std::fs;

use promgen::cli::{self, Io, Terminal};
use promgen_testing::needs;
use regex::Regex;

use crate::support::{promgen, promgen_with};

#[test]
fn every_shell_gets_a_completion_of_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = promgen(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        for word in ["lint", "simulate", "fail-on"] {
            assert!(ran.stdout.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(promgen(&["completions", "tcsh"]).code, 2);
}

#[needs(bash)]
#[test]
fn bash_completes_with_the_script() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("promgen.bash");
    fs::write(&script, promgen(&["completions", "bash"]).stdout).unwrap();
    let commands = "source \"$1\"; COMP_WORDS=(promgen li); COMP_CWORD=1; _promgen promgen li promgen; echo \"${COMPREPLY[@]}\"";
    let ran = std::process::Command::new("bash")
        .args(["-c", commands, "bash"])
        .arg(&script)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(ran.stdout).unwrap(),
        "lint\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

#[test]
fn a_manual_page_describes_promgen_or_one_command() {
    let page = promgen(&["man"]).stdout;
    assert!(
        page.contains(".TH promgen 1") && page.contains("promgen\\-lint(1)"),
        "{page}"
    );
    let page = promgen(&["man", "lint"]).stdout;
    assert!(
        page.contains(".TH promgen-lint 1") && page.contains("\\-\\-fail\\-on"),
        "{page}"
    );
    let unknown = promgen(&["man", "nope"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .stderr
            .contains("unknown command `nope`; expected one of: lint, rule"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn all_manual_pages_go_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("share/man1");
    let ran = promgen(&["man", "-o", target.to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(
        ran.stderr,
        format!("25 pages written to {}\n", target.display())
    );
    let page = fs::read_to_string(target.join("promgen.1")).unwrap();
    assert_eq!(page, promgen(&["man"]).stdout);
    // Each page that the first one refers to exists.
    let named = Regex::new(r"promgen\\-([a-z\\-]+)\(1\)").unwrap();
    let names: Vec<_> = named
        .captures_iter(&page)
        .map(|found| found[1].replace('\\', ""))
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let page = fs::read_to_string(target.join(format!("promgen-{name}.1"))).unwrap();
        assert_eq!(page, promgen(&["man", &name]).stdout);
    }
}

#[test]
fn a_quiet_run_prints_findings_and_nothing_else() {
    let usual = promgen(&["lint", "fixtures/lint/input"]);
    let quiet = promgen(&["lint", "fixtures/lint/input", "--quiet"]);
    assert!(
        usual.stderr.contains("note: ") && usual.stderr.contains("for more about a code"),
        "{}",
        usual.stderr
    );
    assert_eq!(
        (quiet.code, quiet.stdout, quiet.stderr.as_str()),
        (usual.code, usual.stdout, "")
    );
    // `render` says how many findings there are.
    let usual = promgen(&["render", "fixtures/lint/input"]).stderr;
    assert!(
        usual.contains(": `promgen lint` shows these and more") && !usual.contains("\n --> "),
        "{usual}"
    );
    assert_eq!(promgen(&["-q", "render", "fixtures/lint/input"]).stderr, "");
    assert!(
        promgen(&["-v", "render", "fixtures/lint/input"])
            .stderr
            .contains("\n --> ")
    );
    let failed = promgen(&["lint", "fixtures/nowhere", "-q"]);
    assert!(
        failed.code == 2 && failed.stderr.starts_with("error: "),
        "{}",
        failed.stderr
    );
}

#[test]
fn a_verbose_run_names_the_files_that_it_reads() {
    for command in ["lint", "render"] {
        let ran = promgen(&[command, "fixtures/quickstart/input", "-v"]);
        let size = fs::metadata(crate::support::root().join("fixtures/quickstart/input/shop.yaml"))
            .unwrap()
            .len();
        let named = format!("note: read `fixtures/quickstart/input/shop.yaml`: {size} bytes\n");
        assert!(ran.stderr.contains(&named), "{}", ran.stderr);
    }
    assert_eq!(promgen(&["lint", ".", "-q", "-v"]).code, 2);
}

#[test]
fn a_verbose_run_prints_how_long_each_phase_takes() {
    let times = Regex::new(r"(?m)^note: ([a-z ]+) took \d+\.\d ms$").unwrap();
    for (args, expected) in [
        (
            &["lint"][..],
            &["reading", "compiling and checking", "printing", "the run"][..],
        ),
        (
            &["lint", "--diff"],
            &["reading", "compiling and checking", "fixing", "the run"],
        ),
        (&["render"], &["reading", "compiling", "writing", "the run"]),
        (&["config"], &["reading", "the run"]),
    ] {
        let usual = promgen(&[args, &["fixtures/quickstart/input"]].concat());
        let ran = promgen(&[args, &["fixtures/quickstart/input", "-v"]].concat());
        let phases: Vec<_> = times
            .captures_iter(&ran.stderr)
            .map(|found| found[1].to_owned())
            .collect();
        assert_eq!(phases, expected, "{args:?}: {}", ran.stderr);
        assert_eq!((usual.code, &usual.stdout), (ran.code, &ran.stdout));
        assert!(!times.is_match(&usual.stderr));
    }
}

#[test]
fn a_plugin_of_kubectl_is_called_as_one() {
    let usage = |program: &str, args: &[&str]| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let terminal = Terminal::default();
        let mut io = Io {
            stdin: &mut std::io::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal,
        };
        cli::run([&[program], args].concat(), &mut io);
        String::from_utf8([stdout, stderr].concat()).unwrap()
    };
    for program in [
        "kubectl-promgen",
        "/home/me/.krew/bin/kubectl-promgen",
        "kubectl-promgen.exe",
    ] {
        for (args, expected) in [
            (
                &["--help"][..],
                "Usage: kubectl promgen [OPTIONS] <COMMAND>",
            ),
            (
                &["lint", "--help"],
                "Usage: kubectl promgen lint [OPTIONS] [PATH]...",
            ),
            (&["lint", "--nope"], "Usage: kubectl promgen lint "),
        ] {
            let printed = usage(program, args);
            assert!(printed.contains(expected), "{program} {args:?}: {printed}");
        }
        assert!(usage(program, &["--version"]).starts_with("promgen 0."));
    }
    for program in ["promgen", "/usr/bin/promgen"] {
        assert!(usage(program, &["lint", "--help"]).contains("Usage: promgen lint [OPTIONS]"));
    }
}

#[test]
fn progress_can_be_switched_off() {
    let terminal = Terminal {
        stderr_redraws: true,
        ..Terminal::default()
    };
    let run = |more: &[&str]| {
        let args = ["shards", "fixtures/quickstart/input", "--random", "300000"];
        promgen_with(&[&args, more].concat(), &mut std::io::empty(), terminal)
    };
    let (drawn, plain) = (run(&[]), run(&["--no-progress"]));
    assert!(drawn.stderr.contains("%\u{1b}[K"), "{:?}", drawn.stderr);
    assert!(!plain.stderr.contains('\r'), "{:?}", plain.stderr);
    assert_eq!(drawn.stdout, plain.stdout);
}
