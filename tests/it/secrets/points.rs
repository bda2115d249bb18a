//! One test for each way in which a value of a Secret has been printed.

use std::fs;
use std::path::Path;

use super::planted::MARKER;
use crate::commands::{Place, lines};
use crate::support::{promgen_with, swept};
use promgen::cli::Terminal;
use promgen_testing::{needs, recorded};

/// A certificate and its key, made for tests and used nowhere else.
const CERTIFICATE: &str = "\
    MIIBcDCCARWgAwIBAgIUMpZs5aC2i+u7qKDoTy6/kur0weowCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBdDAgFw0yNjExMjExMjIz\
    NTZaGA8yMTI2MTAyODEyMjM1NlowDDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNk2YKXTcvcrvUNXU6aC\
    OLY8bgw8q8JRZWeBqe1BFxKfRu284Y1Vl3AZwrV1cI9Qm+cokzPa88+bzf+RIfUcsG+jUzBRMB0GA1UdDgQWBBSosJUspw0p097r\
    TWS8d9lrC4DrqTAfBgNVHSMEGDAWgBSosJUspw0p097rTWS8d9lrC4DrqTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kA\
    MEYCIQDEXD3g/uJSb70mWV6SFIvp/9rx3TNhn7dzBsWU/Od6KAIhALJ2uVMQfTLFIrdx18Afc3pO/zMo+xbUqZu9L0ATGbOA";
const KEY: &str = "\
    MHcCAQEEIJflcmh1KMVp1Neuc4l4xnWyMRwLAhTIzqepgolZmYbkoAoGCCqGSM49AwEHoUQDQgAE2TZgpdNy9yu9Q1dTpoI4tjxu\
    DDyrwlFlZ4Gp7UEXEp9G7bzhjVWXcBnCtXVwj1Cb5yiTM9rzz5vN/5Eh9Rywbw==";
/// Pieces of the key as it is, and of its base64, which begins with that of its PEM header.
const PIECES: [&str; 3] = ["MHcCAQEEIJ", "PRIVATE KEY", "LS0tLS1CRUdJTiBFQyBQ"];

const TLS: &str = "{ca: {configMap: {name: ca, key: ca}}, cert: {secret: {name: s, key: c}}, keySecret: {name: s, key: k}}";

/// The Secret and the ConfigMap that [`TLS`] refers to.
fn tls_objects() -> String {
    let pem = |kind: &str, text: &str| {
        format!("\"-----BEGIN {kind}-----\\n{text}\\n-----END {kind}-----\\n\"")
    };
    let (certificate, key) = (pem("CERTIFICATE", CERTIFICATE), pem("EC PRIVATE KEY", KEY));
    format!(
        "---\napiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: d}}\nstringData: {{c: {certificate}, k: {key}}}\n---\n\
         apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: ca, namespace: d}}\ndata: {{ca: {certificate}}}\n"
    )
}

/// Manifests whose workload takes TLS assets, by what refers to them.
fn tls_users() -> Vec<(&'static str, String)> {
    let object = |kind: &str, version: &str, spec: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: main, namespace: d}}\nspec: {spec}\n---\n"
        )
    };
    let prometheus = |spec: &str| object("Prometheus", "v1", &format!("{{{spec}}}"));
    let monitors = "serviceMonitorSelector: {}, scrapeConfigSelector: {}";
    let monitor =
        format!("{{selector: {{}}, endpoints: [{{port: a, scheme: https, tlsConfig: {TLS}}}]}}");
    let texts = [
        (
            "serviceMonitor",
            prometheus(monitors) + &object("ServiceMonitor", "v1", &monitor),
        ),
        (
            "remoteWrite",
            prometheus(&format!(
                "{monitors}, remoteWrite: [{{url: \"https://a\", tlsConfig: {TLS}}}]"
            )),
        ),
        (
            "apiserverConfig",
            prometheus(&format!(
                "{monitors}, apiserverConfig: {{host: \"https://a\", tlsConfig: {TLS}}}"
            )),
        ),
        (
            "scrapeConfig",
            prometheus(monitors)
                + &object(
                    "ScrapeConfig",
                    "v1alpha1",
                    &format!("{{staticConfigs: [{{targets: [a]}}], tlsConfig: {TLS}}}"),
                ),
        ),
        (
            "agent",
            object(
                "PrometheusAgent",
                "v1alpha1",
                &format!("{{{monitors}, remoteWrite: [{{url: \"https://a\", tlsConfig: {TLS}}}]}}"),
            ),
        ),
        (
            "thanosRuler",
            object(
                "ThanosRuler",
                "v1",
                &format!(
                    "{{queryEndpoints: [a], remoteWrite: [{{url: \"https://a\", tlsConfig: {TLS}}}]}}"
                ),
            ),
        ),
    ];
    texts
        .into_iter()
        .map(|(name, text)| (name, text + &tls_objects()))
        .collect()
}

