//! `promgen diff` of git revisions that a clone does not have, or not in full: the message names the cause, and what helps.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use promgen_testing::needs;

/// A Prometheus with so many replicas.
fn prometheus(name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: {name}, namespace: d}}\n\
         spec: {{replicas: {replicas}}}\n"
    )
}

/// What `promgen diff` did.
#[derive(Debug)]
struct Compared {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Compared {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// A failure whose message has these parts.
    fn fails_with(&self, parts: &[&str]) {
        assert!(self.code == Some(2) && self.stdout.is_empty(), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part}: {}", self.stderr);
        }
    }
}

/// A run in a folder, which reads no settings of this machine.
fn command(program: &str, folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn git(folder: &Path, args: &[&str]) {
    let settings = [
        "user.name=a",
        "user.email=a@b",
        "protocol.file.allow=always",
        "commit.gpgsign=false",
    ];
    let all: Vec<&str> = settings
        .iter()
        .flat_map(|setting| ["-c", setting])
        .chain(args.iter().copied())
        .collect();
    let output = command("git", folder, &all).output().unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn diff(folder: &Path, args: &[&str]) -> Compared {
    let args = [&["diff"], args].concat();
    Compared::of(
        command(env!("CARGO_BIN_EXE_promgen"), folder, &args)
            .output()
            .unwrap(),
    )
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", message]);
}

/// A repository with `m/` on both branches, `new/` on `change` only, and `old/` on `main` only.
fn repository() -> tempfile::TempDir {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("origin");
    fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["config", "uploadpack.allowFilter", "true"]);
    write(&folder, "m/a.yaml", &prometheus("a", 1));
    write(&folder, "old/c.yaml", &prometheus("c", 1));
    commit(&folder, "one");
    git(&folder, &["checkout", "-q", "-b", "change"]);
    write(&folder, "m/a.yaml", &prometheus("a", 2));
    write(&folder, "new/b.yaml", &prometheus("b", 1));
    fs::remove_dir_all(folder.join("old")).unwrap();
    commit(&folder, "two");
    temporary
}

/// A clone with these options.
fn clone(temporary: &Path, options: &[&str]) -> std::path::PathBuf {
    let url = format!("file://{}", temporary.join("origin").display());
    git(
        temporary,
        &[&["clone", "-q", "--no-checkout"], options, &[&url, "clone"]].concat(),
    );
    temporary.join("clone")
}

#[needs(git)]
#[test]
fn a_path_that_one_side_lacks_is_an_empty_side() {
    let temporary = repository();
    let folder = temporary.path().join("origin");
    for (args, summary, notes) in [
        (
            &["main...HEAD", "--", "new"][..],
            "Prometheus/d/b: added",
            &["note: base: no manifest", "counts as added"][..],
        ),
        (
            &["main...HEAD", "--", "old"],
            "Prometheus/d/c: removed",
            &["note: head: no manifest", "counts as removed"],
        ),
        (
            &["main", "--", "new"],
            "Prometheus/d/b: added",
            &["note: base: no manifest", "`new` of "],
        ),
        (
            &["main", "--", "old"],
            "Prometheus/d/c: removed",
            &["note: head: no manifest", "in `old`: "],
        ),
        (
            &["main", "HEAD", "--", "m", "new", "old"],
            "3 workloads differ",
            &["`new` of ", "`old` of "],
        ),
    ] {
        let ran = diff(&folder, args);
        assert!(
            ran.code == Some(0) && ran.stdout.contains(summary),
            "{args:?}: {ran:?}"
        );
        assert!(
            notes.iter().all(|note| ran.stdout.contains(note)),
            "{args:?}: {ran:?}"
        );
    }
    // From a folder that the base does not have, and by an absolute path.
    let ran = diff(&folder.join("new"), &["main...HEAD"]);
    assert!(ran.stdout.contains("Prometheus/d/b: added"), "{ran:?}");
    let ran = diff(
        &folder,
        &["main...HEAD", "--", folder.join("new").to_str().unwrap()],
    );
    assert!(ran.stdout.contains("Prometheus/d/b: added"), "{ran:?}");
    // A folder without a manifest is like none.
    write(&folder, "new/b.yaml", "");
    fs::rename(folder.join("new/b.yaml"), folder.join("new/README.md")).unwrap();
    assert!(
        diff(&folder, &["HEAD", "--", "new"])
            .stdout
            .contains("Prometheus/d/b: removed")
    );
}

#[needs(git)]
#[test]
fn a_path_that_both_sides_lack_is_an_error() {
    let temporary = repository();
    let folder = temporary.path().join("origin");
    diff(&folder, &["main..HEAD", "--", "m", "nowhere"])
        .fails_with(&["no manifest", "`nowhere` of "]);
    diff(&folder, &["main", "--", "nowhere"]).fails_with(&[
        "no manifest",
        "`nowhere` of ",
        "`nowhere`\n",
    ]);
    diff(&folder, &["main..HEAD", "--", "../clone"])
        .fails_with(&["`../clone` is outside of the repository"]);
    let elsewhere = temporary.path().to_str().unwrap();
    diff(&folder, &["main..HEAD", "--", elsewhere])
        .fails_with(&[elsewhere, "is outside of the repository"]);
    let dump = folder.join("m/a.yaml");
    diff(
        &folder,
        &["main", "--live", dump.to_str().unwrap(), "--", "new"],
    )
    .fails_with(&["no manifest", "`new` of "]);
}

#[needs(git)]
#[test]
fn a_shallow_clone_lacks_the_history() {
    let temporary = repository();
    let folder = clone(temporary.path(), &["--depth", "1", "--branch", "change"]);
    let remedy = [
        "of this clone, which is shallow",
        "`git fetch --unshallow`",
        "`fetch-depth: 0`",
    ];
    for range in ["HEAD~1..HEAD", "origin/main...HEAD", "main"] {
        diff(&folder, &[range, "--", "m"]).fails_with(&remedy);
    }
    git(
        &folder,
        &[
            "fetch",
            "-q",
            "--depth",
            "1",
            "origin",
            "main:refs/remotes/origin/main",
        ],
    );
    let ran = diff(&folder, &["origin/main...HEAD", "--", "m"]);
    ran.fails_with(&[
        "have no common ancestor in this clone, which is shallow",
        remedy[1],
        remedy[2],
    ]);
    // The remedy helps.
    git(&folder, &["fetch", "-q", "--unshallow"]);
    let ran = diff(&folder, &["origin/main...HEAD", "--", "m"]);
    assert!(
        ran.code == Some(0) && ran.stdout.contains("spec.replicas: 1 -> 2"),
        "{ran:?}"
    );
}

#[needs(git)]
#[test]
fn a_clone_of_one_branch_lacks_the_others() {
    let temporary = repository();
    let folder = clone(temporary.path(), &["--single-branch", "--branch", "change"]);
    let remedy = "`git fetch origin main:refs/remotes/origin/main` gets that branch";
    diff(&folder, &["origin/main...HEAD", "--", "m"])
        .fails_with(&["`origin/main` is neither a path", remedy]);
    git(
        &folder,
        &["fetch", "-q", "origin", "main:refs/remotes/origin/main"],
    );
    assert!(
        diff(&folder, &["origin/main...HEAD", "--", "m"])
            .stdout
            .contains("spec.replicas: 1 -> 2")
    );
    // Nothing of a name that a shell would take apart.
    let ran = diff(&folder, &["origin/$(x)", "HEAD", "--", "m"]);
    ran.fails_with(&["is neither a path nor a git revision"]);
    assert!(!ran.stderr.contains("git fetch"), "{}", ran.stderr);
}

#[needs(git)]
#[test]
fn a_partial_clone_lacks_contents() {
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let temporary = repository();
        let folder = clone(temporary.path(), &[filter, "--branch", "change"]);
        let lacks = if filter.contains("blob") {
            "lacks the content of 2 files of "
        } else {
            "lacks the folders of "
        };
        let remedy = [
            "this is a partial clone",
            lacks,
            "promgen fetches nothing",
            "`git fetch --refetch --no-filter`",
        ];
        diff(&folder, &["origin/main...HEAD", "--", "m"]).fails_with(&remedy);
        git(&folder, &["fetch", "-q", "--refetch", "--no-filter"]);
        let ran = diff(&folder, &["origin/main...HEAD", "--", "m"]);
        assert!(
            ran.code == Some(0) && ran.stdout.contains("spec.replicas: 1 -> 2"),
            "{filter}: {ran:?}"
        );
    }
}

