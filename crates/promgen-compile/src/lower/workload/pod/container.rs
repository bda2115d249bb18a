//! The common fields of the operator's containers.

use promgen_resources::api::core::{
    Capabilities, Container, ContainerPort, EnvVar, EnvVarSource, ExecAction, HttpGetAction,
    ObjectFieldSelector, SecretKeySelector, SecurityContext,
};
use promgen_resources::api::scalar::IntOrString;
use promgen_text::go::url::escaped_path;

/// The termination message policy: the end of the log, if the container leaves no message.
const TERMINATION_MESSAGE: &str = "FallbackToLogsOnError";

/// A container without privileges, and with a name only.
pub(crate) fn bare(name: &str) -> Container {
    Container {
        name: name.to_owned(),
        security_context: Some(security()),
        termination_message_policy: Some(TERMINATION_MESSAGE.to_owned()),
        ..Container::default()
    }
}

/// No privileges, and a read-only root filesystem.
fn security() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities {
            add: None,
            drop: Some(vec!["ALL".to_owned()]),
        }),
        read_only_root_filesystem: Some(true),
        ..SecurityContext::default()
    }
}

/// A port with a name. `protocol` may be empty: then the API server fills it in.
pub(crate) fn port(name: &str, number: i32, protocol: &str) -> ContainerPort {
    ContainerPort {
        container_port: number,
        host_ip: None,
        host_port: None,
        name: Some(name.to_owned()),
        protocol: protocol.to_owned(),
    }
}

/// The name of the web port. Operator: `web` by default.
pub(crate) fn web_port_name(set: &str) -> &str {
    if set.is_empty() { "web" } else { set }
}

/// The URL of a path that the container serves on that port. Go: `url.URL.String`, which escapes the path and adds a
/// leading slash.
pub(crate) fn local_url(scheme: &str, host: &str, port: i32, path: &str) -> String {
    let slash = if path.is_empty() || path.starts_with('/') {
        ""
    } else {
        "/"
    };
    format!("{scheme}://{host}:{port}{slash}{}", escaped_path(path))
}

/// A variable with a value.
pub(crate) fn env_value(name: &str, value: String) -> EnvVar {
    EnvVar {
        name: name.to_owned(),
        value: Some(value),
        value_from: None,
    }
}

/// A variable with the value of a field of the pod.
pub(crate) fn env_field(name: &str, path: &str) -> EnvVar {
    let field_ref = ObjectFieldSelector {
        api_version: None,
        field_path: path.to_owned(),
    };
    let source = EnvVarSource {
        field_ref: Some(field_ref),
        ..EnvVarSource::default()
    };
    EnvVar {
        name: name.to_owned(),
        value: None,
        value_from: Some(source),
    }
}

/// A variable with the value of a Secret's key.
pub(crate) fn env_secret(name: &str, secret: &SecretKeySelector) -> EnvVar {
    let source = EnvVarSource {
        secret_key_ref: Some(secret.clone()),
        ..EnvVarSource::default()
    };
    EnvVar {
        name: name.to_owned(),
        value: None,
        value_from: Some(source),
    }
}

/// A request from outside, of a probe.
pub(crate) fn get(path: String, port_name: &str, tls: bool) -> HttpGetAction {
    HttpGetAction {
        path: Some(path),
        port: IntOrString::String(port_name.to_owned()),
        scheme: tls.then(|| "HTTPS".to_owned()),
        ..HttpGetAction::default()
    }
}

/// A request from within the container, with curl or wget. Operator: `ExecAction`.
pub(crate) fn get_from_within(url: &str) -> ExecAction {
    let script = format!(
        "if [ -x \"$(command -v curl)\" ]; then exec curl --fail {url}; \
         elif [ -x \"$(command -v wget)\" ]; then exec wget -q -O /dev/null {url}; else exit 1; fi"
    );
    ExecAction {
        command: Some(vec!["sh".to_owned(), "-c".to_owned(), script]),
    }
}