fn run(text: &str, args: &[&str]) -> (u8, String, String) {
    let ran = promgen_with(
        args,
        &mut text.as_bytes(),
        Terminal {
            shows_findings: true,
            ..Terminal::default()
        },
    );
    (ran.code, ran.stdout, ran.stderr)
}

#[test]
fn s1_tls_assets_are_redacted_and_counted() {
    for (name, text) in tls_users() {
        for layout in ["per-shard", "operator"] {
            let (_, stdout, stderr) = run(&text, &["render", "-", "--layout", layout]);
            let found = PIECES
                .iter()
                .find(|piece| stdout.contains(**piece) || stderr.contains(**piece));
            assert_eq!(found, None, "{name} {layout}");
            assert!(
                stdout.contains("tls-assets-0")
                    && stderr.contains("[PG501]: 2 values of Secrets omitted"),
                "{name} {stderr}"
            );
            let placeholder = match layout {
                "operator" => "PHJlZGFjdGVkOmQvcy9rPg==",
                _ => "<redacted:d/s/k>",
            };
            assert!(stdout.contains(placeholder), "{name} {layout}: {stdout}");
            let authority = if layout == "operator" {
                "LS0tLS1CRUdJTiBDRVJU"
            } else {
                "BEGIN CERTIFICATE"
            };
            assert!(
                stdout.contains(authority),
                "a ConfigMap is no secret: {name} {layout}"
            );
            let (_, revealed, _) = run(
                &text,
                &["render", "-", "--layout", layout, "--reveal-secrets"],
            );
            assert!(
                PIECES.iter().any(|piece| revealed.contains(piece)),
                "{name} {layout}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn s1_files_with_revealed_secrets_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    fn modes(folder: &Path, found: &mut Vec<u32>) {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                modes(&path, found);
            } else {
                found.push(fs::metadata(&path).unwrap().permissions().mode() & 0o777);
            }
        }
    }
    let (_, text) = tls_users().remove(0);
    for (target, args) in [
        ("out/", &["--reveal-secrets"][..]),
        ("out.yaml", &["--reveal-secrets"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join(target).display().to_string();
        run(&text, &[&["render", "-", "-o", &target][..], args].concat());
        let mut found = Vec::new();
        modes(folder.path(), &mut found);
        assert!(
            !found.is_empty() && found.iter().all(|mode| *mode == 0o600),
            "{target}: {found:?}"
        );
    }
}

/// An Alertmanager that reads a Secret.
fn alertmanager_input(content: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: am, namespace: d}}\n\
         spec: {{configSecret: ams, alertmanagerConfigSelector: {{}}}}\n---\n\
         apiVersion: v1\nkind: Secret\nmetadata: {{name: ams, namespace: d}}\nstringData:\n  alertmanager.yaml: |\n{content}"
    )
}

/// Runs `lint`, `status` and `render` on an Alertmanager that reads a Secret, and gives what they print.
fn alertmanager(content: &str, args: &[&str]) -> String {
    let text = alertmanager_input(content);
    let mut told = String::new();
    for command in [
        &["lint", "-", "--no-config"][..],
        &["status", "-"],
        &["render", "-"],
    ] {
        let (_, stdout, stderr) = run(&text, &[command, args].concat());
        told.push_str(&stdout);
        told.push_str(&stderr);
    }
    told
}

#[test]
fn s2_a_bad_url_of_a_configuration_is_not_repeated() {
    for (url, said) in [
        (
            format!("https://hooks.slack.com:443x/services/{MARKER}"),
            "parse <redacted>: invalid port <redacted> after host",
        ),
        (
            format!("{MARKER}://a"),
            "unsupported scheme <redacted> for URL",
        ),
        (
            format!("https://a/%{MARKER}"),
            "invalid URL escape <redacted>",
        ),
    ] {
        let config = format!(
            "    global: {{slack_api_url: \"{url}\"}}\n    route: {{receiver: a}}\n    receivers: [{{name: a}}]\n"
        );
        let told = alertmanager(&config, &[]);
        assert!(told.contains(said), "{told}");
        let lower = told.to_lowercase();
        assert!(
            !lower.contains(&MARKER.to_lowercase()) && !lower.contains("443x"),
            "{told}"
        );
        assert!(
            alertmanager(&config, &["--reveal-secrets"])
                .to_lowercase()
                .contains(&MARKER.to_lowercase())
        );
    }
    let unknown = alertmanager(
        &format!("    {MARKER}: 1\n    route: {{receiver: a}}\n"),
        &[],
    );
    assert!(
        unknown.contains("field <redacted> not found") && !unknown.contains(MARKER),
        "{unknown}"
    );
}

