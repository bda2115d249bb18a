//! `promgen build`: what it says of what it cannot build, and what it never shows.

use std::fs;

use crate::lint::{folder, path};
use crate::support::promgen;

#[test]
fn what_is_no_kustomization_is_named_as_what_it_is() {
    let files = [
        ("chart/Chart.yaml", "name: a\n"),
        ("plain/a.yaml", "a: 1\n"),
    ];
    let folder = folder(&files);
    for (name, said) in [
        ("chart", "is a Helm chart, not a kustomization"),
        ("plain", "has no kustomization.yaml"),
        ("plain/a.yaml", "is not a kustomization"),
        ("none", "does not exist"),
    ] {
        let ran = promgen(&["build", &path(folder.path(), name)]);
        assert!(
            ran.code == 2 && ran.stderr.contains(said) && ran.stdout.is_empty(),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn the_file_of_a_kustomization_stands_for_its_folder() {
    let files = [
        ("a/kustomization.yaml", "resources: [p.yaml]\n"),
        ("a/p.yaml", "kind: Pod\nmetadata: {name: x}\n"),
    ];
    let folder = folder(&files);
    let by_file = promgen(&["build", &path(folder.path(), "a/kustomization.yaml")]);
    assert_eq!(
        (by_file.code, by_file.stdout.as_str()),
        (0, "kind: Pod\nmetadata:\n  name: x\n")
    );
    assert_eq!(
        promgen(&["build", &path(folder.path(), "a")]).stdout,
        by_file.stdout
    );
}

#[test]
fn annotations_need_a_format_with_comments() {
    let ran = promgen(&["build", ".", "--annotate", "--format", "json"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("JSON does not have"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_fault_shows_nothing_of_a_secret() {
    for files in [
        vec![(
            "kustomization.yaml",
            "secretGenerator:\n- name: a\n  literals: [hunter2]\n",
        )],
        vec![
            (
                "kustomization.yaml",
                "secretGenerator:\n- name: a\n  envs: [e]\n",
            ),
            ("e", "hunter2\n"),
        ],
        vec![
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "kind: Secret\nmetadata: {name: a}\nstringData:\n  a: hunter2\n  a: hunter2\n",
            ),
        ],
        vec![
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            (
                "a.yaml",
                "kind: Secret\nmetadata: {name: a}\nstringData:\n  a: hunter2: b\n",
            ),
        ],
    ] {
        let folder = folder(&files);
        let ran = promgen(&["build", folder.path().to_str().unwrap()]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(
            !ran.stderr.contains("hunter2") && !ran.stdout.contains("hunter2"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn values_of_generated_secrets_are_shown_on_demand_only() {
    let files = [(
        "kustomization.yaml",
        "secretGenerator:\n- name: a\n  literals: [k=hunter2]\n",
    )];
    let folder = folder(&files);
    let root = folder.path().to_str().unwrap();
    let hidden = promgen(&["build", root, "--annotate"]);
    assert!(
        hidden.code == 0
            && hidden.stdout.contains("k: <redacted>")
            && hidden.stderr.contains("PG501")
    );
    let shown = promgen(&["build", root, "--reveal-secrets"]);
    assert!(
        shown.stdout.contains("k: aHVudGVyMg==") && shown.stderr.is_empty(),
        "{}",
        shown.stderr
    );
}

#[cfg(unix)]
#[test]
fn links_lead_no_further_than_the_folder() {
    let files = [
        ("a/kustomization.yaml", "resources: [link.yaml]\n"),
        ("secret.yaml", "kind: Pod\nmetadata: {name: x}\n"),
    ];
    let folder = folder(&files);
    std::os::unix::fs::symlink("../secret.yaml", folder.path().join("a/link.yaml")).unwrap();
    let ran = promgen(&["build", &path(folder.path(), "a")]);
    assert!(
        ran.code == 1 && ran.stderr.contains("is a link out of the folder"),
        "{}",
        ran.stderr
    );
    fs::remove_file(folder.path().join("a/link.yaml")).unwrap();
    std::os::unix::fs::symlink("../a", folder.path().join("a/link.yaml")).unwrap();
    let ran = promgen(&["build", &path(folder.path(), "a")]);
    assert!(
        ran.code == 1 && ran.stderr.contains("contains the kustomization"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_flux_generates_is_refused_as_kustomize_does() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let monitor = |name: &str| {
        format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: {name}, namespace: shop}}, \
             spec: {{selector: {{}}, endpoints: [{{port: web}}]}}}}\n"
        )
    };
    let applied = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: apps, namespace: flux-system}, \
                   spec: {path: ./apps, sourceRef: {kind: GitRepository, name: all}}}\n";
    write("clusters/a/apps.yaml", applied);
    write("apps/cart.yaml", &monitor("cart"));
    let lint = || promgen(&["lint", "--select", "PG801", folder.path().to_str().unwrap()]).stdout;
    for (name, is_refused) in [("till", false), ("cart", true)] {
        write("apps/till/monitor.yaml", &monitor(name));
        let found = lint();
        let refused =
            "apps: ServiceMonitor shop/cart is defined twice; Flux generates this kustomization";
        assert_eq!(
            found.contains("error[PG801]: 1 kustomization not built"),
            is_refused,
            "{found}"
        );
        assert_eq!(found.contains(refused), is_refused, "{found}");
    }
}

#[test]
fn a_folder_that_is_applied_under_a_wrong_name_is_found() {
    let applied = |path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: flux-system}}\n\
             spec:\n  path: {path}\n"
        )
    };
    let lint = |path: &str| {
        let folder = folder(&[
            ("clusters/one/apps.yaml", applied(path).as_str()),
            (
                "overlays/production/kustomization.yaml",
                "resources: [p.yaml]\n",
            ),
            (
                "overlays/production/p.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n",
            ),
        ]);
        promgen(&["lint", "--no-config", folder.path().to_str().unwrap()]).stdout
    };
    let found = lint("./overlays/prodution");
    assert!(
        found.contains("Kustomization a applies `overlays/prodution`, which is not in the input"),
        "{found}"
    );
    assert!(
        found.contains("apps.yaml:5:9") && found.contains("did you mean `overlays/production`?"),
        "{found}"
    );
    // What is unlike all that is there may be in another repository.
    for path in [
        "./overlays/production",
        "overlays/production/",
        "./",
        "./elsewhere/apps",
        "./overlays/${NAME}",
    ] {
        let found = lint(path);
        assert!(!found.contains("PG804"), "{path}: {found}");
    }
}
