//! What `.github/workflows/release.yml` publishes fits together: its steps run here, on programs that are text files. With
//! `HADOLINT`, that program checks the container file; `.ci/run` installs it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

use crate::integrations::{Done, bash, run, yaml};
use crate::support::{root, tool};
use promgen_text::sorted::{SortedMap, SortedSet};

const DOCKERFILE: &str = "integrations/container/Dockerfile";
const VERSION: &str = "1.2.3";

/// The workflow, and the folder that its steps run in.
struct Release {
    workflow: Value,
    folder: TempDir,
}

impl Release {
    /// A checkout, with the archives that the job `build` makes, and their checksums.
    fn built() -> Self {
        let release = Self { workflow: yaml(".github/workflows/release.yml"), folder: tempfile::tempdir().unwrap() };
        for file in [
            "LICENSE",
            "README.md",
            ".ci/fill",
            "integrations/krew/promgen.yaml",
            "integrations/homebrew/promgen.rb",
            "integrations/helm/plugin/plugin.yaml",
            DOCKERFILE,
        ] {
            release.write(file, "");
            fs::copy(root().join(file), release.folder.path().join(file)).unwrap();
        }
        for target in release.targets() {
            let suffix = if target.contains("windows") { ".exe" } else { "" };
            release.write(&format!("target/{target}/dist/promgen{suffix}"), &target);
            let env = [("TARGET", target.as_str()), ("SUFFIX", suffix)];
            assert_eq!(release.step("build", "package", &env).code, Some(0));
        }
        assert_eq!(release.step("publish", "checksums", &[]).code, Some(0));
        release
    }

    fn matrix(&self) -> &Vec<Value> {
        self.workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array().unwrap()
    }

    fn targets(&self) -> Vec<String> {
        self.matrix().iter().map(|built| built["target"].as_str().unwrap().to_owned()).collect()
    }

    /// The script of the step with this `id`.
    fn script(&self, job: &str, id: &str) -> &str {
        let steps = self.workflow["jobs"][job]["steps"].as_array().unwrap();
        steps.iter().find(|step| step["id"] == id).unwrap()["run"].as_str().unwrap()
    }

    fn step(&self, job: &str, id: &str, env: &[(&str, &str)]) -> Done {
        let env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        bash(self.script(job, id), self.folder.path(), &env)
    }

