//! What is packed fits the table, and every other file of the repository that names a platform or a package fits it as well.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use flate2::read::GzDecoder;
use regex::Regex;
use serde_json::{Value, json};

use super::archive::{self, Entry};
use super::contents::{Contents, Manuals};
use super::table::{self, Format, PLATFORMS, Platform, VERSION};
use super::{Image, Made, Order, linked::Linked, manifests, npm, wheel};
use crate::files;

fn read(path: &str) -> String {
    files::read(&files::root().join(path)).unwrap()
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

/// Checksums of all archives, none like another.
fn made() -> Made {
    let names = PLATFORMS
        .iter()
        .flat_map(|platform| platform.formats.iter().map(|format| platform.file(*format)));
    Made(
        names
            .map(|name| (name.clone(), super::image::sum(name.as_bytes())))
            .collect(),
    )
}

/// The filled manifests, by their places.
fn filled() -> BTreeMap<String, String> {
    let filled = manifests::filled(&made()).unwrap();
    filled
        .into_iter()
        .map(|entry| (entry.path, String::from_utf8(entry.bytes).unwrap()))
        .collect()
}

/// What downloads an archive has its checksum: the URL and the checksum that follows it.
fn downloads(text: &str, between: &str) -> BTreeSet<String> {
    let pattern =
        format!(r#"/releases/download/v{VERSION}/([a-z0-9_.-]+){between}"?([0-9a-fA-F]{{64}})"#);
    let found = Regex::new(&pattern).unwrap();
    let found = found.captures_iter(text).map(|found| {
        assert_eq!(
            made().sum(&found[1]).unwrap(),
            found[2].to_lowercase(),
            "{text}"
        );
        found[1].to_owned()
    });
    found.collect()
}

fn files_of(format: Format, is_wanted: impl Fn(&Platform) -> bool) -> BTreeSet<String> {
    let wanted = PLATFORMS
        .iter()
        .filter(|platform| platform.formats.contains(&format) && is_wanted(platform));
    wanted.map(|platform| platform.file(format)).collect()
}

#[test]
fn every_manifest_downloads_what_was_made() {
    let filled = filled();
    let all = files_of(Format::TarGz, |_| true);
    let unix = files_of(Format::TarGz, |platform| platform.os != "windows");
    let windows = files_of(Format::Zip, |_| true);
    for (path, between, expected) in [
        ("krew-index/plugins/promgen.yaml", r"\n +sha256: ", &all),
        ("homebrew-tap/Formula/promgen.rb", r#""\n +sha256 "#, &unix),
        ("nix/flake.nix", r#"";\n +sha256 = "#, &unix),
        (
            "scoop-bucket/bucket/promgen.json",
            r#"",\n +"hash": "#,
            &windows,
        ),
        (
            "winget-pkgs/promgen.promgen.installer.yaml",
            r"\n +InstallerSha256: ",
            &windows,
        ),
    ] {
        assert_eq!(
            downloads(&filled[path], between),
            *expected,
            "{path}: {}",
            filled[path]
        );
    }
    for archive in &unix {
        assert!(
            filled["asdf-promgen/bin/download"].contains(&format!("archive={archive} ;;")),
            "{archive}"
        );
    }
    assert!(
        filled["pre-commit-promgen/pyproject.toml"]
            .contains(&format!("{}=={VERSION}", table::WHEEL))
    );
    assert!(
        filled
            .values()
            .all(|text| !text.contains("{%") && text.ends_with('\n'))
    );
}

#[test]
fn a_manifest_of_an_archive_that_was_not_made_is_refused() {
    let mut made = made();
    made.0.remove("promgen-x86_64-apple-darwin.tar.gz");
    let refused = manifests::filled(&made).unwrap_err();
    assert_eq!(
        refused,
        "promgen-x86_64-apple-darwin.tar.gz has not been made"
    );
}

/// What krew's own validation checks; its module cannot be had from the module proxy everywhere.
#[test]
fn krew_takes_its_manifest() {
    let manifest = yaml(&filled()["krew-index/plugins/promgen.yaml"]);
    assert_eq!(
        manifest["apiVersion"],
        "krew.googlecontainertools.github.com/v1alpha2"
    );
    assert_eq!(
        (&manifest["kind"], &manifest["metadata"]["name"]),
        (&json!("Plugin"), &json!("promgen"))
    );
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], format!("v{VERSION}"));
    let short = spec["shortDescription"].as_str().unwrap();
    // `kubectl krew search` prints 50 columns of it.
    assert!(
        !short.is_empty() && !short.contains('\n') && short.len() <= 60,
        "{short}"
    );
    let platforms = spec["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), PLATFORMS.len());
    for (entry, platform) in platforms.iter().zip(PLATFORMS) {
        assert_eq!(
            entry["selector"]["matchLabels"],
            json!({"os": platform.os, "arch": platform.arch})
        );
        assert!(
            entry["uri"]
                .as_str()
                .unwrap()
                .ends_with(&platform.file(Format::TarGz))
        );
        assert_eq!(entry["bin"], platform.program());
        let fields: BTreeSet<_> = entry
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            fields,
            BTreeSet::from(["selector", "uri", "sha256", "bin", "files"])
        );
    }
}

#[test]
fn the_formula_has_an_archive_for_each_system_and_processor() {
    let formula = &filled()["homebrew-tap/Formula/promgen.rb"];
    let block = Regex::new(r"(?s)on_(macos|linux) do\n(.*?)\n  end\n").unwrap();
    let url =
        Regex::new(r#"on_(arm|intel) do\n +url ".*/promgen-([a-z0-9_-]+)\.tar\.gz""#).unwrap();
    let mut found = BTreeSet::new();
    for block in block.captures_iter(formula) {
        for url in url.captures_iter(&block[2]) {
            let platform = Platform::of(&url[2]).unwrap();
            assert_eq!(platform.os == "darwin", &block[1] == "macos", "{formula}");
            assert_eq!(platform.arch == "arm64", &url[1] == "arm", "{formula}");
            found.insert(platform.target);
        }
    }
    assert_eq!(found.len(), 4, "{formula}");
    // What it installs is in the archive.
    let names: Vec<_> = contents(&PLATFORMS[0], &manuals())
        .all()
        .into_iter()
        .map(|entry| entry.path)
        .collect();
    for name in [
        "promgen",
        "man/promgen.1",
        "completions/promgen.bash",
        "completions/promgen.fish",
        "completions/_promgen",
        "NOTICES.md",
        "promgen.cdx.json",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        assert!(name.starts_with("man/") || formula.contains(name), "{name}");
    }
}

#[test]
fn the_registry_of_aqua_makes_the_names_of_the_archives() {
    let registry = yaml(&filled()["aqua-registry/pkgs/promgen/promgen/registry.yaml"]);
    let package = &registry["packages"][0];
    let replaced = |name: &str| package["replacements"][name].as_str().unwrap().to_owned();
    for platform in PLATFORMS {
        let made = package["asset"].as_str().unwrap();
        let made = made
            .replace("{{.Arch}}", &replaced(platform.arch))
            .replace("{{.OS}}", &replaced(platform.os));
        assert_eq!(
            made.replace("{{.Format}}", "tar.gz"),
            platform.file(Format::TarGz)
        );
    }
    let known = package["supported_envs"].as_array().unwrap();
    assert_eq!(known.len(), PLATFORMS.len());
    let workflow = package["github_artifact_attestations"]["signer_workflow"]
        .as_str()
        .unwrap();
    assert!(
        files::root()
            .join(workflow.strip_prefix("promgen/promgen/").unwrap())
            .is_file()
    );
}

fn manuals() -> Manuals {
    let pages = vec![Entry::new("promgen.1", "page")];
    let completions = super::contents::SHELLS
        .iter()
        .map(|(_, name)| Entry::new(*name, "script"))
        .collect();
    Manuals { pages, completions }
}

fn contents<'a>(platform: &Platform, manuals: &'a Manuals) -> Contents<'a> {
    Contents::of(platform, b"program".to_vec(), manuals).unwrap()
}

/// The files of a gzipped archive, with their modes.
fn unpacked(bytes: &[u8]) -> Vec<(String, u32)> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let entries = archive.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        (
            entry.path().unwrap().display().to_string(),
            entry.header().mode().unwrap(),
        )
    });
    entries.collect()
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let entries = [
        Entry::program("promgen", "a"),
        Entry::new("LICENSE", "b"),
        Entry::new("man/promgen.1", "c"),
    ];
    let turned: Vec<_> = entries.iter().rev().cloned().collect();
    assert_eq!(archive::tar_gz(&entries), archive::tar_gz(&turned));
    assert_eq!(archive::zip(&entries), archive::zip(&turned));
    let expected = [
        ("LICENSE", 0o644),
        ("man/promgen.1", 0o644),
        ("promgen", 0o755),
    ];
    let expected: Vec<_> = expected.map(|(path, mode)| (path.to_owned(), mode)).into();
    assert_eq!(unpacked(&archive::tar_gz(&entries).unwrap()), expected);
    let mut zip =
        zip::ZipArchive::new(std::io::Cursor::new(archive::zip(&entries).unwrap())).unwrap();
    let mut text = String::new();
    let mut program = zip.by_name("promgen").unwrap();
    assert_eq!(program.unix_mode().unwrap() & 0o777, 0o755);
    program.read_to_string(&mut text).unwrap();
    assert_eq!(text, "a");
}

