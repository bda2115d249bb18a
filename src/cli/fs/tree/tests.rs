//! Tests of trees.

use std::sync::Arc;

use super::*;
use promgen_compile::output::generated::record::digest;
use promgen_compile::output::{
    Config, Emission, Layout, Output, Part, below_workload, is_generated, sample,
};

fn write_output(root: &Path, output: &Output, emission: &Emission) -> io::Result<TreeChanges> {
    let is_outdated = |path: &str| {
        below_workload(path).is_some_and(|name| is_generated(name, &emission.outdated()))
    };
    let (files, folders) = (output.files(emission), output.folders());
    let tree = FileTree {
        root,
        files: &files,
        folders: &folders,
        gone: &[],
        is_outdated: &is_outdated,
    };
    write_tree(&tree, Access::Usual, Replaces::Ours)
}

fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort_unstable();
    names
}

#[test]
fn a_tree_drops_what_an_earlier_run_left_and_keeps_what_is_the_users() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("prometheus/monitoring/k8s");
    let mut emission = Emission::default();
    emission.parts.insert(Part::Raw);
    write_output(root.path(), &sample::per_shard(), &emission).unwrap();
    assert_eq!(
        fs::read_to_string(folder.join("prometheus-1.yaml")).unwrap(),
        "shard: 1\n\nzone:\n- b $(POD_NAME)\n"
    );
    fs::write(folder.join("kustomization.yaml"), "mine").unwrap();
    fs::create_dir(folder.join("statefulset-7.yaml")).unwrap();
    fs::create_dir_all(root.path().join("prometheus/monitoring/other")).unwrap();
    fs::write(
        root.path()
            .join("prometheus/monitoring/other/prometheus.yaml"),
        "not of this run",
    )
    .unwrap();

    let emission = Emission {
        layout: Layout::Operator,
        ..Emission::default()
    };
    write_output(root.path(), &sample::operator(), &emission).unwrap();
    let expected = [
        "kustomization.yaml",
        "prometheus.yaml",
        "secret-prometheus-k8s.yaml",
        "selection.json",
        "statefulset-0.yaml",
        "statefulset-7.yaml",
        "status.yaml",
    ];
    assert_eq!(listed(&folder), expected);
    assert_eq!(
        listed(&root.path().join("prometheus/monitoring")),
        ["k8s", "other"]
    );
    assert_eq!(
        listed(&root.path().join("prometheus/monitoring/other")),
        ["prometheus.yaml"]
    );
    assert_eq!(listed(root.path()), [".promgen.sha256", "prometheus"]);
}

#[test]
fn a_tree_that_cannot_be_written_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let mut output = sample::operator();
    Arc::make_mut(&mut output.workloads[0]).id.name = "x".repeat(5000);
    let error = write_output(root.path(), &output, &Emission::default())
        .unwrap_err()
        .to_string();
    let named = "the name of Prometheus/monitoring/xxx";
    assert!(
        error.starts_with(named) && error.contains("x is too long for the file system: `"),
        "{error}"
    );
    assert!(listed(root.path()).is_empty());
}

fn raw() -> Emission {
    Emission {
        parts: BTreeSet::from([Part::Raw, Part::Selection]),
        ..Emission::default()
    }
}

#[test]
fn a_file_without_the_mark_is_ours_while_it_has_the_recorded_content() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join("prometheus/monitoring/k8s").join(name);
    let (mut output, text) = (sample::per_shard(), |name: &str| {
        fs::read_to_string(path(name)).unwrap()
    });
    write_output(root.path(), &output, &raw()).unwrap();
    let with = |output: &mut Output, text: &str| {
        Arc::make_mut(&mut output.workloads[0]).config = Some(Config::of_text(text, Vec::new()));
    };
    with(&mut output, "second\n");
    write_output(root.path(), &output, &raw()).unwrap();
    assert_eq!(
        (text("prometheus-0.yaml"), text("prometheus-1.yaml")),
        ("second\n".into(), "second\n".into())
    );
    fs::write(path("prometheus-1.yaml"), "mine\n").unwrap();
    with(&mut output, "third\n");
    let refused = write_output(root.path(), &output, &raw())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("did not write `prometheus/monitoring/k8s/prometheus-1.yaml`, or"),
        "{refused}"
    );
    assert_eq!(
        (text("prometheus-0.yaml"), text("prometheus-1.yaml")),
        ("second\n".into(), "mine\n".into())
    );
    Arc::make_mut(&mut output.workloads[0]).plan.shards.pop();
    write_output(root.path(), &output, &raw()).unwrap();
    assert_eq!(
        (text("prometheus-0.yaml"), text("prometheus-1.yaml")),
        ("third\n".into(), "mine\n".into())
    );
    assert_eq!(listed(root.path()), [".promgen.sha256", "prometheus"]);
}

#[test]
fn the_tree_of_a_version_without_a_record_is_taken_over_if_it_is_the_same() {
    let root = tempfile::tempdir().unwrap();
    let mut output = sample::per_shard();
    write_output(root.path(), &output, &raw()).unwrap();
    let record = || fs::read_to_string(root.path().join(record::FILE));
    let first = record().unwrap();
    fs::remove_file(root.path().join(record::FILE)).unwrap();
    write_output(root.path(), &output, &raw()).unwrap();
    assert_eq!(record().unwrap(), first);
    fs::remove_file(root.path().join(record::FILE)).unwrap();
    let config = &mut Arc::make_mut(&mut output.workloads[0]).config;
    let text = config.as_ref().unwrap().text().to_owned() + "# another\n";
    *config = Some(Config::of_text(text, Vec::new()));
    assert!(write_output(root.path(), &output, &raw()).is_err());
    assert!(record().is_err(), "nothing is written");
}