    /// The manifests of krew and Homebrew.
    fn manifests(&self) -> Done {
        self.step("publish", "manifests", &[("TAG", &format!("v{VERSION}"))])
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn run(&self, program: &str, args: &[&str]) -> Done {
        run(program, args, self.folder.path(), &SortedMap::new())
    }

    /// The checksum of an archive that a manifest downloads.
    fn checksum(&self, url: &str) -> String {
        let folder = format!("https://github.com/promgen/promgen/releases/download/v{VERSION}/");
        let archive = url.strip_prefix(&folder).unwrap_or_else(|| panic!("{url}"));
        let sums = self.read("SHA256SUMS");
        let line = sums.lines().find(|line| line.ends_with(&format!("  {archive}")));
        line.unwrap_or_else(|| panic!("{url} is not in\n{sums}")).split(' ').next().unwrap().to_owned()
    }
}

/// Build scripts of dependencies run in a job that compiles: it has neither a permission, nor a secret, nor the credentials
/// of the checkout.
#[test]
fn a_job_that_compiles_sees_no_token() {
    let workflow = yaml(".github/workflows/release.yml");
    let compiles = Regex::new(r"\bcargo (build|install|run|test)\b").unwrap();
    let mut n = 0;
    for (name, job) in workflow["jobs"].as_object().unwrap() {
        let steps = job["steps"].as_array().unwrap();
        let checkouts =
            steps.iter().filter(|step| step["uses"].as_str().is_some_and(|uses| uses.contains("/checkout@")));
        for checkout in checkouts {
            assert_eq!(checkout["with"]["persist-credentials"], false, "{name}");
        }
        if steps.iter().any(|step| step["run"].as_str().is_some_and(|run| compiles.is_match(run))) {
            n += 1;
            let text = job.to_string();
            assert!(!text.contains("github.token") && !text.contains("secrets."), "{name}");
            let permissions = if job["permissions"].is_null() { &workflow["permissions"] } else { &job["permissions"] };
            assert_eq!(permissions, &serde_json::json!({"contents": "read"}), "{name}");
        }
    }
    assert_eq!(n, 2, "the programs, and the SBOM");
}

/// A program at a fixed address, or without tables for unwinding, is not what the toolchain makes.
#[test]
fn a_release_is_linked_as_the_toolchain_does() {
    let text = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    assert!(!text.contains("RUSTFLAGS") && !text.contains("objcopy"));
    assert!(!root().join("build.rs").exists());
    let release = Release { workflow: yaml(".github/workflows/release.yml"), folder: tempfile::tempdir().unwrap() };
    // Programs of other types than the workflow wants.
    let path = format!("{}:{}", release.folder.path().join("bin").display(), std::env::var("PATH").unwrap());
    let env = [("PATH", path.as_str()), ("TARGET", "x")];
    for (linked, kind, code) in [
        ("statically linked", "DYN (Position-Independent Executable file)", 0),
        ("statically linked", "EXEC (Executable file)", 1),
        ("libc.so.6", "DYN (Position-Independent Executable file)", 1),
    ] {
        for (tool, text) in [("ldd", linked.to_owned()), ("readelf", format!("  Type:    {kind}"))] {
            let tool = format!("bin/{tool}");
            release.write(&tool, &format!("#!/bin/sh\necho '{text}'\n"));
            let file = release.folder.path().join(&tool);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert_eq!(release.step("build", "hardened", &env).code, Some(code), "{linked} {kind}");
    }
}

#[test]
fn a_release_has_the_archives_that_cargo_binstall_downloads() {
    let release = Release::built();
    for built in release.matrix() {
        let archive = format!("promgen-{}.tar.gz", built["target"].as_str().unwrap());
        let listed = release.run("tar", &["-tzf", &archive]).stdout;
        assert_eq!(listed, format!("promgen{}\nLICENSE\nREADME.md\n", built["suffix"].as_str().unwrap_or_default()));
    }
    let checked = release.run("sha256sum", &["--check", "SHA256SUMS"]);
    assert_eq!((checked.code, checked.stdout.lines().count()), (Some(0), release.matrix().len()));
    // What is downloaded instead of a target without an archive.
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let named = Regex::new(r"/promgen-([a-z0-9_-]+)\.tar\.gz").unwrap();
    let named: Vec<_> = named.captures_iter(&manifest).map(|found| found[1].to_owned()).collect();
    assert_eq!(named.len(), 2);
    assert!(named.iter().all(|target| release.targets().contains(target)), "{named:?}");
    assert!(manifest.contains("/releases/download/v{ version }/promgen-{ target }.tar.gz"));
}

/// The operating system and the architecture of a target, as Go names them.
fn platform(target: &str) -> (&'static str, &'static str) {
    let named = |names: [(&str, &'static str); 3]| {
        names.into_iter().find(|(part, _)| target.contains(part)).map(|(_, name)| name).unwrap_or_default()
    };
    (
        named([("linux", "linux"), ("darwin", "darwin"), ("windows", "windows")]),
        named([("x86_64", "amd64"), ("aarch64", "arm64"), ("", "")]),
    )
}

/// What krew's own validation checks; its module cannot be had from the module proxy everywhere.
fn check_as_krew(manifest: &Value) {
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!((&manifest["kind"], &manifest["metadata"]["name"]), (&"Plugin".into(), &"promgen".into()));
    let spec = &manifest["spec"];
    assert!(Regex::new(r"^v\d+\.\d+\.\d+$").unwrap().is_match(spec["version"].as_str().unwrap()));
    let short = spec["shortDescription"].as_str().unwrap();
    // `kubectl krew search` prints 50 columns of it.
    assert!(!short.is_empty() && !short.contains('\n') && short.len() <= 60, "{short}");
    let checksum = Regex::new("^[a-f0-9]{64}$").unwrap();
    for platform in spec["platforms"].as_array().unwrap() {
        assert!(checksum.is_match(platform["sha256"].as_str().unwrap()), "{platform}");
        let keys: Vec<_> = platform["selector"]["matchLabels"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["os", "arch"]);
        let fields: SortedSet<_> = platform.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, SortedSet::from(["selector", "uri", "sha256", "bin"]));
    }
}

#[test]
fn krew_installs_each_archive_on_its_platform() {
    let release = Release::built();
    let done = release.manifests();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let manifest: Value = serde_yaml::from_str(&release.read("promgen.yaml")).unwrap();
    check_as_krew(&manifest);
    let mut platforms = SortedSet::new();
    for entry in manifest["spec"]["platforms"].as_array().unwrap() {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (url, labels) = (text(&entry["uri"]), &entry["selector"]["matchLabels"]);
        assert_eq!(text(&entry["sha256"]), release.checksum(&url));
        let target = release.targets().into_iter().find(|target| url.ends_with(&format!("-{target}.tar.gz"))).unwrap();
        assert_eq!((labels["os"].as_str(), labels["arch"].as_str()), {
            let (os, arch) = platform(&target);
            (Some(os), Some(arch))
        });
        let listed = release.run("tar", &["-tzf", &format!("promgen-{target}.tar.gz")]).stdout;
        assert!(listed.lines().any(|file| entry["bin"] == file), "{entry}: {listed}");
        platforms.insert(target);
    }
    assert_eq!(platforms, release.targets().into_iter().collect());
}

#[test]
fn a_manifest_without_a_checksum_is_not_published() {
    let release = Release::built();
    release.write("SHA256SUMS", &release.read("SHA256SUMS").replace("darwin", "other"));
    let done = release.manifests();
    assert!(done.code != Some(0) && done.stderr.contains("have no value"), "{:?} {}", done.code, done.stderr);
    assert!(done.stderr.contains("@SHA256 promgen-aarch64-apple-darwin.tar.gz@"), "{}", done.stderr);
}

#[test]
fn the_formula_of_homebrew_installs_and_tests_promgen() {
    let release = Release::built();
    assert_eq!(release.manifests().code, Some(0));
    let formula = release.read("promgen.rb");
    let url = Regex::new(r#"url "([^"]+)"\n +sha256 "([^"]+)""#).unwrap();
    let found: SortedSet<_> =
        url.captures_iter(&formula).map(|found| (found[1].to_owned(), found[2].to_owned())).collect();
    assert_eq!(found.len(), 4, "{formula}");
    assert!(found.iter().all(|(url, sum)| *sum == release.checksum(url)), "{found:?}");
    // The block of a system and an architecture has the archive of both.
    let block = Regex::new(r#"(?s)on_(macos|linux) do\n    on_arm do\n +url "([^"]+)".*?on_intel do\n +url "([^"]+)""#)
        .unwrap();
    for blocks in block.captures_iter(&formula) {
        let os = if &blocks[1] == "macos" { "darwin" } else { "linux" };
        assert_eq!((platform(&blocks[2]), platform(&blocks[3])), ((os, "arm64"), (os, "amd64")));
    }
    // What it runs.
    for shell in ["bash", "zsh", "fish"] {
        assert!(formula.contains(&format!(":{shell}")));
        assert_eq!(release.run("promgen", &["completions", shell]).code, Some(0));
    }
    assert!(formula.contains(r#"system bin/"promgen", "man", "-o", man1"#));
    assert_eq!(release.run("promgen", &["man", "-o", "man1"]).code, Some(0));
    let manifest = Regex::new(r"(?s)<<~YAML\n(.*?)    YAML").unwrap().captures(&formula).unwrap()[1].to_owned();
    release.write("main.yaml", &manifest.replace("\n      ", "\n").replacen("      ", "", 1));
    let rendered = release.run("promgen", &["render", "main.yaml"]);
    assert!(rendered.code == Some(0) && rendered.stdout.contains("kind: StatefulSet"), "{}", rendered.stderr);
    assert!(formula.contains(r##"assert_match "kind: StatefulSet", shell_output("#{bin}/promgen render main.yaml")"##));
}

#[test]
fn the_plugin_of_helm_has_the_version_of_promgen() {
    let release = Release::built();
    assert_eq!(release.manifests().code, Some(0));
    let plugin = release.run("tar", &["-xzOf", "promgen-helm-plugin.tgz", "plugin.yaml"]).stdout;
    let plugin: Value = serde_yaml::from_str(&plugin).unwrap();
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_tap_gets_the_formula_once() {
    let release = Release::built();
    assert_eq!(release.manifests().code, Some(0));
    let tap = release.folder.path().join("remote");
    let prepare = "git init -q --bare -b main remote && git clone -q remote seed 2>&1 && cd seed && git checkout -qb main && \
                   git -c user.name=a -c user.email=a@b.c commit -qm seed --allow-empty && git push -q origin main";
    assert_eq!(bash(prepare, release.folder.path(), &SortedMap::new()).code, Some(0));
    let redirect = format!("url.file://{}.insteadOf", tap.display());
    let env = [
        ("TAG", "v1.2.3"),
        ("TAP_TOKEN", "token"),
        ("GITHUB_REPOSITORY_OWNER", "promgen"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", &redirect),
        ("GIT_CONFIG_VALUE_0", "https://x-access-token:token@github.com/promgen/homebrew-tap"),
    ];
    for _ in 0..2 {
        let done = release.step("publish", "tap", &env);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        fs::remove_dir_all(release.folder.path().join("tap")).unwrap();
    }
    let log = release.run("git", &["-C", "remote", "log", "--format=%s", "main"]).stdout;
    assert_eq!(log, "promgen 1.2.3\nseed\n");
    let pushed = release.run("git", &["-C", "remote", "show", "main:Formula/promgen.rb"]).stdout;
    assert_eq!(pushed, release.read("promgen.rb"));
}

/// The instructions of a container file, without comments.
fn instructions() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(DOCKERFILE)).unwrap().replace("\\\n", "");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split_once(' ').unwrap()).map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}

#[test]
fn the_image_is_the_static_program_run_by_a_numeric_user() {
    let release = Release::built();
    let done = release.step("image", "layout", &[]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let instructions = instructions();
    let all =
        |name: &str| instructions.iter().filter(|(n, _)| n == name).map(|(_, rest)| rest.as_str()).collect::<Vec<_>>();
    assert_eq!(instructions[0], ("FROM".to_owned(), "scratch".to_owned()));
    assert_eq!((all("FROM").len(), all("RUN").len()), (1, 0));
    let users = all("USER");
    assert!(Regex::new(r"^[1-9]\d*:[1-9]\d*$").unwrap().is_match(users[0]) && users.len() == 1, "{users:?}");
    let entry: Vec<String> = serde_json::from_str(all("ENTRYPOINT")[0]).unwrap();
    let copies: Vec<_> = all("COPY").into_iter().map(|copy| copy.split(' ').collect::<Vec<_>>()).collect();
    let program = copies.iter().find(|copy| copy.last() == Some(&entry[0].as_str())).unwrap();
    assert_eq!(program[0], "--chmod=0755");
    let build = release.script("image", "push");
    let platforms = Regex::new(r"--platform (\S+)").unwrap().captures(build).unwrap()[1].to_owned();
    for (platform, target) in platforms.split(',').zip(["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"]) {
        let arch = platform.strip_prefix("linux/").unwrap();
        for copy in &copies {
            let source = copy[copy.len() - 2].replace("${TARGETARCH}", arch);
            assert!(release.folder.path().join("image").join(&source).is_file(), "{source}");
        }
        assert_eq!(release.read(&format!("image/{arch}/promgen")), target);
    }
    let labels = all("LABEL").join(" ");
    for label in ["title", "description", "source", "documentation", "licenses"] {
        assert!(labels.contains(&format!("org.opencontainers.image.{label}=")), "{label}");
    }
}

#[test]
fn the_pushed_image_is_the_one_that_is_attested() {
    let release = Release::built();
    // A Docker that keeps its arguments, and writes what the real one writes about the image.
    release.write(
        "bin/docker",
        "#!/bin/sh\necho \"$@\" >>docker.log\necho '{\"containerimage.digest\": \"sha256:abc\"}' >pushed.json\n",
    );
    let docker = release.folder.path().join("bin/docker");
    fs::set_permissions(&docker, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", docker.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let env = [
        ("PATH", path.as_str()),
        ("TAG", "v1.2.3"),
        ("IMAGE", "ghcr.io/promgen/promgen"),
        ("GITHUB_SHA", "0123"),
        ("GITHUB_OUTPUT", "output"),
    ];
    let done = release.step("image", "push", &env);
    if done.stderr.contains("jq: command not found") {
        eprintln!("skipped: there is no jq");
        return;
    }
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(release.read("output"), "digest=sha256:abc\n");
    let log = release.read("docker.log");
    let built = log.lines().last().unwrap();
    for part in
        ["--file integrations/container/Dockerfile", "ghcr.io/promgen/promgen:v1.2.3", "version=1.2.3", "--push"]
    {
        assert!(built.contains(part), "{part}: {built}");
    }
}

/// A line of `docs/pipelines.md` that begins so, without that.
fn documented(start: &str) -> String {
    let page = fs::read_to_string(root().join("docs/pipelines.md")).unwrap();
    let line = page.lines().find_map(|line| line.strip_prefix(start));
    line.unwrap_or_else(|| panic!("docs/pipelines.md has no line `{start}…`")).to_owned()
}

#[test]
fn the_documented_commands_of_the_image_and_of_kubectl_run() {
    let manifests = "integrations/kustomize/base";
    let release = Release::built();
    // What kubectl runs for `kubectl promgen`.
    let plugin = release.folder.path().join("kubectl-promgen");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_promgen"), &plugin).unwrap();
    fs::create_dir(release.folder.path().join("manifests")).unwrap();
    fs::copy(root().join(manifests).join("shop.yaml"), release.folder.path().join("manifests/shop.yaml")).unwrap();
    let image = "ghcr.io/promgen/promgen:v0.1.0 ";
    for (program, command) in [
        ("promgen", documented(&format!("$ docker run --rm -v \"$PWD:/work:ro\" {image}"))),
        ("promgen", documented(&format!("$ docker run --rm -v \"$PWD:/work\" --user \"$(id -u):$(id -g)\" {image}"))),
        ("./kubectl-promgen", documented("$ kubectl promgen ")),
    ] {
        let args: Vec<_> = command.split(' ').collect();
        let done = release.run(program, &args);
        assert_eq!(done.code, Some(0), "{command}: {}", done.stderr);
    }
    assert!(release.folder.path().join("rendered/kustomization.yaml").is_file());
    let asset = documented("$ kubectl krew install --manifest-url ");
    assert!(asset.ends_with("/releases/download/v0.1.0/promgen.yaml"), "{asset}");
}

#[test]
fn everything_published_has_its_provenance() {
    let release = Release::built();
    for (job, permissions) in [
        ("publish", &["contents", "attestations", "id-token"][..]),
        ("image", &["packages", "attestations", "id-token"]),
    ] {
        let given = &release.workflow["jobs"][job]["permissions"];
        for permission in permissions {
            assert_eq!(given[permission], "write", "{job}: {permission}");
        }
    }
    let steps = release.workflow["jobs"]["publish"]["steps"].as_array().unwrap();
    let place = |found: &dyn Fn(&Value) -> bool| steps.iter().position(found).unwrap();
    let publish = place(&|step| step["name"] == "Publish");
    let uses = |step: &Value, action: &str| step["uses"].as_str().is_some_and(|uses| uses.starts_with(action));
    let provenance = place(&|step| uses(step, "actions/attest-build-provenance@"));
    let sbom = place(&|step| uses(step, "actions/attest-sbom@"));
    // Without an attestation, nothing is published.
    assert!(provenance < publish && sbom < publish);
    assert_eq!(steps[provenance]["with"]["subject-checksums"], "SHA256SUMS");
    let published = steps[publish]["run"].as_str().unwrap();
    for file in ["promgen-*.tar.gz", "SHA256SUMS", "promgen.yaml", "promgen.rb", "promgen-helm-plugin.tgz"] {
        assert!(published.contains(file), "{file}");
    }
    assert!(published.contains(steps[sbom]["with"]["sbom-path"].as_str().unwrap()));
}

#[test]
fn hadolint_accepts_the_container_file() {
    let Some(hadolint) = tool("HADOLINT") else { return };
    let check = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Dockerfile"), text).unwrap();
        run(hadolint.to_str().unwrap(), &["--no-color", "Dockerfile"], folder.path(), &SortedMap::new())
    };
    let text = fs::read_to_string(root().join(DOCKERFILE)).unwrap();
    let done = check(&text);
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""), "{}", done.stderr);
    let done = check(&text.replace("ENTRYPOINT [\"/usr/bin/promgen\"]", "ENTRYPOINT /usr/bin/promgen"));
    assert!(done.code == Some(1) && done.stdout.contains("DL3025"), "{}", done.stdout);
}
