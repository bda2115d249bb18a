//! What shells complete from the repository: `promgen __complete`, and the scripts that ask it.

use std::fs;
use std::path::Path;
use std::process::Command;

use promgen_testing::needs;

use crate::support::promgen;

/// The candidates for the last word, in the fixture with that name.
fn offers(path: &str, line: &[&str]) -> Vec<String> {
    // A path in the line is read instead of the folder that the test runs in.
    let (last, before) = line.split_last().unwrap();
    let words = [&["__complete", "--"], before, &[path, "-n", "shop", last]].concat();
    run(&words)
}

fn run(words: &[&str]) -> Vec<String> {
    let ran = promgen(words);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

/// What a program prints in a folder, with this promgen before all others in its path.
fn in_shell(program: &str, args: &[&str], folder: &Path) -> String {
    let own = Path::new(env!("CARGO_BIN_EXE_promgen"))
        .parent()
        .unwrap()
        .to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    let ran = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{program}");
    String::from_utf8(ran.stdout).unwrap()
}

/// A repository with names that are harmless, and with others.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let monitor = |name: &str, namespace: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: '{name}', namespace: '{namespace}'}}\n\
             spec: {{selector: {{}}, endpoints: [{{port: web}}]}}\n---\n"
        )
    };
    let mut text = String::new();
    for (name, namespace) in [
        ("cart", "shop"),
        ("both", "shop"),
        ("both", "pay"),
        ("$(touch evil)", "shop"),
        ("a;touch evil", "shop"),
        ("a`touch evil`", "shop"),
        ("a b", "shop"),
        ("cart", "$(touch evil)"),
    ] {
        text += &monitor(name, namespace);
    }
    text += "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: cart, namespace: shop}\nspec:\n  groups:\n  \
             - {name: g, rules: [{alert: CartDown, expr: up == 0}, {alert: 'x$(touch evil)', expr: up == 0}]}\n---\n\
             apiVersion: v1\nkind: Pod\nmetadata: {name: cart-0, namespace: shop}\n";
    fs::write(folder.path().join("all.yaml"), text).unwrap();
    fs::write(folder.path().join("broken.yaml"), "a: [").unwrap();
    folder
}

#[test]
fn names_come_from_the_paths_of_the_line() {
    assert_eq!(
        run(&["__complete", "--", "lint", "fixtures/shop/input", "-n", ""]),
        ["monitoring", "shop"]
    );
    assert_eq!(
        run(&[
            "__complete",
            "--",
            "config",
            "fixtures/shop/input",
            "--workload",
            "p"
        ]),
        ["prometheus/k8s"]
    );
    assert_eq!(
        offers("fixtures/nowhere", &["explain", "x", "--environment"]),
        [""; 0],
        "what is not there offers nothing"
    );
}

#[test]
fn rules_are_completed_by_code_and_by_name() {
    let of = |line: &[&str]| run(&[&["__complete", "--"], line].concat());
    assert!(of(&["rule", "PG20"]).contains(&"PG201".to_owned()));
    assert_eq!(of(&["rule", "idle-s"]), ["idle-shard"]);
    assert!(of(&["lint", "--select", "PG201,PG13"]).contains(&"PG201,PG130".to_owned()));
    assert!(of(&["lint", "--ignore=PG13"]).contains(&"--ignore=PG130".to_owned()));
}

#[test]
fn what_has_no_names_has_no_offers() {
    for line in [
        &[][..],
        &["ex"],
        &["explain", "--"],
        &["lint", "--format", ""],
        &["nothing", ""],
        &["diff", "--", "x"],
    ] {
        assert_eq!(
            run(&[&["__complete", "--"], line].concat()),
            [""; 0],
            "{line:?}"
        );
    }
    assert_eq!(run(&["__complete"]), [""; 0]);
}

#[test]
fn it_is_no_command_for_people() {
    for args in [
        &["--help"][..],
        &["help"],
        &["completions", "bash"],
        &["completions", "fish"],
        &["man"],
    ] {
        let shown = promgen(args).stdout;
        let calls =
            shown.matches("__complete").count() - shown.matches("promgen __complete --").count();
        assert_eq!(calls, 0, "{args:?}");
    }
}

/// What bash replies to a line.
fn bash(folder: &Path, words: &str, at: usize) -> String {
    let script = folder.join("promgen.bash");
    fs::write(&script, promgen(&["completions", "bash"]).stdout).unwrap();
    let ask = format!(
        "source \"$1\"; COMP_WORDS=({words}); COMP_CWORD={at}; _promgen_offers promgen \"${{COMP_WORDS[{at}]}}\" x; echo \"${{COMPREPLY[*]}}\""
    );
    in_shell(
        "bash",
        &["--norc", "-c", &ask, "bash", script.to_str().unwrap()],
        folder,
    )
}

#[needs(bash)]
#[test]
fn bash_completes_names_and_runs_none_of_them() {
    let folder = repository();
    for (words, at, expected) in [
        (
            "promgen explain serv",
            2,
            "servicemonitor/pay/both servicemonitor/shop/both servicemonitor/shop/cart\n",
        ),
        ("promgen explain -n shop smon/", 4, "smon/both smon/cart\n"),
        (
            "promgen explain servicemonitor/shop/",
            2,
            "servicemonitor/shop/both servicemonitor/shop/cart\n",
        ),
        ("promgen explain alert/", 2, "alert/CartDown\n"),
        ("promgen route a", 2, "alert/CartDown\n"),
        ("promgen which p", 2, "pod/cart-0\n"),
        ("promgen lint -n ''", 3, "pay shop\n"),
        ("promgen li", 1, "lint\n"),
    ] {
        let reply = bash(folder.path(), words, at);
        let sorted = |text: &str| {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(sorted(&reply), sorted(expected), "{words}");
    }
    assert!(!folder.path().join("evil").exists());
}

#[needs(zsh)]
#[test]
fn zsh_completes_names() {
    let folder = repository();
    let script = folder.path().join("_promgen");
    fs::write(&script, promgen(&["completions", "zsh"]).stdout).unwrap();
    // As zsh loads it: the file is the body of the function, which the first call replaces.
    let ask = "fpath=($1 $fpath); autoload -U compinit; compinit -u -D; compadd() { print -l -- ${(P)@[-1]} }
        words=(promgen explain alert/); CURRENT=3; _promgen; words=(promgen rule idle-s); _promgen";
    let reply = in_shell(
        "zsh",
        &["-fc", ask, "zsh", folder.path().to_str().unwrap()],
        folder.path(),
    );
    assert_eq!(reply, "alert/CartDown\nidle-shard\n");
}

#[needs(fish)]
#[test]
fn fish_completes_names() {
    let folder = repository();
    let script = folder.path().join("promgen.fish");
    fs::write(&script, promgen(&["completions", "fish"]).stdout).unwrap();
    let ask = format!(
        "source {}; complete -C 'promgen explain alert/'; complete -C 'promgen lint -n '; complete -C 'promgen lint --select=PG201'",
        script.display()
    );
    let reply = in_shell("fish", &["--no-config", "-c", &ask], folder.path());
    assert_eq!(reply, "alert/CartDown\npay\nshop\n--select=PG201\n");
}
