//! Health checks and lifecycle hooks of containers.

use promgen_derive::api;

use crate::api::scalar::IntOrString;

/// A health check.
///
/// Kubernetes: core/v1.Probe.
// The operator has a kind of this name; a schema of all kinds has both.
#[api(name = "ContainerProbe")]
pub struct Probe {
    /// Runs a command; exit 0 is healthy.
    pub exec: Option<ExecAction>,
    /// The number of consecutive failures that count as failed. Default 3.
    #[api(omit_empty)]
    pub failure_threshold: Option<i32>,
    /// Asks the gRPC health service.
    pub grpc: Option<GrpcAction>,
    /// Sends an HTTP GET; 200 to 399 is healthy.
    pub http_get: Option<HttpGetAction>,
    /// Seconds from start to the first check. Default 0.
    #[api(omit_empty)]
    pub initial_delay_seconds: Option<i32>,
    /// Seconds between checks. Default 10.
    #[api(omit_empty)]
    pub period_seconds: Option<i32>,
    /// The number of consecutive successes that count as recovered. Default 1.
    #[api(omit_empty)]
    pub success_threshold: Option<i32>,
    /// Opens a TCP connection.
    pub tcp_socket: Option<TcpSocketAction>,
    /// Seconds to stop in after a failed check, instead of the pod's.
    pub termination_grace_period_seconds: Option<i64>,
    /// Seconds until a check has failed. Default 1.
    #[api(omit_empty)]
    pub timeout_seconds: Option<i32>,
}

/// Actions at the start and stop of a container.
#[api(of = "core/v1.Lifecycle")]
pub struct Lifecycle {
    /// Right after the start.
    pub post_start: Option<LifecycleHandler>,
    /// Right before the stop.
    pub pre_stop: Option<LifecycleHandler>,
    /// The signal that stops it. Default the image's, or SIGTERM.
    pub stop_signal: Option<String>,
}

/// One action: one of these fields.
#[api(of = "core/v1.LifecycleHandler")]
pub struct LifecycleHandler {
    /// Runs a command.
    pub exec: Option<ExecAction>,
    /// Sends an HTTP GET.
    pub http_get: Option<HttpGetAction>,
    /// Waits.
    pub sleep: Option<SleepAction>,
    /// Has no effect; kept for old manifests.
    pub tcp_socket: Option<TcpSocketAction>,
}

/// A command, run in the container without a shell.
#[api(of = "core/v1.ExecAction")]
pub struct ExecAction {
    /// Program and arguments.
    #[api(omit_empty)]
    pub command: Option<Vec<String>>,
}

/// An HTTP GET.
#[api(of = "core/v1.HTTPGetAction")]
pub struct HttpGetAction {
    /// The host. Default the pod's address.
    #[api(omit_empty)]
    pub host: Option<String>,
    /// Headers; names may repeat.
    #[api(omit_empty)]
    pub http_headers: Option<Vec<HttpHeader>>,
    /// The path. Default `/`.
    #[api(omit_empty)]
    pub path: Option<String>,
    /// The port, by number or name.
    pub port: IntOrString,
    /// The protocol of the connection. Default HTTP/1.1.
    pub protocol: Option<String>,
    /// `HTTP` or `HTTPS`. Default `HTTP`.
    #[api(omit_empty)]
    pub scheme: Option<String>,
}

/// A header of a request.
#[api(of = "core/v1.HTTPHeader")]
pub struct HttpHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A TCP connection.
#[api(of = "core/v1.TCPSocketAction")]
pub struct TcpSocketAction {
    /// The host. Default the pod's address.
    #[api(omit_empty)]
    pub host: Option<String>,
    /// The port, by number or name.
    pub port: IntOrString,
}

/// A call of the gRPC health service.
#[api(of = "core/v1.GRPCAction")]
pub struct GrpcAction {
    /// The mode of the connection: `Plaintext`, or `TLS` without verification. Default `Plaintext`.
    pub mode: Option<String>,
    /// The port.
    pub port: i32,
    /// The checked service. Default empty: the whole server.
    #[api(default)]
    pub service: String,
}

/// A pause.
#[api(of = "core/v1.SleepAction")]
pub struct SleepAction {
    /// Its length in seconds.
    pub seconds: i64,
}
