//! Arguments of `krm` and `post-render`.

use std::ffi::OsString;

use clap::Args;

pub(super) const KRM_EXAMPLES: &str = "\
Examples:
  promgen krm < resource-list.yaml
  kustomize build --enable-alpha-plugins --enable-exec .

The field `functionConfig` of the list selects the mode and its options: a ConfigMap with `data.mode: lint` or
`data.mode: render`, or the kind Promgen with the same fields in `spec`. See docs/pipelines.md.";

pub(super) const POST_RENDER_EXAMPLES: &str = "\
Examples:
  promgen post-render < rendered.yaml
  helm upgrade shop ./chart --post-renderer promgen --post-renderer-args post-render
  helm upgrade shop ./chart --post-renderer promgen --post-renderer-args post-render \\
    --post-renderer-args --fail-on=warning";

/// Arguments of `post-render`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PostRenderArgs {
    /// Options of `promgen lint`, such as --fail-on=warning
    #[arg(value_name = "LINT-OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(in crate::cli) options: Vec<OsString>,
}