#[needs(git)]
#[test]
fn a_base_without_its_content_is_no_missing_file() {
    let temporary = repository();
    let origin = temporary.path().join("origin");
    write(&origin, "base/kustomization.yaml", "resources: [a.yaml]\n");
    write(&origin, "base/a.yaml", &prometheus("base", 1));
    write(
        &origin,
        "overlay/kustomization.yaml",
        "resources: [../base]\n",
    );
    commit(&origin, "three");
    let folder = clone(
        temporary.path(),
        &["--filter=blob:none", "--branch", "change"],
    );
    // Only the overlay's own file is there.
    git(
        &folder,
        &[
            "-c",
            "core.sparseCheckout=true",
            "checkout",
            "-q",
            "change",
            "--",
            "overlay",
        ],
    );
    diff(&folder, &["HEAD", "HEAD", "--", "overlay"])
        .fails_with(&["this is a partial clone, which lacks the content of"]);
}

#[cfg(unix)]
#[needs(git)]
#[test]
fn a_repository_of_another_user_is_named_with_what_allows_it() {
    let temporary = repository();
    let folder = temporary.path().join("origin");
    // promgen gives the variable to no program.
    let path = std::env::var_os("PATH").unwrap();
    let own = std::env::split_paths(&path)
        .map(|folder| folder.join("git"))
        .find(|file| file.is_file())
        .unwrap();
    let script = format!(
        "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '{}' \"$@\"\n",
        own.display()
    );
    write(temporary.path(), "bin/git", &script);
    let program = temporary.path().join("bin/git");
    fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let run = |folder: &Path| {
        let mut command = command(
            env!("CARGO_BIN_EXE_promgen"),
            folder,
            &["diff", "main..HEAD", "--", "m"],
        );
        Compared::of(
            command
                .env("PATH", temporary.path().join("bin"))
                .output()
                .unwrap(),
        )
    };
    let real = fs::canonicalize(&folder).unwrap();
    let remedy = format!(
        "`git config --global --add safe.directory {}` allows it",
        real.display()
    );
    run(&folder).fails_with(&["another user owns it", &remedy]);
    // A name that a shell would take apart is one word.
    let odd = temporary.path().join("$(touch x) y");
    fs::rename(&folder, &odd).unwrap();
    run(&odd).fails_with(&["safe.directory '/", "/$(touch x) y'` allows it"]);
}

