//! What `.github/workflows/release.yml` publishes fits together: its steps run here, on packages that are text files, with programs
//! that write down what they were told. What is in the packages is tested in `xtask`. With `HADOLINT`, that program checks the
//! container file of the fuzz targets; `.ci/run` installs it.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use promgen_testing::needs;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::integrations::{Done, bash, run, yaml};
use crate::support::{root, tool};

const WORKFLOW: &str = ".github/workflows/release.yml";
const DOCKERFILE: &str = ".clusterfuzzlite/Dockerfile";

/// The packages that a step finds: not those of the table, which `xtask` tests.
const PACKAGES: [&str; 4] = [
    "promgen-a-b-c.cdx.json",
    "promgen-a-b-c.tar.gz",
    "promgen-1.2.3.tgz",
    "promgen-image.tar",
];

/// The workflow, and the folder that its steps run in.
struct Release {
    workflow: Value,
    folder: TempDir,
}

impl Release {
    /// A checkout, with the packages that the job `package` makes, and their checksums.
    fn packed() -> Self {
        let release = Self {
            workflow: yaml(WORKFLOW),
            folder: tempfile::tempdir().unwrap(),
        };
        for name in PACKAGES {
            release.write(&format!("packages/{name}"), name);
        }
        release.write("packages/manifests/krew-index/plugins/promgen.yaml", "krew");
        release.write(
            "CHANGELOG.md",
            "# Changelog\n\n## 2\n\nnew\n\n## 1\n\nold\n",
        );
        release.write(
            "packages/manifests/homebrew-tap/Formula/promgen.rb",
            "formula",
        );
        let sums = release.bash(
            &format!(
                "cd packages && sha256sum {} > SHA256SUMS",
                PACKAGES.join(" ")
            ),
            &[],
        );
        assert_eq!(sums.code, Some(0));
        release
    }

    /// The script of the step with this `id`.
    fn script(&self, job: &str, id: &str) -> &str {
        let steps = self.workflow["jobs"][job]["steps"].as_array().unwrap();
        steps.iter().find(|step| step["id"] == id).unwrap()["run"]
            .as_str()
            .unwrap()
    }

    fn step(&self, job: &str, id: &str, env: &[(&str, &str)]) -> Done {
        self.bash(self.script(job, id), env)
    }

    /// Runs a script, with the programs that [`Self::program`] has written.
    fn bash(&self, script: &str, env: &[(&str, &str)]) -> Done {
        let mut env: BTreeMap<_, _> = env
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let path = format!(
            "{}:{}",
            self.folder.path().join("bin").display(),
            std::env::var("PATH").unwrap()
        );
        env.entry("PATH".to_owned()).or_insert(path);
        bash(script, self.folder.path(), &env)
    }

    /// A program that writes its arguments to a file, a line for each call, and then runs a script.
    fn program(&self, name: &str, script: &str) {
        let log = self.folder.path().join(format!("{name}.log"));
        self.write(
            &format!("bin/{name}"),
            &format!("#!/bin/bash\necho \"$@\" >>{}\n{script}\n", log.display()),
        );
        let file = self.folder.path().join("bin").join(name);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn has(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    fn run(&self, program: &str, args: &[&str]) -> Done {
        run(program, args, self.folder.path(), &BTreeMap::new())
    }
}

/// A program that writes what `--bundle` names.
const COSIGN: &str =
    "while [ $# -gt 1 ]; do [ \"$1\" != --bundle ] || echo signed >\"$2\"; shift; done";

/// Build scripts of dependencies run in a job that compiles: it has neither a permission, nor a secret, nor the credentials
/// of the checkout.
#[test]
fn a_job_that_compiles_sees_no_token() {
    let workflow = yaml(WORKFLOW);
    let compiles =
        Regex::new(r"\bcargo (build|install|run|test|xtask)\b|\.ci/(build|dist|pack|run)\b")
            .unwrap();
    let mut n = 0;
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        let steps = job["steps"].as_array().unwrap();
        let checkouts = steps.iter().filter(|step| {
            step["uses"]
                .as_str()
                .is_some_and(|uses| uses.contains("/checkout@"))
        });
        for checkout in checkouts {
            assert_eq!(checkout["with"]["persist-credentials"], false, "{name}");
        }
        if steps.iter().any(|step| {
            step["run"]
                .as_str()
                .is_some_and(|run| compiles.is_match(run))
        }) {
            n += 1;
            let text = job.to_string();
            assert!(
                !text.contains("github.token") && !text.contains("secrets."),
                "{name}"
            );
            let permissions = if job["permissions"].is_null() {
                &workflow["permissions"]
            } else {
                &job["permissions"]
            };
            assert_eq!(
                permissions,
                &serde_json::json!({"contents": "read"}),
                "{name}"
            );
        }
    }
    assert_eq!(n, 2, "the programs, and their packages");
}

/// A program at a fixed address, or without tables for unwinding, is not what the toolchain makes.
#[test]
fn a_release_is_linked_as_the_toolchain_does() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    for text in [read(WORKFLOW), read(".ci/build")] {
        assert!(
            !text.contains("objcopy")
                && !text.contains("-C link")
                && !text.contains("export RUSTFLAGS")
        );
    }
    let flags = Regex::new(r"--?[a-z-]+=%s=").unwrap();
    let build = read(".ci/build");
    let flags: Vec<_> = flags
        .find_iter(&build)
        .map(|found| found.as_str())
        .collect();
    assert_eq!(flags, ["--remap-path-prefix=%s="; 2]);
    assert!(!root().join("build.rs").exists());
    let release = Release::packed();
    // Programs of other types than the workflow wants.
    for (linked, kind, code) in [
        (
            "statically linked",
            "DYN (Position-Independent Executable file)",
            0,
        ),
        ("statically linked", "EXEC (Executable file)", 1),
        ("libc.so.6", "DYN (Position-Independent Executable file)", 1),
    ] {
        release.program("ldd", &format!("echo '{linked}'"));
        release.program("readelf", &format!("echo '  Type:    {kind}'"));
        assert_eq!(
            release.step("build", "hardened", &[("TARGET", "x")]).code,
            Some(code),
            "{linked} {kind}"
        );
    }
}