#[test]
fn what_goes_leaves_the_record() {
    let root = tempfile::tempdir().unwrap();
    let mut output = sample::per_shard();
    write_output(root.path(), &output, &raw()).unwrap();
    Arc::make_mut(&mut output.workloads[0]).plan.shards.pop();
    write_output(root.path(), &output, &raw()).unwrap();
    let record = fs::read_to_string(root.path().join(record::FILE)).unwrap();
    assert!(
        record.contains("k8s/prometheus-0.yaml\n") && !record.contains("prometheus-1"),
        "{record}"
    );
    output.workloads.clear();
    write_output(root.path(), &output, &raw()).unwrap();
    assert!(
        listed(root.path()).is_empty(),
        "a record of nothing goes, too"
    );
}

#[test]
fn a_forged_record_gives_nothing_away() {
    let root = tempfile::tempdir().unwrap();
    let mine = |name: &str| root.path().join("prometheus/monitoring/k8s").join(name);
    fs::create_dir_all(mine("x")).unwrap();
    fs::write(mine("prometheus-7.yaml"), "mine\n").unwrap();
    fs::write(mine("notes.yaml"), "mine\n").unwrap();
    let folder = "prometheus/monitoring/k8s";
    let sum = digest(b"mine\n");
    let lines = format!(
        "{sum}  {folder}/notes.yaml\n{sum}  ../{folder}/prometheus-7.yaml\n{}  {folder}/prometheus-7.yaml\n",
        digest(b"other\n")
    );
    fs::write(
        root.path().join(record::FILE),
        format!("# promgen: generated\n{lines}"),
    )
    .unwrap();
    write_output(root.path(), &sample::per_shard(), &raw()).unwrap();
    for name in ["prometheus-7.yaml", "notes.yaml"] {
        assert_eq!(fs::read_to_string(mine(name)).unwrap(), "mine\n");
    }
    fs::write(root.path().join(record::FILE), "mine\n").unwrap();
    let refused = write_output(root.path(), &sample::per_shard(), &raw())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("`.promgen.sha256`"), "{refused}");
}

#[cfg(unix)]
#[test]
fn no_link_below_the_root_is_followed() {
    use std::os::unix::fs::symlink;

    for (link, to_folder) in [
        ("prometheus", true),
        ("prometheus/monitoring", true),
        ("prometheus/monitoring/k8s", true),
        ("prometheus/monitoring/k8s/rules", true),
        ("prometheus/monitoring/k8s/status.yaml", false),
        ("prometheus/monitoring/k8s/statefulset-9.yaml", false),
        (".promgen.sha256", false),
    ] {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = if to_folder {
            outside.path().to_owned()
        } else {
            outside.path().join("file")
        };
        fs::write(outside.path().join("file"), "# promgen: generated\na: 1\n").unwrap();
        fs::create_dir_all(root.path().join(link).parent().unwrap()).unwrap();
        symlink(target, root.path().join(link)).unwrap();
        let refused = write_output(root.path(), &sample::per_shard(), &Emission::default())
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(&format!("`{link}` is a link")),
            "{link}: {refused}"
        );
        assert_eq!(listed(outside.path()), ["file"], "{link}");
        assert_eq!(
            fs::read_to_string(outside.path().join("file")).unwrap(),
            "# promgen: generated\na: 1\n"
        );
        assert!(
            !root
                .path()
                .join("prometheus/monitoring/k8s/secret-prometheus-k8s.yaml")
                .exists(),
            "{link}"
        );
    }
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    symlink(outside.path(), root.path().join("out")).unwrap();
    write_output(
        &root.path().join("out"),
        &sample::per_shard(),
        &Emission::default(),
    )
    .unwrap();
    assert_eq!(
        listed(outside.path()),
        ["prometheus"],
        "the root itself may be one"
    );
}

#[test]
fn a_file_that_has_its_content_already_stays() {
    let root = tempfile::tempdir().unwrap();
    let mut emission = Emission::default();
    emission.parts.insert(Part::Raw);
    let output = sample::per_shard();
    let files = output.files(&emission).len();
    let write = |emission| write_output(root.path(), &output, emission).unwrap();
    assert_eq!(
        write(&emission),
        TreeChanges {
            files,
            written: files,
            removed: 0
        }
    );
    assert_eq!(
        write(&emission),
        TreeChanges {
            files,
            written: 0,
            removed: 0
        }
    );
    fs::remove_file(
        root.path()
            .join("prometheus/monitoring/k8s/prometheus-1.yaml"),
    )
    .unwrap();
    assert_eq!(
        write(&emission),
        TreeChanges {
            files,
            written: 1,
            removed: 0
        }
    );
    // A raw file that stays is in the record, and goes when it is outdated.
    assert!(write(&Emission::default()).removed > 0);
    assert!(
        listed(root.path())
            .iter()
            .all(|name| !name.ends_with(".tmp"))
    );
}
