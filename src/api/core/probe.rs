//! Health checks and lifecycle hooks of containers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::scalar::IntOrString;
use crate::api::unset;

/// Kubernetes: core/v1.Probe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    pub exec: Option<ExecAction>,
    #[serde(skip_serializing_if = "unset")]
    pub failure_threshold: Option<i32>,
    pub grpc: Option<GrpcAction>,
    pub http_get: Option<HttpGetAction>,
    #[serde(skip_serializing_if = "unset")]
    pub initial_delay_seconds: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub period_seconds: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub success_threshold: Option<i32>,
    pub tcp_socket: Option<TcpSocketAction>,
    pub termination_grace_period_seconds: Option<i64>,
    #[serde(skip_serializing_if = "unset")]
    pub timeout_seconds: Option<i32>,
}

/// Kubernetes: core/v1.Lifecycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    pub post_start: Option<LifecycleHandler>,
    pub pre_stop: Option<LifecycleHandler>,
    pub stop_signal: Option<String>,
}

/// Kubernetes: core/v1.LifecycleHandler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleHandler {
    pub exec: Option<ExecAction>,
    pub http_get: Option<HttpGetAction>,
    pub sleep: Option<SleepAction>,
    pub tcp_socket: Option<TcpSocketAction>,
}

/// Kubernetes: core/v1.ExecAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecAction {
    #[serde(skip_serializing_if = "unset")]
    pub command: Option<Vec<String>>,
}

/// Kubernetes: core/v1.HTTPGetAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpGetAction {
    #[serde(skip_serializing_if = "unset")]
    pub host: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub http_headers: Option<Vec<HttpHeader>>,
    #[serde(skip_serializing_if = "unset")]
    pub path: Option<String>,
    pub port: IntOrString,
    #[serde(skip_serializing_if = "unset")]
    pub scheme: Option<String>,
}

/// Kubernetes: core/v1.HTTPHeader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpHeader {
    pub name: String,
    pub value: String,
}

/// Kubernetes: core/v1.TCPSocketAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TcpSocketAction {
    #[serde(skip_serializing_if = "unset")]
    pub host: Option<String>,
    pub port: IntOrString,
}

/// Kubernetes: core/v1.GRPCAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrpcAction {
    pub port: i32,
    #[serde(default)]
    pub service: String,
}

/// Kubernetes: core/v1.SleepAction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SleepAction {
    pub seconds: i64,
}