#[test]
fn each_program_is_packed_for_its_target() {
    let release = Release::packed();
    release.program("rustup", "");
    for path in [
        "program-a-b-c/promgen",
        "program-d-pc-windows-msvc/promgen.exe",
    ] {
        release.write(&format!("programs/{path}"), "");
    }
    release.write(".ci/dist", "#!/bin/sh\necho \"$@\"\n");
    let file = release.folder.path().join(".ci/dist");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let done = release.step("package", "pack", &[("RUSTUP_TOOLCHAIN", "1")]);
    let expected = "--release a-b-c=programs/program-a-b-c/promgen \
                    d-pc-windows-msvc=programs/program-d-pc-windows-msvc/promgen.exe\n";
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), expected),
        "{}",
        done.stderr
    );
    assert_eq!(
        fs::metadata(release.folder.path().join("programs/program-a-b-c/promgen"))
            .unwrap()
            .permissions()
            .mode()
            & 0o111,
        0o111
    );
}

#[test]
fn what_changed_on_its_way_is_not_published() {
    let release = Release::packed();
    assert_eq!(release.step("publish", "checksums", &[]).code, Some(0));
    release.write("packages/promgen-a-b-c.tar.gz", "other");
    assert_ne!(release.step("publish", "checksums", &[]).code, Some(0));
}

