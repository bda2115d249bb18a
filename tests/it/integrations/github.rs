//! The action installs what its checksum says and takes all lines of its inputs; the workflow for strangers holds what the
//! base says; what a workflow uses is pinned.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use promgen_testing::needs;
use regex::Regex;
use serde_json::Value;

use crate::integrations::{Action, Done, bash, repository, run, yaml};
use crate::support::root;

/// Checks that a workflow installs promgen by the action, before its first command.
pub(super) fn check_install(steps: &[Value]) {
    let install = steps
        .iter()
        .position(|step| step["name"] == "Install promgen")
        .unwrap();
    assert!(
        steps[install]["uses"]
            .as_str()
            .unwrap()
            .starts_with("promgen/promgen@"),
        "{:?}",
        steps[install]
    );
    assert_eq!(steps[install]["with"]["install-only"], "true");
    assert!(steps[..install].iter().all(|step| step["run"].is_null()));
}

#[test]
fn the_action_takes_all_lines_of_its_inputs() {
    let folder = repository();
    fs::create_dir(folder.path().join("more")).unwrap();
    let more = fs::read_to_string(folder.path().join("manifests/main.yaml"))
        .unwrap()
        .replace("main", "more");
    fs::write(folder.path().join("more/more.yaml"), more).unwrap();
    let inputs = [
        ("paths", "manifests/\n\n  more/\n"),
        (
            "args",
            "--select\n  idle-shard,unused-suppression\n--ignore PG040\n",
        ),
        ("fail-on", "warning"),
    ];
    let (code, printed) = Action::new(&inputs, folder.path()).run();
    assert_eq!(code, Some(1), "{printed}");
    let annotated: Vec<_> = printed
        .lines()
        .filter(|line| line.starts_with("::warning "))
        .collect();
    assert!(
        annotated.len() == 2 && annotated[0].contains("file=manifests/main.yaml"),
        "{printed}"
    );
    assert!(annotated[1].contains("file=more/more.yaml"), "{printed}");
    // Nothing of an input is a command.
    let hostile = [
        ("paths", "manifests/ $(touch x) `touch x`\n; touch x"),
        ("args", "--select idle-shard"),
    ];
    assert_eq!(Action::new(&hostile, folder.path()).run().0, Some(2));
    assert!(!folder.path().join("x").exists());
}

/// The targets of the archives that the action downloads.
fn targets() -> BTreeSet<String> {
    let archive = Regex::new(r"archive=promgen-([a-z0-9_-]+)\.tar\.gz").unwrap();
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    archive
        .captures_iter(&text)
        .map(|found| found[1].to_owned())
        .collect()
}