#[test]
fn routes_of_a_configuration_are_not_printed() {
    let config = "    route:\n      receiver: PW-root\n      group_by: [PW]\n      group_wait: 77s\n      routes:\n      \
                  - {matchers: ['PW!=\"x\"'], receiver: PW-b, mute_time_intervals: [PW-i]}\n    receivers: [{name: \
                  PW-root}, {name: PW-b, webhook_configs: [{url: 'https://a'}]}]\n    time_intervals: [{name: PW-i, \
                  time_intervals: [{weekdays: [monday]}]}]\n";
    let text = format!(
        "{}---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r, namespace: d}}\n\
         spec: {{groups: [{{name: g, rules: [{{alert: A, expr: up}}]}}]}}\n",
        alertmanager_input(&config.replace("PW", "Marker"))
    );
    for args in [
        &["route", "alertname=A", "--at", "2026-11-23T00:00:00Z"][..],
        &[
            "route",
            "alertname=A",
            "--format",
            "json",
            "--at",
            "2026-11-23T00:00:00Z",
        ],
        &["route", "--all-alerts"],
        &["route", "--all-alerts", "--format", "json"],
        &["route", "--all-alerts", "--format", "mermaid"],
    ] {
        let (_, stdout, stderr) = run(&text, &[args, &["-"]].concat());
        assert!(
            stdout.contains("redacted") && stderr.contains("use --reveal-secrets"),
            "{stdout}{stderr}"
        );
        assert!(
            !(stdout.clone() + &stderr).contains("Marker") && !stdout.contains("77s"),
            "{stdout}{stderr}"
        );
        let (_, stdout, stderr) = run(&text, &[args, &["-", "--reveal-secrets"]].concat());
        assert!(
            stdout.contains("Marker-b") && !stderr.contains("--reveal-secrets"),
            "{stdout}{stderr}"
        );
    }
}

#[test]
fn a_configuration_in_a_secret_is_read_as_alertmanager_types_it() {
    let config = "    route: {receiver: a}\n    receivers: [{name: a, wechat_configs: [{corp_id: 123, api_secret: x, \
                  api_url: 'http://w'}]}]\n";
    let told = alertmanager(config, &[]);
    assert!(!told.contains("PG502"), "{told}");
}

#[test]
fn s6_urls_of_receivers_are_not_repeated_not_even_in_a_baseline() {
    for family in [
        "webhookConfigs: [{urlSecret: {name: s, key: k}}]",
        "slackConfigs: [{apiURL: {name: s, key: k}}]",
    ] {
        for url in [
            "http://user:PW",
            "PW://a",
            "http://{{ PW }}",
            "http://{{ \"PW",
            "http://{{ $PW }}",
            "http://a b:PW",
        ] {
            let text = format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: am, namespace: d}}\nspec: {{alertmanagerConfigSelector: {{}}}}\n---\n\
                 apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: ac, namespace: d}}\n\
                 spec:\n  route: {{receiver: a}}\n  receivers:\n  - name: a\n    {family}\n---\n\
                 apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: d}}\nstringData: {{k: '{}'}}\n",
                url.replace("PW", MARKER)
            );
            let folder = tempfile::tempdir().unwrap();
            let baseline = folder.path().join("b.json").display().to_string();
            let mut told = String::new();
            for args in [
                &["lint", "-", "--no-config"][..],
                &["lint", "-", "--no-config", "--write-baseline", &baseline],
                &["status", "-"],
            ] {
                let (_, stdout, stderr) = run(&text, args);
                told.push_str(&(stdout + &stderr));
            }
            told.push_str(&fs::read_to_string(&baseline).unwrap());
            assert!(told.contains("failed to validate"), "{told}");
            assert!(
                !told.to_lowercase().contains(&MARKER.to_lowercase()),
                "{told}"
            );
        }
    }
}

const HEAD: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n";

fn lint(text: &str) -> String {
    let (_, stdout, stderr) = run(text, &["lint", "-", "--no-config"]);
    stdout + &stderr
}

#[test]
fn s3_a_password_that_looks_like_syntax_is_not_repeated() {
    for (value, said) in [
        ("*PW", "no anchor precedes this alias"),
        (
            "!PW!x",
            "no `%TAG` directive declares the handle of this tag",
        ),
        ("!<PW", "this is not a tag"),
        ("&PW!", "this is not an anchor"),
        ("*PW!", "this is not an alias"),
    ] {
        let told = lint(&format!(
            "{HEAD}  password: {}\n",
            value.replace("PW", MARKER)
        ));
        assert!(
            told.contains("error[PG001]") && told.contains(said) && !told.contains(MARKER),
            "{told}"
        );
    }
    let shown = lint("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: *other\n");
    assert!(
        shown.contains("no anchor `&other` precedes") && shown.contains("  a: *other"),
        "{shown}"
    );
}