#[test]
fn each_package_has_its_signature_and_the_provenance_of_all() {
    let release = Release::packed();
    release.program("cosign", COSIGN);
    release.write("bundle", "provenance");
    let bundle = release.folder.path().join("bundle");
    let done = release.step("publish", "sign", &[("BUNDLE", bundle.to_str().unwrap())]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for name in PACKAGES.iter().chain(&["SHA256SUMS"]) {
        assert_eq!(
            release.read(&format!("packages/{name}.sigstore.json")),
            "signed\n",
            "{name}"
        );
    }
    assert_eq!(
        release.read("packages/promgen-a-b-c.tar.gz.sbom.sigstore.json"),
        "signed\n"
    );
    assert!(
        release
            .read("cosign.log")
            .contains("--predicate promgen-a-b-c.cdx.json")
    );
    assert_eq!(release.read("packages/promgen.intoto.jsonl"), "provenance");
    // All of that is published, and the manifest that krew installs from.
    release.program("gh", "");
    let env = [("TAG", "v1.2.3"), ("GITHUB_REPOSITORY", "promgen/promgen")];
    let done = release.step("publish", "publish", &env);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let published = release.read("gh.log");
    let mut n = 0;
    for entry in fs::read_dir(release.folder.path().join("packages"))
        .unwrap()
        .map(Result::unwrap)
    {
        let is_published = published
            .contains(&format!("packages/{} ", entry.file_name().display()))
            || published.ends_with(&format!("packages/{}\n", entry.file_name().display()));
        assert_eq!(
            is_published,
            entry.file_type().unwrap().is_file(),
            "{:?} {published}",
            entry.file_name()
        );
        n += 1;
    }
    assert_eq!(release.read("notes.md"), "## 2\n\nnew\n\n");
    assert!(
        n > 12 && published.contains("packages/promgen.yaml"),
        "{published}"
    );
}

#[test]
fn the_plugin_of_helm_is_signed_or_not_published() {
    let release = Release::packed();
    let done = release.step("publish", "helm", &[("TAG", "v1.2.3"), ("KEY", "")]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("::warning::") && !release.has("packages/promgen-1.2.3.tgz"));
    assert!(
        !release
            .read("packages/SHA256SUMS")
            .contains("promgen-1.2.3.tgz")
    );
    let release = Release::packed();
    release.program(
        "gpg",
        "case $* in *list*) printf 'sec:\\nfpr:::::::::ABC:\\n' ;; *export*) echo ring ;; esac",
    );
    release.write(
        ".ci/helm-provenance",
        "#!/bin/sh\necho \"signed $1 by $2\"\n",
    );
    let file = release.folder.path().join(".ci/helm-provenance");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let done = release.step("publish", "helm", &[("TAG", "v1.2.3"), ("KEY", "key")]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let provenance = release.read("packages/promgen-1.2.3.tgz.prov");
    assert_eq!(provenance, "signed packages/promgen-1.2.3.tgz by ABC\n");
    assert_eq!(release.read("packages/promgen-helm-keyring.gpg"), "ring\n");
}

#[test]
fn the_tap_gets_the_formula_once() {
    let release = Release::packed();
    let tap = release.folder.path().join("remote");
    let prepare = "git init -q --bare -b main remote && git clone -q remote seed 2>&1 && cd seed && git checkout -qb main && \
                   git -c user.name=a -c user.email=a@b.c commit -qm seed --allow-empty && git push -q origin main";
    assert_eq!(
        bash(prepare, release.folder.path(), &BTreeMap::new()).code,
        Some(0)
    );
    let redirect = format!("url.file://{}.insteadOf", tap.display());
    let env = [
        ("TAG", "v1.2.3"),
        ("TAP_TOKEN", "token"),
        ("GITHUB_REPOSITORY_OWNER", "promgen"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", &redirect),
        (
            "GIT_CONFIG_VALUE_0",
            "https://x-access-token:token@github.com/promgen/homebrew-tap",
        ),
    ];
    for _ in 0..2 {
        let done = release.step("publish", "tap", &env);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        fs::remove_dir_all(release.folder.path().join("tap")).unwrap();
    }
    let log = release
        .run("git", &["-C", "remote", "log", "--format=%s", "main"])
        .stdout;
    assert_eq!(log, "promgen 1.2.3\nseed\n");
    let pushed = release
        .run("git", &["-C", "remote", "show", "main:Formula/promgen.rb"])
        .stdout;
    assert_eq!(
        pushed,
        release.read("packages/manifests/homebrew-tap/Formula/promgen.rb")
    );
}

#[needs(jq)]
#[test]
fn the_pushed_image_is_the_one_that_is_signed_and_attested() {
    let release = Release::packed();
    release.program("cosign", "");
    let index = r#"{"manifests": [{"digest": "sha256:a", "platform": {"architecture": "amd64"}},
        {"digest": "sha256:b", "platform": {"architecture": "arm64"}}]}"#;
    release.program(
        "skopeo",
        &format!("case $1 in copy) echo sha256:abc >pushed ;; inspect) echo '{index}' ;; esac"),
    );
    let image = [("TAG", "v1.2.3"), ("IMAGE", "ghcr.io/promgen/promgen")];
    let done = release.step(
        "image",
        "push",
        &[&image[..], &[("GITHUB_OUTPUT", "output")]].concat(),
    );
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(release.read("output"), "digest=sha256:abc\n");
    let pushed = release.read("skopeo.log");
    for tag in ["v1.2.3", "latest"] {
        let copied = format!(
            "oci-archive:packages/promgen-image.tar docker://ghcr.io/promgen/promgen:{tag}\n"
        );
        assert!(
            pushed.contains(&copied) && pushed.contains("--all --preserve-digests"),
            "{pushed}"
        );
    }
    let done = release.step(
        "image",
        "sign",
        &[&image[..], &[("DIGEST", "sha256:abc")]].concat(),
    );
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let signed = release.read("cosign.log");
    assert!(
        signed.starts_with("sign --yes --recursive ghcr.io/promgen/promgen@sha256:abc\n"),
        "{signed}"
    );
    for (target, digest) in [("x86_64", "a"), ("aarch64", "b")] {
        let line = format!(
            "promgen-{target}-unknown-linux-musl.cdx.json ghcr.io/promgen/promgen@sha256:{digest}\n"
        );
        assert!(signed.contains(&line), "{signed}");
    }
}

/// A line of `docs/pipelines.md` that begins so, without that.
fn documented(start: &str) -> String {
    let page = fs::read_to_string(root().join("docs/pipelines.md")).unwrap();
    let line = page.lines().find_map(|line| line.strip_prefix(start));
    line.unwrap_or_else(|| panic!("docs/pipelines.md has no line `{start}…`"))
        .to_owned()
}

#[test]
fn the_documented_commands_of_the_image_and_of_kubectl_run() {
    let manifests = "integrations/kustomize/base";
    let release = Release::packed();
    // What kubectl runs for `kubectl promgen`.
    let plugin = release.folder.path().join("kubectl-promgen");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_promgen"), &plugin).unwrap();
    fs::create_dir(release.folder.path().join("manifests")).unwrap();
    fs::copy(
        root().join(manifests).join("shop.yaml"),
        release.folder.path().join("manifests/shop.yaml"),
    )
    .unwrap();
    let image = "ghcr.io/promgen/promgen:v0.1.0 ";
    for (program, command) in [
        (
            "promgen",
            documented(&format!("$ docker run --rm -v \"$PWD:/work:ro\" {image}")),
        ),
        (
            "promgen",
            documented(&format!(
                "$ docker run --rm -v \"$PWD:/work\" --user \"$(id -u):$(id -g)\" {image}"
            )),
        ),
        ("./kubectl-promgen", documented("$ kubectl promgen ")),
    ] {
        let args: Vec<_> = command.split(' ').collect();
        let done = release.run(program, &args);
        assert_eq!(done.code, Some(0), "{command}: {}", done.stderr);
    }
    assert!(
        release
            .folder
            .path()
            .join("rendered/kustomization.yaml")
            .is_file()
    );
    let asset = documented("$ kubectl krew install --manifest-url ");
    assert!(
        asset.ends_with("/releases/download/v0.1.0/promgen.yaml"),
        "{asset}"
    );
}

#[test]
fn without_signatures_and_attestations_nothing_is_published() {
    let workflow = yaml(WORKFLOW);
    for (job, permissions) in [
        ("publish", &["contents", "attestations", "id-token"][..]),
        ("image", &["packages", "attestations", "id-token"]),
    ] {
        let given = &workflow["jobs"][job]["permissions"];
        for permission in permissions {
            assert_eq!(given[permission], "write", "{job}: {permission}");
        }
    }
    let steps = workflow["jobs"]["publish"]["steps"].as_array().unwrap();
    let place = |found: &dyn Fn(&Value) -> bool| steps.iter().position(found).unwrap();
    let named = |id: &'static str| move |step: &Value| step["id"] == id;
    let order =
        ["checksums", "helm", "provenance", "sign", "publish", "tap"].map(|id| place(&named(id)));
    assert!(order.is_sorted(), "{order:?}");
    let provenance = &steps[order[2]];
    assert!(
        provenance["uses"]
            .as_str()
            .unwrap()
            .starts_with("actions/attest-build-provenance@")
    );
    assert_eq!(
        provenance["with"]["subject-checksums"],
        "packages/SHA256SUMS"
    );
}

/// A job asks for what it needs beyond that.
#[test]
fn workflows_may_read_and_nothing_more() {
    let mut n = 0;
    for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        let workflow: Value = serde_yaml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(
            workflow["permissions"],
            serde_json::json!({"contents": "read"}),
            "{}",
            path.display()
        );
        n += 1;
    }
    assert!(n > 5, "{n}");
}

