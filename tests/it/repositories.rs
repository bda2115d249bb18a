//! Which repository a revision is read from: what a commit can hold is none, and its trees and files are bounded.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use promgen_testing::needs;
use tempfile::TempDir;

use crate::support::Ran;

const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: NAME, namespace: d}\n\
                       spec: {selector: {}, endpoints: [{port: a, interval: 5x}]}\n";

/// A folder with repositories.
struct Places {
    folder: TempDir,
}

impl Places {
    /// `ci`: a work tree with a monitor that is wrong (PG016), on `main`. `evil`: another one, whose settings say that nothing is.
    fn new() -> Self {
        let places = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, settings) in [("ci", "fail-on: error\n"), ("evil", "ignore: [PG0]\n")] {
            fs::create_dir_all(places.path(name).join("m")).unwrap();
            fs::write(places.path(name).join("m/a.yaml"), MONITOR).unwrap();
            fs::write(places.path(name).join("m/promgen.yaml"), settings).unwrap();
            places.git(name, &["init", "-q", "-b", "main", "."], "");
            places.git(name, &["add", "-A"], "");
            places.git(name, &["commit", "-q", "-m", "x"], "");
        }
        places
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, folder: &str, args: &[&str], stdin: &str) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "protocol.file.allow=always",
        ]);
        command
            .args(args)
            .current_dir(self.path(folder))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn run(&self, folder: &str, args: &[&str], git_dir: Option<&Path>) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        command
            .args(args)
            .current_dir(self.path(folder))
            .envs(git_dir.map(|path| ("GIT_DIR", path)));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output
            .status
            .code()
            .unwrap_or(-1)
            .try_into()
            .unwrap_or(u8::MAX);
        Ran {
            code,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Copies the repository of `evil` to a folder, as a commit can hold it.
    fn bare(&self, to: &str) {
        let source = self.path("evil/.git");
        let target = self.path(to);
        for name in ["HEAD", "config"] {
            fs::create_dir_all(&target).unwrap();
            fs::copy(source.join(name), target.join(name)).unwrap();
        }
        for name in ["objects", "refs"] {
            copy(&source.join(name), &target.join(name));
        }
    }

    /// The verdict of the base: PG016. Or a refusal that says so.
    fn hears_the_base(&self, folder: &str, refusal: &str) {
        let ran = self.run(folder, &["lint", "--trust", "main", "."], None);
        let expected = if refusal.is_empty() {
            ran.code == 1 && ran.stdout.contains("PG016")
        } else {
            ran.code == 2
        };
        assert!(
            expected && ran.stderr.contains(refusal),
            "{folder}: {} {}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if path.is_dir() {
            copy(&path, &to)
        } else {
            assert!(fs::copy(path, to).is_ok())
        }
    }
}

#[needs(git)]
#[test]
fn a_repository_that_a_commit_holds_is_not_read() {
    let places = Places::new();
    places.bare("ci/m");
    places.hears_the_base("ci/m", "looks like a repository, but lies in that of");
    places.hears_the_base("ci/m/refs", "looks like a repository");
    places.hears_the_base("ci", "");
    let places = Places::new();
    places.bare("ci/m/x");
    fs::write(places.path("ci/m/.git"), "gitdir: x\n").unwrap();
    places.hears_the_base("ci/m", "which a commit may hold");
    fs::write(places.path("ci/m/.git"), "gitdir: ../../evil/.git\n").unwrap();
    places.hears_the_base("ci/m", "which is not known to be its repository");
    fs::remove_file(places.path("ci/m/.git")).unwrap();
    places.hears_the_base("ci/m", "");
}