#[test]
fn s4_a_text_that_may_be_a_secret_shows_no_line() {
    let rest = format!("metadata: {{name: a}}\nstringData:\n  user: x\n  password: \"{MARKER}\n");
    for kind in [
        "Secret",
        "Secret # for the shop",
        "&a Secret",
        "\"Sec\\x72et\"",
        "\n  Secret",
        "SecretList",
        "!!str Secret",
    ] {
        let text = format!("apiVersion: v1\nkind: {kind}\n{rest}");
        for text in [text.replace('\n', "\r"), text.replace('\n', "\r\n"), text] {
            let told = lint(&text);
            assert!(
                told.contains("error[PG001]")
                    && !told.contains(MARKER)
                    && !told.contains("user: x"),
                "{told}"
            );
        }
    }
    let pem = "  tls.key: \"\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n\"\n";
    let told = lint(&format!("{HEAD}{pem}  password: \"{MARKER}\n"));
    assert!(
        told.contains("error[PG001]") && !told.contains(MARKER),
        "{told}"
    );
    let shown =
        lint("apiVersion: v1\nkind: ConfigMap # x\nmetadata: {name: a}\ndata:\n  a: b: c\n");
    assert!(shown.contains("  a: b: c"), "{shown}");
}

#[test]
fn s5_a_diff_hides_values_of_secrets() {
    let text = format!(
        "{HEAD}  a: {MARKER}\n  port: 5432\n  b: {MARKER}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  port: 5432\n"
    );
    let (_, stdout, stderr) = run(
        &text,
        &["lint", "-", "--no-config", "--diff", "--select", "PG0"],
    );
    assert!(
        stdout.contains("-(hidden: value of a Secret)\n+(hidden: value of a Secret)\n"),
        "{stdout}{stderr}"
    );
    assert!(
        stdout.contains(" (hidden: value of a Secret)\n") && !stdout.contains(MARKER),
        "{stdout}"
    );
    assert!(
        stdout.contains("+  port: \"5432\"\n") && stdout.matches("5432").count() == 2,
        "{stdout}"
    );
}

#[test]
fn s5_a_line_within_a_flow_map_is_no_bare_key() {
    for rest in [
        format!("stringData: {{password: {MARKER}, other:\n  5}}\n"),
        format!("stringData: {{password: {MARKER}, 5: 6, other: [x], third:\n  y}}\n"),
    ] {
        let told = lint(&format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\n{rest}"
        ));
        assert!(!told.contains(MARKER), "{told}");
    }
}

#[test]
fn s5_every_command_hides_plain_secrets() {
    let object = |spec: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main}}\nspec:\n  serviceMonitorSelector: {{}}\n{spec}"
        )
    };
    for spec in [
        format!("  additionalArgs: [{{name: db.password, value: {MARKER}, nam: x}}]\n"),
        format!(
            "  containers: [{{name: a, env: [{{name: API_TOKEN, value: {MARKER}, valu: x}}]}}]\n"
        ),
        format!(
            "  remoteWrite: [{{url: 'https://a', headers: {{X-Api-Key: {MARKER}}}, urll: x}}]\n"
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in.yaml"), object(&spec)).unwrap();
        let place = Place::new(folder.path(), "in.yaml", &object(&spec));
        for line in swept(
            1,
            lines()
                .iter()
                .filter(|line| line.is_first() && line.reads()),
        ) {
            let (ran, _) = line.run(
                &place,
                Terminal {
                    shows_findings: true,
                    ..Terminal::default()
                },
            );
            assert!(!ran.stderr.contains(MARKER), "{line}: {}", ran.stderr);
        }
        for args in [["render", "-"], ["status", "-"]] {
            let (_, _, stderr) = run(&object(&spec), &args);
            assert!(
                stderr.contains("[PG01") && !stderr.contains("PG516"),
                "{args:?}: {stderr}"
            );
        }
    }
}

#[needs(recordings)]
#[test]
fn the_recorded_leaks_are_closed() {
    for path in fs::read_dir(recorded("hostile/secrets"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let text = fs::read_to_string(path).unwrap();
        for line in lines().iter().filter(|line| line.is_plain && line.reads()) {
            let told = super::told(&text, line);
            assert!(!told.contains("MARKER"), "{line}: {told}");
        }
    }
}