/// A page that tells how to skip a check teaches to skip it.
#[test]
fn no_page_tells_how_to_install_without_a_check() {
    let mut pages = vec![root().join("README.md"), root().join("SECURITY.md")];
    pages.extend(
        ["docs", "docs/commands", "docs/questions"]
            .iter()
            .flat_map(|folder| {
                fs::read_dir(root().join(folder))
                    .unwrap()
                    .map(|entry| entry.unwrap().path())
            }),
    );
    let skips =
        Regex::new(r"--verify[= ]false|--insecure|--no-check-certificate|--nogpgcheck|curl [^\n|]*\| *(ba|z)?sh")
            .unwrap();
    for page in pages
        .iter()
        .filter(|page| page.extension().is_some_and(|extension| extension == "md"))
    {
        let text = fs::read_to_string(page).unwrap();
        assert!(
            !skips.is_match(&text),
            "{}: {:?}",
            page.display(),
            skips.find(&text)
        );
    }
}

#[test]
#[ignore = "needs HADOLINT, the program hadolint"]
fn hadolint_accepts_the_container_file() {
    let hadolint = tool("HADOLINT");
    let check = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Dockerfile"), text).unwrap();
        run(
            hadolint.to_str().unwrap(),
            &["--no-color", "Dockerfile"],
            folder.path(),
            &BTreeMap::new(),
        )
    };
    let text = fs::read_to_string(root().join(DOCKERFILE)).unwrap();
    let done = check(&text);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(0), ""),
        "{}",
        done.stderr
    );
    let done = check(&text.replace("WORKDIR $SRC/promgen", "RUN cd fuzz"));
    assert!(
        done.code == Some(1) && done.stdout.contains("DL3003"),
        "{}",
        done.stdout
    );
}