#[needs(git)]
#[test]
fn a_submodule_is_another_repository() {
    let temporary = repository();
    let folder = temporary.path().join("origin");
    let other = temporary.path().join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "-b", "main"]);
    write(&other, "rules/r.yaml", &prometheus("r", 1));
    commit(&other, "one");
    git(
        &folder,
        &[
            "submodule",
            "--quiet",
            "add",
            other.to_str().unwrap(),
            "lib/sub",
        ],
    );
    commit(&folder, "three");
    for path in ["lib/sub", "lib/sub/rules"] {
        let named = format!("`{path}` is in the submodule `lib/sub`");
        diff(&folder, &["HEAD~1..HEAD", "--", path])
            .fails_with(&[&named, "run `promgen diff` in its folder"]);
    }
    // Among other folders, it is left out of both sides: what is checked out is no difference.
    for range in ["HEAD~1..HEAD", "HEAD"] {
        let ran = diff(&folder, &[range, "--", "."]);
        let expected = "no differences\nnote: the submodule `lib/sub` is not compared: it is another repository\n";
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), expected),
            "{range}: {}",
            ran.stderr
        );
    }
    // In the submodule, its own revisions are read.
    write(&folder, "lib/sub/rules/r.yaml", &prometheus("r", 2));
    let ran = diff(&folder.join("lib/sub"), &["HEAD", "--", "rules"]);
    assert!(ran.stdout.contains("spec.replicas: 1 -> 2"), "{ran:?}");
}
