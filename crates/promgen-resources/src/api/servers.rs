//! Prometheus, PrometheusAgent, ThanosRuler and PrometheusRule, and their settings.

pub mod agent;
pub mod alerting;
pub mod common;
pub mod prometheus;
pub mod remote;
pub mod rule;
pub mod settings;
pub mod sharding;
pub mod thanos;
pub mod thanos_ruler;
pub mod web;
pub mod workload;
