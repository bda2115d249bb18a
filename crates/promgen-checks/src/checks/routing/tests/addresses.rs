//! The addresses of Alertmanagers: which do not answer, and which lead to one of several.

use super::{of_ruler, prometheus, ruler, sent};
use crate::checks::found::found;

#[test]
fn an_alertmanager_that_does_not_answer_what_is_asked_gets_nothing() {
    let told = |member: &str, own: &str, port: &str| {
        let text = sent(
            &prometheus(&format!(
                "alerting: {{alertmanagers: [{{name: am, port: web{member}}}]}}"
            )),
            "",
        );
        let text = text.replace("replicas: 3", &format!("replicas: 3{own}"));
        let text = text.replace("port: 9093", &format!("port: 9093{port}"));
        let found = found(&["PG610"], &text);
        let mut found = found.into_iter();
        found.find(|of| of.contains("sends its alerts") || of.contains("listens"))
    };
    let why = |told: Option<String>, why: &str| {
        assert!(
            told.as_ref().is_some_and(|told| told.contains(why)),
            "{told:?}"
        );
    };
    why(
        told("", ", routePrefix: /am", ""),
        "answers below `/am`, and `pathPrefix` is `/`",
    );
    why(
        told(", pathPrefix: /am", "", ""),
        "answers below `/`, and `pathPrefix` is `/am`",
    );
    why(
        told("", "", ", targetPort: http"),
        "does not listen at port http",
    );
    why(
        told("", "", ", targetPort: 8080"),
        "does not listen at port 8080",
    );
    why(
        told("", ", listenLocal: true", ""),
        "listens on its own pod alone",
    );
    why(
        told(", scheme: https", "", ""),
        "has no `web.tlsConfig`, and the scheme is https",
    );
    let tls =
        ", web: {tlsConfig: {cert: {secret: {name: a, key: b}}, keySecret: {name: a, key: c}}}";
    why(
        told("", tls, ""),
        "has `web.tlsConfig`, and the scheme is http",
    );
    let proxy = ", listenLocal: true, containers: [{name: proxy, image: a, ports: [{containerPort: 1, name: http}]}]";
    for (member, own, port) in [
        ("", "", ""),
        (", pathPrefix: /", ", routePrefix: /", ""),
        (", scheme: https", tls, ""),
        (", scheme: http", "", ""),
        (
            ", scheme: https",
            ", containers: [{name: proxy, image: a}]",
            "",
        ),
        (", pathPrefix: am/", ", routePrefix: /am", ""),
        ("", ", routePrefix: '${PREFIX}'", ""),
        ("", "", ", targetPort: web"),
        ("", ", portName: http", ", targetPort: http"),
        ("", "", ", targetPort: 9093"),
        ("", proxy, ", targetPort: http"),
    ] {
        assert_eq!(told(member, own, port), None, "{member} {own} {port}");
    }
}

#[test]
fn several_alertmanagers_behind_one_address_are_told() {
    let told = |server: &str, more: &str| found(&["PG635"], &sent(server, more)).len();
    let secret = |targets: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Secret, metadata: {{name: more, namespace: mon}}, stringData: {{a: '[{{static_configs: [{{targets: [{targets}]}}]}}]'}}}}\n"
        )
    };
    let additional = prometheus("additionalAlertManagerConfigs: {name: more, key: a}");
    assert_eq!(told(&additional, &secret("am.mon.svc:9093")), 1);
    assert_eq!(
        told(&ruler("alertmanagersUrl: ['http://am.mon:9093']"), ""),
        1
    );
    for url in [
        "dns+http://am.mon.svc:9093",
        "http://alertmanager-operated.mon.svc:9093",
    ] {
        let by_url = ruler(&format!("alertmanagersUrl: ['{url}']"));
        assert_eq!(told(&by_url, ""), 1, "{url}");
    }
    let by_config = ruler("alertmanagersConfig: {name: of-ruler, key: a}");
    let told_by_config = |address: &str| {
        let list = format!("[{{scheme: http, static_configs: [{address}]}}]");
        told(&by_config, &of_ruler(&list))
    };
    assert_eq!(told_by_config("am.mon.svc:9093"), 1);
    assert_eq!(told_by_config("dns+am.mon.svc:9093"), 1);
    assert_eq!(told_by_config("dns+alertmanager-operated.mon.svc:9093"), 0);
    // The endpoints of a Service, a headless one, another host.
    for server in [
        prometheus("alerting: {alertmanagers: [{name: am, port: web}]}"),
        ruler("alertmanagersUrl: ['dns+http://alertmanager-operated.mon.svc:9093']"),
        ruler(
            "alertmanagersUrl: ['http://alertmanager-main-0.alertmanager-operated.mon.svc:9093']",
        ),
        ruler("alertmanagersUrl: ['http://am.example.org']"),
    ] {
        assert_eq!(told(&server, ""), 0, "{server}");
    }
}