#[needs(git)]
#[test]
fn a_submodule_in_the_place_of_a_folder_has_no_revisions() {
    let places = Places::new();
    places.git("ci", &["checkout", "-q", "-b", "change"], "");
    places.git("ci", &["rm", "-rq", "m"], "");
    places.git(
        "ci",
        &[
            "submodule",
            "add",
            "-q",
            places.path("evil").to_str().unwrap(),
            "m",
        ],
        "",
    );
    places.git("ci", &["commit", "-qm", "y"], "");
    places.hears_the_base("ci/m", "where `main` has no submodule");
    // Its own revisions are those of the submodule, where the one above has it as well.
    let ran = places.run("ci/m", &["diff", "HEAD", "--", "m"], None);
    assert!(
        ran.code == 0 && ran.stdout.starts_with("no differences\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[needs(git)]
#[test]
fn replaced_objects_and_other_work_trees_are_not_heeded() {
    let places = Places::new();
    places.git(
        "ci",
        &["fetch", "-q", places.path("evil").to_str().unwrap(), "main"],
        "",
    );
    places.git("ci", &["replace", "HEAD", "FETCH_HEAD"], "");
    places.hears_the_base("ci/m", "");
    places.git(
        "ci",
        &[
            "config",
            "core.worktree",
            places.path("evil").to_str().unwrap(),
        ],
        "",
    );
    places.hears_the_base("ci/m", "core.worktree");
}

#[needs(git)]
#[test]
fn the_repository_of_the_user_is_read_wherever_it_is() {
    let places = Places::new();
    let origin = places.path("ci");
    places.git("ci", &["worktree", "add", "-q", "../linked", "-b", "w"], "");
    places.git("ci", &["worktree", "add", "-q", "inner", "-b", "v"], "");
    places.git(
        ".",
        &[
            "clone",
            "-q",
            "--separate-git-dir",
            "sep.git",
            origin.to_str().unwrap(),
            "sep",
        ],
        "",
    );
    for folder in ["linked", "linked/m", "ci/inner/m", "sep/m"] {
        places.hears_the_base(folder, "");
    }
    places.git(
        ".",
        &[
            "clone",
            "-q",
            "--bare",
            origin.to_str().unwrap(),
            "mirror.git",
        ],
        "",
    );
    let args = ["diff", "main", "main", "--", "m"];
    let same = |folder, git_dir: Option<&Path>| {
        let ran = places.run(folder, &args, git_dir);
        assert!(
            ran.code == 0 && ran.stdout.starts_with("no differences\n"),
            "{folder}: {}{}",
            ran.stdout,
            ran.stderr
        );
    };
    same("mirror.git", None);
    same(".", Some(&places.path("mirror.git")));
    same("ci/m", Some(&places.path("mirror.git")));
    let ran = places.run(".", &["lint", "--trust", "main", "."], None);
    assert!(
        ran.code == 2 && ran.stderr.contains("in no git repository"),
        "{}",
        ran.stderr
    );
}

#[needs(git)]
#[test]
fn a_commit_that_lists_or_holds_too_much_is_refused() {
    let places = Places::new();
    let blob = places.git("ci", &["hash-object", "-w", "--stdin"], MONITOR);
    let lines = |n: usize, entry: &str| {
        (0..n)
            .map(|at| entry.replace("NAME", &format!("f{at}.yaml")))
            .collect::<String>()
    };
    let tree = places.git(
        "ci",
        &["mktree"],
        &lines(100, &format!("100644 blob {blob}\tNAME\n")),
    );
    let tree = places.git(
        "ci",
        &["mktree"],
        &lines(20, &format!("040000 tree {tree}\tNAME\n")),
    );
    let tree = places.git("ci", &["mktree"], &format!("040000 tree {tree}\tm\n"));
    let commit = places.git("ci", &["commit-tree", "-m", "x", &tree], "");
    let diff = |limit: &str| {
        places.run(
            "ci",
            &["diff", "main", &commit, "--raise-limit", limit, "--", "m"],
            None,
        )
    };
    let said = |limit: &str, expected: &str| {
        let ran = diff(limit);
        assert!(
            ran.code == 2 && ran.stderr.contains(expected),
            "{limit}: {} {}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
    };
    said(
        "git-bytes=64KiB",
        "what `git ls-tree` prints exceeds the limit `git-bytes` of 64 KiB",
    );
    // 2000 files of one content.
    said(
        "revision-bytes=15MiB",
        "what is to be read of the revision exceeds the limit `revision-bytes` of 15 MiB",
    );
    assert!(!diff("revision-bytes=20MiB").stderr.contains("limit"));
    assert!(!diff("git-bytes=1MiB").stderr.contains("git-bytes"));
    said("git-bytes=10", "exceeds the limit `git-bytes` of 10 bytes");
}