#[test]
fn a_package_has_the_licences_and_the_list_of_what_is_linked() {
    let platform = &PLATFORMS[0];
    let linked = Linked::of(platform).unwrap();
    let notices = linked.notices().unwrap();
    let sbom: Value = serde_json::from_str(&linked.sbom(platform)).unwrap();
    let components = sbom["components"].as_array().unwrap();
    assert!(components.len() > 50);
    for component in components {
        let (name, version) = (
            component["name"].as_str().unwrap(),
            component["version"].as_str().unwrap(),
        );
        let licence = component["licenses"][0]["expression"].as_str().unwrap();
        let is_ours = name.starts_with("promgen-");
        assert_eq!(component["hashes"].is_null(), is_ours, "{name}");
        assert!(
            is_ours || notices.contains(&format!("- {name} {version}: {licence}\n")),
            "{name}"
        );
        // What only tests, benches, macros and other programs use is not linked.
        assert!(
            ![
                "proptest",
                "insta",
                "divan",
                "syn",
                "tar",
                "zip",
                "minijinja-cli"
            ]
            .contains(&name),
            "{name}"
        );
    }
    for part in [
        "- mimalloc ",
        "- clap ",
        "Permission is hereby granted",
        "Apache License",
        "musl",
    ] {
        assert!(notices.contains(part), "{part}");
    }
    // Each crate is described once, and needs only what is described.
    let known: BTreeSet<_> = sbom["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["ref"].to_string())
        .collect();
    assert_eq!(known.len(), components.len() + 1);
    let needed = sbom["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|found| found["dependsOn"].as_array().unwrap());
    assert!(
        needed
            .into_iter()
            .all(|reference| known.contains(&reference.to_string()))
    );
}

#[test]
fn npm_installs_the_program_of_the_platform() {
    let (licence, readme) = (Entry::new("LICENSE", ""), Entry::new("README.md", ""));
    let launcher = npm::launcher(licence, readme).unwrap();
    let mut archive = tar::Archive::new(GzDecoder::new(launcher.as_slice()));
    let mut about = String::new();
    let found = archive.entries().unwrap().map(Result::unwrap);
    let mut found = found.filter(|entry| entry.path().unwrap().ends_with("package.json"));
    found.next().unwrap().read_to_string(&mut about).unwrap();
    let about: Value = serde_json::from_str(&about).unwrap();
    let brought: Vec<_> = about["optionalDependencies"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(brought.len(), PLATFORMS.len());
    // start.js makes the same names, of what Node says.
    let start = read("xtask/src/dist/start.js");
    assert!(
        start.contains(&format!(
            "`{}-${{process.platform}}-${{process.arch}}`",
            table::NPM
        )),
        "{start}"
    );
    let manuals = manuals();
    for platform in PLATFORMS {
        assert!(brought.contains(&platform.npm_name()));
        let package = npm::of_platform(platform, &contents(platform, &manuals)).unwrap();
        assert!(unpacked(&package).contains(&(format!("package/{}", platform.program()), 0o755)));
    }
    // The module for programs has the other name.
    assert_eq!(
        yaml(&read("playground/npm/package.json"))["name"],
        "promgen"
    );
}

#[test]
fn a_wheel_puts_the_program_on_the_path() {
    let manuals = manuals();
    for platform in PLATFORMS {
        let bytes = wheel::wheel(platform, &contents(platform, &manuals)).unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let stem = format!("promgen_operator-{VERSION}");
        let name = format!("{stem}.data/scripts/{}", platform.program());
        assert_eq!(
            zip.by_name(&name).unwrap().unix_mode().unwrap() & 0o777,
            0o755
        );
        let mut about = String::new();
        zip.by_name(&format!("{stem}.dist-info/WHEEL"))
            .unwrap()
            .read_to_string(&mut about)
            .unwrap();
        for tag in platform.wheel_tags() {
            assert!(about.contains(&format!("Tag: {tag}\n")), "{about}");
        }
        // A name on PyPI has the tags in one.
        let file = platform.file(Format::Wheel);
        assert_eq!(file.split('-').count(), 5, "{file}");
    }
}

#[test]
fn the_image_has_one_layer_per_architecture() {
    let manuals = manuals();
    let mut image = Image::default();
    let platforms: Vec<_> = PLATFORMS
        .iter()
        .filter(|platform| platform.formats.contains(&Format::Image))
        .collect();
    for platform in &platforms {
        image.add(platform, &contents(platform, &manuals)).unwrap();
    }
    let layout = image.finish().unwrap();
    let mut archive = tar::Archive::new(layout.as_slice());
    let paths: Vec<_> = archive
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().display().to_string())
        .collect();
    // Folders, index and mark; the inner index; a layer, a configuration and a manifest each.
    assert_eq!(paths.len(), 4 + 1 + 3 * platforms.len(), "{paths:?}");
}

#[test]
fn an_order_names_what_is_missing() {
    let refused = |arguments: &[&str]| Order::read(arguments).err().unwrap_or_default();
    assert_eq!(
        refused(&["x86_64-unknown-linux-musl=a"]),
        "there is no program for aarch64-unknown-linux-musl"
    );
    assert_eq!(refused(&["riscv64=a"]), "the table has no platform riscv64");
    assert_eq!(refused(&["promgen"]), "promgen is not TARGET=PROGRAM");
    assert_eq!(refused(&["--stand-ins", "x86_64-unknown-linux-musl=a"]), "");
    let order = Order::read(&["--stand-ins"]).unwrap();
    let text = String::from_utf8(order.program(&PLATFORMS[3]).unwrap()).unwrap();
    assert_eq!(
        text,
        "This stands for the program of aarch64-apple-darwin.\n"
    );
}

/// Every other file that lists platforms has those of the table.
#[test]
fn the_repository_knows_the_same_platforms() {
    let targets: BTreeSet<_> = PLATFORMS
        .iter()
        .map(|platform| platform.target.to_owned())
        .collect();
    let workflow = yaml(&read(".github/workflows/release.yml"));
    let matrix = workflow["jobs"]["build"]["strategy"]["matrix"]["include"]
        .as_array()
        .unwrap();
    let built: BTreeSet<_> = matrix
        .iter()
        .map(|row| row["target"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(built, targets);
    for row in matrix {
        let platform = Platform::of(row["target"].as_str().unwrap()).unwrap();
        assert_eq!(
            format!("promgen{}", row["suffix"].as_str().unwrap_or_default()),
            platform.program()
        );
    }
    let archives = Regex::new(r"promgen-([a-z0-9_]+-[a-z0-9_-]+)\.tar\.gz").unwrap();
    let named = |path: &str| -> BTreeSet<String> {
        archives
            .captures_iter(&read(path))
            .map(|found| found[1].to_owned())
            .collect()
    };
    assert_eq!(named("action.yml"), targets);
    for path in [
        "Cargo.toml",
        "integrations/gitlab/promgen.gitlab-ci.yml",
        "README.md",
        "docs/pipelines.md",
    ] {
        assert!(
            named(path).iter().all(|target| targets.contains(target)),
            "{path}: {:?}",
            named(path)
        );
    }
    assert_eq!(
        named("Cargo.toml").len(),
        2,
        "what cargo-binstall takes where the C library is another"
    );
    let graph = read("deny.toml");
    let listed = Regex::new(r#"(?s)\ntargets = \[(.*?)\]"#)
        .unwrap()
        .captures(&graph)
        .unwrap()[1]
        .to_owned();
    let listed: BTreeSet<_> = listed
        .split('"')
        .filter(|word| word.contains('-'))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, targets);
}

#[test]
fn the_repository_has_one_version() {
    for path in [
        "playground/npm/package.json",
        "editors/vscode/package.json",
        "integrations/helm/plugin/plugin.yaml",
    ] {
        assert_eq!(yaml(&read(path))["version"], VERSION, "{path}");
    }
    assert!(read("editors/zed/extension.toml").contains(&format!("\nversion = \"{VERSION}\"\n")));
}

#[test]
fn the_page_of_installs_names_the_packages_as_they_are_called() {
    let text = read("docs/install.md");
    let formats = [Format::Deb, Format::Rpm].map(|format| PLATFORMS[0].file(format));
    let names = [
        table::WHEEL.to_owned(),
        table::NPM.to_owned(),
        format!("{}:v{VERSION}", table::IMAGE),
        table::helm_plugin(),
    ];
    for name in names.into_iter().chain(formats) {
        assert!(text.contains(&name), "docs/install.md lacks {name}");
    }
}

#[test]
fn the_readme_of_a_package_leads_to_the_repository() {
    let readme = super::contents::readme().unwrap();
    let text = String::from_utf8(readme.bytes).unwrap();
    let links = Regex::new(r#"\]\(([^)]+)\)|(?:src|srcset)="([^"]+)""#).unwrap();
    let links: Vec<_> = links
        .captures_iter(&text)
        .map(|found| found.get(1).or(found.get(2)).unwrap().as_str())
        .collect();
    assert!(
        links.len() > 30 && links.iter().all(|link| link.starts_with("https://")),
        "{links:?}"
    );
}