#[test]
fn the_action_has_an_archive_for_each_platform_of_a_release() {
    let release = yaml(".github/workflows/release.yml");
    let built = release["jobs"]["build"]["strategy"]["matrix"]["include"]
        .as_array()
        .unwrap()
        .iter();
    let built: BTreeSet<String> = built
        .map(|entry| entry["target"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(targets(), built);
}

/// A release whose program prints its version, on the disk.
struct Release {
    folder: tempfile::TempDir,
    version: String,
    /// What `gh` ends with, if there is one: it writes its arguments and its token to `gh.log`.
    gh: Option<u8>,
}

impl Release {
    fn new(version: &str) -> Self {
        let release = Self {
            folder: tempfile::tempdir().unwrap(),
            version: version.to_owned(),
            gh: None,
        };
        let program = release.folder.path().join("promgen");
        fs::write(
            &program,
            format!("#!/bin/sh\necho 'promgen {}'\n", &version[1..]),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(release.files()).unwrap();
        for target in targets() {
            let archive = release.files().join(format!("promgen-{target}.tar.gz"));
            let done = run(
                "tar",
                &["-czf", archive.to_str().unwrap(), "promgen"],
                release.folder.path(),
                &BTreeMap::new(),
            );
            assert_eq!(done.code, Some(0), "{}", done.stderr);
        }
        let done = bash(
            "sha256sum *.tar.gz >SHA256SUMS",
            &release.files(),
            &BTreeMap::new(),
        );
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        release
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join(&self.version)
    }

    fn checksum(&self) -> String {
        let sums = fs::read_to_string(self.files().join("SHA256SUMS")).unwrap();
        let line = sums
            .lines()
            .find(|line| line.ends_with("promgen-x86_64-unknown-linux-musl.tar.gz"))
            .unwrap();
        line.split(' ').next().unwrap().to_owned()
    }

    /// Installs it; with a promgen on the PATH or none. Returns what it is then called by `promgen --version`.
    fn install(
        &self,
        inputs: &[(&str, &str)],
        has_promgen: bool,
    ) -> (Option<i32>, String, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", self.folder.path().display());
        let inputs = [&[("install-only", "true")], inputs].concat();
        let tools = without_promgen(folder.path());
        if let Some(code) = self.gh {
            let (gh, log) = (
                Path::new(&tools).join("gh"),
                self.folder.path().join("gh.log"),
            );
            fs::write(
                &gh,
                format!(
                    "#!/bin/sh\necho \"$GH_TOKEN $*\" >>{}\nexit {code}\n",
                    log.display()
                ),
            )
            .unwrap();
            fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let env = [("RELEASES", url.as_str()), ("PATH", tools.as_str())];
        let env = if has_promgen { &env[..1] } else { &env[..] };
        let (code, printed) = Action {
            env,
            ..Action::new(&inputs, folder.path())
        }
        .run();
        let added = fs::read_to_string(folder.path().join("path")).unwrap();
        let added = added.lines().next().map(|added| {
            run(
                &format!("{added}/promgen"),
                &[],
                folder.path(),
                &BTreeMap::new(),
            )
        });
        (code, printed, added.map(|done| done.stdout))
    }
}

/// A PATH with what the action needs, and no promgen.
fn without_promgen(folder: &Path) -> String {
    let tools = folder.join("tools");
    fs::create_dir(&tools).unwrap();
    for tool in [
        "awk",
        "bash",
        "cat",
        "curl",
        "cut",
        "gzip",
        "mkdir",
        "sed",
        "sha256sum",
        "tar",
    ] {
        let Done { stdout, .. } = bash(&format!("command -v {tool}"), folder, &BTreeMap::new());
        if !stdout.is_empty() {
            symlink(stdout.trim_end(), tools.join(tool)).unwrap();
        }
    }
    tools.to_str().unwrap().to_owned()
}

#[needs(curl)]
#[test]
fn the_action_installs_what_has_the_checksum_of_the_release() {
    let release = Release::new("v9.9.9");
    for has_promgen in [true, false] {
        let (code, printed, installed) = release.install(&[("version", "v9.9.9")], has_promgen);
        assert_eq!(
            (code, installed.as_deref()),
            (Some(0), Some("promgen 9.9.9\n")),
            "{printed}"
        );
    }
    let sum = release.checksum();
    let (code, printed, installed) =
        release.install(&[("version", "v9.9.9"), ("sha256", &sum)], false);
    assert_eq!(
        (code, installed.as_deref()),
        (Some(0), Some("promgen 9.9.9\n")),
        "{printed}"
    );
    // Without a version, that of the action.
    let own = Release::new(concat!("v", env!("CARGO_PKG_VERSION")));
    let (code, printed, installed) = own.install(&[], false);
    let expected = concat!("promgen ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(
        (code, installed.as_deref()),
        (Some(0), Some(expected)),
        "{printed}"
    );
}

#[needs(curl)]
#[test]
fn the_action_installs_nothing_else() {
    let release = Release::new("v9.9.9");
    let version = ("version", "v9.9.9");
    let refused = |release: &Release, inputs: &[(&str, &str)]| {
        for has_promgen in [true, false] {
            let (code, printed, installed) = release.install(inputs, has_promgen);
            assert!(
                code == Some(1) && printed.contains("::error::the checksum of promgen-x86_64"),
                "{printed}"
            );
            assert_eq!(installed, None);
        }
    };
    refused(&release, &[version, ("sha256", &"0".repeat(64))]);
    let archive = release
        .files()
        .join("promgen-x86_64-unknown-linux-musl.tar.gz");
    let other = release.files().join("promgen-aarch64-apple-darwin.tar.gz");
    let whole = fs::read(&archive).unwrap();
    fs::write(&archive, &whole[..whole.len() - 1]).unwrap();
    refused(&release, &[version]);
    fs::write(&archive, &whole).unwrap();
    let sums = release.files().join("SHA256SUMS");
    let text = fs::read_to_string(&sums).unwrap();
    // The line of another archive is none of this one.
    let others: String = text
        .lines()
        .filter(|line| !line.contains("x86_64-unknown"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(other.is_file());
    fs::write(&sums, others).unwrap();
    refused(&release, &[version]);
}

#[needs(curl)]
#[test]
fn the_action_checks_the_attestation_where_it_can() {
    let mut release = Release::new("v9.9.9");
    for (gh, expected) in [
        (Some(0), Some("promgen 9.9.9\n")),
        (Some(1), None),
        (None, Some("promgen 9.9.9\n")),
    ] {
        release.gh = gh;
        let (code, printed, installed) = release.install(&[("version", "v9.9.9")], false);
        assert_eq!(
            (code == Some(0), installed.as_deref()),
            (expected.is_some(), expected),
            "{printed}"
        );
        assert_eq!(
            printed.contains("::error::the attestation of promgen-x86_64"),
            expected.is_none(),
            "{printed}"
        );
        assert_eq!(
            printed.contains("::notice::the attestation"),
            gh.is_none(),
            "{printed}"
        );
    }
    let asked = fs::read_to_string(release.folder.path().join("gh.log")).unwrap();
    let line = "token-of-the-job attestation verify promgen-x86_64-unknown-linux-musl.tar.gz --repo promgen/promgen \
                --signer-workflow promgen/promgen/.github/workflows/release.yml\n";
    assert_eq!(asked, line.repeat(2));
}

#[needs(curl)]
#[test]
fn the_action_uses_the_program_on_the_path_if_there_is_no_other() {
    let release = Release::new("v9.9.9");
    // The same version is there: nothing is downloaded.
    let (code, printed, installed) = release.install(&[], true);
    assert_eq!((code, printed.as_str(), installed), (Some(0), "", None));
    let missing = [("version", "v1.2.3")];
    let (code, printed, installed) = release.install(&missing, true);
    assert!(code == Some(0) && installed.is_none(), "{printed}");
    assert!(
        printed.contains("::warning::promgen v1.2.3 cannot be downloaded for Linux-X64"),
        "{printed}"
    );
    let (code, printed, _) = release.install(&missing, false);
    assert!(
        code == Some(1) && printed.contains("and there is none on the PATH"),
        "{printed}"
    );
}

#[needs(curl)]
#[test]
fn the_job_of_gitlab_installs_what_has_its_checksum() {
    let release = Release::new("v0.1.0");
    let folder = tempfile::tempdir().unwrap();
    let path = without_promgen(folder.path());
    for tool in ["mktemp", "rm"] {
        let found = bash(
            &format!("command -v {tool}"),
            folder.path(),
            &BTreeMap::new(),
        )
        .stdout;
        symlink(found.trim_end(), Path::new(&path).join(tool)).unwrap();
    }
    let job = yaml("integrations/gitlab/promgen.gitlab-ci.yml");
    assert!(
        job["promgen"]["image"].is_null(),
        "an image is pinned by its digest, which is not known here"
    );
    let install = job["promgen"]["before_script"][0].as_str().unwrap();
    let installed = |sum: &str| {
        let env = [
            ("PATH", path.clone()),
            (
                "PROMGEN_RELEASES",
                format!("file://{}", release.folder.path().display()),
            ),
            (
                "PROMGEN_VERSION",
                job["variables"]["PROMGEN_VERSION"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            ),
            ("PROMGEN_SHA256", sum.to_owned()),
        ];
        let env = env
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect();
        bash(
            &format!("{install}\npromgen --version"),
            folder.path(),
            &env,
        )
    };
    let done = installed(&release.checksum());
    assert!(
        done.code == Some(0) && done.stdout.ends_with("promgen 0.1.0\n"),
        "{}{}",
        done.stdout,
        done.stderr
    );
    for other in ["", &"0".repeat(64)] {
        let done = installed(other);
        assert!(
            done.code != Some(0) && !done.stdout.contains("promgen 0.1.0"),
            "{}{}",
            done.stdout,
            done.stderr
        );
    }
}

/// A repository with settings, and a branch of a stranger.
struct Stranger {
    folder: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl Stranger {
    fn new() -> Self {
        let folder = repository();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write(
            "promgen.yaml",
            "fail-on: warning\nselect: [PG201, PG015]\nbaseline: .promgen-baseline.json\n",
        );
        write(
            ".promgen-baseline.json",
            "{\"version\": 1, \"findings\": []}\n",
        );
        let main = fs::read_to_string(folder.path().join("manifests/main.yaml")).unwrap();
        write(
            "manifests/main.yaml",
            &main.replace("shards: 4", "shards: 3"),
        );
        let mut stranger = Self {
            folder,
            env: BTreeMap::new(),
        };
        stranger.git("git init -q -b main . && git add -A");
        stranger.commit();
        let base = stranger.git("git rev-parse HEAD").stdout.trim().to_owned();
        stranger.env.insert("BASE".to_owned(), base);
        let summary = stranger.folder.path().join("summary").display().to_string();
        stranger
            .env
            .insert("GITHUB_STEP_SUMMARY".to_owned(), summary);
        stranger
    }

    fn git(&self, script: &str) -> Done {
        let done = bash(script, self.folder.path(), &self.env);
        assert_eq!(done.code, Some(0), "{script}: {}", done.stderr);
        done
    }

    fn commit(&self) {
        self.git("git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -qam change --allow-empty");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the job on what the stranger commits.
    fn checked(&self) -> Done {
        self.git("git add -f -A");
        self.commit();
        let workflow = yaml("integrations/github/untrusted.yml");
        let steps = workflow["jobs"]["promgen"]["steps"].as_array().unwrap();
        check_install(steps);
        let mut all = Done {
            code: Some(0),
            stdout: String::new(),
            stderr: String::new(),
        };
        for step in steps.iter().filter_map(|step| step["run"].as_str()) {
            let done = bash(step, self.folder.path(), &self.env);
            all.code = if all.code == Some(0) {
                done.code
            } else {
                all.code
            };
            all.stdout += &done.stdout;
            all.stderr += &done.stderr;
        }
        all
    }
}

/// What a stranger does, and its name.
type Attack<'a> = (&'a str, &'a dyn Fn(&Stranger));

#[test]
fn a_stranger_does_not_switch_the_gate_off() {
    const BAD: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: A}\nspec: {}\n";
    let off = "fail-on: never\nignore: [PG]\nexclude: ['**']\n";
    let write =
        |stranger: &Stranger, name: &str, text: &str| fs::write(stranger.path(name), text).unwrap();
    let known = |stranger: &Stranger| {
        let recorded =
            "promgen lint --no-config --write-baseline .promgen-baseline.json manifests/";
        stranger.git(recorded);
    };
    let attacks: [Attack<'_>; 10] = [
        ("nothing", &|s| write(s, "manifests/new.yaml", BAD)),
        ("other settings", &|s| {
            write(s, "manifests/new.yaml", BAD);
            write(s, "promgen.yaml", off);
        }),
        ("closer settings", &|s| {
            write(s, "manifests/new.yaml", BAD);
            write(s, "manifests/promgen.yaml", off);
        }),
        ("no settings", &|s| {
            write(s, "manifests/new.yaml", BAD);
            fs::remove_file(s.path("promgen.yaml")).unwrap();
        }),
        ("a link in the place of the settings", &|s| {
            write(s, "manifests/new.yaml", BAD);
            write(s, "victim", off);
            fs::remove_file(s.path("promgen.yaml")).unwrap();
            symlink("victim", s.path("promgen.yaml")).unwrap();
        }),
        ("a folder in the place of the settings", &|s| {
            write(s, "manifests/new.yaml", BAD);
            fs::remove_file(s.path("promgen.yaml")).unwrap();
            fs::create_dir(s.path("promgen.yaml")).unwrap();
            write(s, "promgen.yaml/x", off);
        }),
        ("another baseline", &|s| {
            write(s, "manifests/new.yaml", BAD);
            known(s);
        }),
        ("an allowed finding", &|s| {
            write(
                s,
                "manifests/new.yaml",
                &BAD.replace("{name: A}", "{name: A} # promgen: allow(PG)"),
            );
        }),
        ("the mark of generated files", &|s| {
            write(
                s,
                "manifests/new.yaml",
                &format!("# promgen: generated\n{BAD}"),
            );
        }),
        ("an ignored file", &|s| {
            write(s, "manifests/new.yaml", BAD);
            write(s, ".gitignore", "new.yaml\n");
        }),
    ];
    for (name, attack) in attacks {
        let stranger = Stranger::new();
        attack(&stranger);
        let done = stranger.checked();
        assert_eq!(done.code, Some(1), "{name}: {}{}", done.stdout, done.stderr);
        assert!(
            done.stdout
                .contains("::error file=manifests/new.yaml,line="),
            "{name}: {}",
            done.stdout
        );
        // What a link leads to is as it was.
        let victim = fs::read_to_string(stranger.path("victim"));
        assert!(
            victim.is_err() || victim.is_ok_and(|text| text == off),
            "{name}"
        );
    }
}

#[test]
fn a_stranger_who_changes_nothing_else_passes() {
    let stranger = Stranger::new();
    let main = fs::read_to_string(stranger.path("manifests/main.yaml")).unwrap();
    fs::write(
        stranger.path("manifests/main.yaml"),
        main.replace("shards: 3", "shards: 6"),
    )
    .unwrap();
    let done = stranger.checked();
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), ""),
        "{}",
        done.stderr
    );
    assert!(
        fs::read_to_string(stranger.path("summary"))
            .unwrap()
            .contains("shards 3 -&gt; 6")
    );
}

#[test]
fn the_job_for_strangers_can_do_little() {
    let workflow = yaml("integrations/github/untrusted.yml");
    // YAML 1.1 reads the key as true.
    let on = workflow.get("on").or_else(|| workflow.get("true")).unwrap();
    assert_eq!(on, "pull_request");
    assert_eq!(
        workflow["permissions"],
        serde_json::json!({ "contents": "read" })
    );
    let steps = workflow["jobs"]["promgen"]["steps"].as_array().unwrap();
    assert_eq!(steps[0]["with"]["persist-credentials"], false);
    let text = fs::read_to_string(root().join("integrations/github/untrusted.yml")).unwrap();
    assert!(
        !text.contains("secrets.") && !text.contains("GH_TOKEN"),
        "{text}"
    );
    // A text of the pull request is never part of a script.
    for step in steps.iter().filter_map(|step| step["run"].as_str()) {
        assert!(!step.contains("${{"), "{step}");
    }
}

/// The files that name actions.
fn workflows() -> Vec<PathBuf> {
    let mut found = vec![root().join("action.yml"), root().join("README.md")];
    let mut pending = [".github", "integrations", "docs"]
        .map(|folder| root().join(folder))
        .to_vec();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| {
                ["yml", "yaml", "md"]
                    .iter()
                    .any(|known| extension == *known)
            }) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_action_is_pinned_by_its_commit() {
    let used = Regex::new(r"(?m)^\s*(?:- )?uses: (.*)$").unwrap();
    let pinned = Regex::new(r"^[\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+(\.\d+\.\d+)?$").unwrap();
    let mut by_action: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in workflows() {
        let text = fs::read_to_string(&file).unwrap();
        for found in used.captures_iter(&text) {
            assert!(
                pinned.is_match(&found[1]),
                "{}: {}",
                file.display(),
                &found[1]
            );
            let (action, version) = found[1].split_once('@').unwrap();
            by_action
                .entry(action.to_owned())
                .or_default()
                .insert(version.to_owned());
        }
        // What is downloaded is checked, and needs no root.
        assert!(!text.contains("sudo tar"), "{}", file.display());
    }
    assert!(by_action.len() >= 6, "{by_action:?}");
    let several: Vec<_> = by_action
        .iter()
        .filter(|(_, versions)| versions.len() > 1)
        .collect();
    assert!(several.is_empty(), "{several:?}");
}