#[test]
fn an_alertmanager_has_no_first_version_of_the_api() {
    let told = |version: &str, own: &str, member: &str| {
        let server = format!(
            "version: {version}, alerting: {{alertmanagers: [{{name: am, port: web, {member}}}]}}"
        );
        let text = sent(&prometheus(&server), "").replace("replicas: 3", own);
        let found = found(&["PG610"], &text);
        found
            .iter()
            .any(|of| of.contains("has no version 1 of the API"))
    };
    assert!(told("v2.55.1", "replicas: 3", "apiVersion: v1"));
    assert!(told("v2.55.1", "version: v0.27.0", "apiVersion: V1"));
    assert!(!told("v2.55.1", "version: v0.26.0", "apiVersion: v1"));
    assert!(!told("v2.55.1", "replicas: 3", "apiVersion: v2"));
    assert!(!told("v2.55.1", "replicas: 3", "timeout: 5s"));
    // It sends by the second.
    assert!(!told("v3.5.0", "replicas: 3", "apiVersion: v1"));
}

#[test]
fn an_address_that_no_alertmanager_answers_is_told() {
    let told = |url: &str, own: &str| {
        let server = ruler(&format!("alertmanagersUrl: ['{url}']"));
        let text = sent(&server, "").replace("replicas: 3", own);
        let found = found(&["PG610"], &text);
        found.into_iter().find(|of| of.contains("sends its alerts"))
    };
    for (url, own, why) in [
        (
            "http://alertmanager-operated.mon.svc:9094",
            "replicas: 3",
            "does not listen at port 9094",
        ),
        (
            "http://am.mon.svc:9094",
            "replicas: 3",
            "which has no port `9094`",
        ),
        (
            "dnssrv+http://_http._tcp.am.mon.svc",
            "replicas: 3",
            "which has no port `http`",
        ),
        (
            "http://am.mon.svc:9093/am",
            "replicas: 3",
            "the path of the address is `/am`",
        ),
        (
            "http://am.mon.svc:9093",
            "routePrefix: /am",
            "answers below `/am`",
        ),
        (
            "https://am.mon.svc:9093",
            "replicas: 3",
            "the scheme is https",
        ),
        (
            "http://alertmanager-other-0.am.mon.svc:9093",
            "replicas: 3",
            "of another Alertmanager",
        ),
    ] {
        let told = told(url, own);
        assert!(
            told.as_ref().is_some_and(|told| told.contains(why)),
            "{url}: {told:?}"
        );
    }
    for (url, own) in [
        ("http://am.mon.svc:9093/am/", "routePrefix: /am"),
        ("http://am.mon.svc:${PORT}/${PATH}", "replicas: 3"),
        (
            "dnssrv+http://_web._tcp.alertmanager-operated.mon.svc",
            "replicas: 3",
        ),
        (
            "http://alertmanager-main-0.alertmanager-operated.mon.svc:9093",
            "replicas: 3",
        ),
        ("https://am.example.org/am", "replicas: 3"),
    ] {
        assert_eq!(told(url, own), None, "{url}");
    }
}

#[test]
fn a_secret_that_lacks_the_key_is_in_the_input() {
    let told = |more: &str| {
        let server = prometheus("additionalAlertManagerConfigs: {name: more, key: a}");
        let text = sent(&server, more);
        let project = promgen_model::Project::read(
            &[promgen_text::source::Input::new("a.yaml", text)],
            &promgen_compile::options::Options::default(),
        );
        let model = project.model();
        let last = model.output().workloads.last();
        let last = last.expect("there is an Alertmanager");
        format!("{:?}", model.senders().reach("mon/r", &last.id))
    };
    let secret = |data: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: Secret, metadata: {{name: more, namespace: mon}}, stringData: {{{data}}}}}\n"
        )
    };
    assert!(told("").contains("which is not in the input"));
    assert!(told(&secret("b: '[]'")).contains("which has no key `a`"));
    assert!(told(&secret("a: '[]'")).contains("in which no address was found"));
}
