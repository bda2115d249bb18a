//! The questions: files, options, and what is asked about.

use std::sync::Arc;

use promgen::compare::environments;
use promgen::{Input, Layout, Model, Options, Project};
use promgen_repository::model::Environment;
use promgen_text::version::Version;
use serde::Deserialize;

use crate::kept;

/// A question.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Asked {
    /// The manifests.
    pub(crate) files: Vec<AskedFile>,
    /// Those to compare with.
    pub(crate) base: Vec<AskedFile>,
    pub(crate) options: AskedOptions,
    /// The environment that is asked about, of several; the first one, if none is named.
    pub(crate) environment: String,
    /// A resource or a workload: KIND/NAMESPACE/NAME.
    pub(crate) resource: String,
    pub(crate) shard: Option<u32>,
    /// A target, as `promgen which` takes it.
    pub(crate) target: String,
    /// The labels of an alert.
    pub(crate) labels: String,
}

/// A manifest.
#[derive(Debug, Deserialize)]
pub(crate) struct AskedFile {
    name: String,
    text: String,
}

/// The options that the page offers.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct AskedOptions {
    namespace: Option<String>,
    operator_version: Option<String>,
    prometheus_version: Option<String>,
    kube_version: Option<String>,
    reveal_secrets: bool,
    /// Findings about objects of others are left out, as `promgen lint FOLDER` does.
    operator_only: bool,
}

/// A version, if one is given.
fn version(text: Option<&String>) -> Result<Option<Version>, String> {
    let parsed = text
        .filter(|text| !text.is_empty())
        .map(|text| Version::parse(text).ok_or(text));
    parsed
        .transpose()
        .map_err(|text| format!("expected a version such as v3.13.2 instead of `{text}`"))
}

impl AskedOptions {
    pub(crate) fn options(&self) -> Result<Options, String> {
        let mut options = Options {
            reveal_secrets: self.reveal_secrets,
            operator_only: self.operator_only,
            ..Options::default()
        };
        if let Some(namespace) = self
            .namespace
            .as_ref()
            .filter(|namespace| !namespace.is_empty())
        {
            options.namespace.clone_from(namespace);
            options.namespace_is_known = true;
        }
        options.target.operator = match self
            .operator_version
            .as_deref()
            .filter(|text| !text.is_empty())
        {
            Some(text) => {
                Some(promgen_resources::release::parse(text).map_err(|error| error.to_string())?)
            }
            None => None,
        };
        options.target.prometheus = version(self.prometheus_version.as_ref())?;
        if let Some(kubernetes) = version(self.kube_version.as_ref())? {
            options.target.kubernetes = kubernetes;
        }
        Ok(options)
    }
}

/// The inputs of files. Those that are no manifests are there for kustomizations and charts.
pub(crate) fn inputs(files: &[AskedFile]) -> Vec<Input> {
    let is_manifest = |name: &str| {
        [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let input = |file: &AskedFile| {
        let input = Input::new(file.name.clone(), file.text.as_bytes());
        if is_manifest(&file.name) {
            input
        } else {
            input.asset()
        }
    };
    files.iter().map(input).collect()
}

impl Asked {
    /// The project of its files.
    pub(crate) fn project(
        &self,
        of: impl FnOnce(Options) -> Options,
    ) -> Result<Arc<Project>, String> {
        Ok(kept::project(
            &inputs(&self.files),
            &of(self.options.options()?),
        ))
    }

    /// The environment that is asked about, compiled in the operator's layout.
    pub(crate) fn model(&self) -> Result<Model, String> {
        let project = self.project(with_operators_layout)?;
        Ok(match self.named(&project)? {
            Some(environment) => project.compile(environment),
            None => project.model(),
        })
    }

    /// The same, for questions about its targets.
    pub(crate) fn model_with_targets(&self) -> Result<Model, String> {
        let project = self.project(with_operators_layout)?;
        Ok(match self.named(&project)? {
            Some(environment) => project.compile_with_targets(environment, 0),
            None => project.model_with_targets(),
        })
    }

    fn named<'p>(&self, project: &'p Project) -> Result<Option<&'p Environment>, String> {
        if self.environment.is_empty() {
            return Ok(None);
        }
        let names = environments::names(project.environments());
        let found = names
            .iter()
            .zip(project.environments())
            .find(|(name, _)| **name == self.environment);
        found
            .map(|(_, environment)| Some(environment))
            .ok_or_else(|| format!("no environment `{}`", self.environment))
    }
}

fn with_operators_layout(options: Options) -> Options {
    Options {
        layout: Layout::Operator,
        ..options
    }
}
