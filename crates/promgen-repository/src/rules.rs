//! Rules about kustomizations.

use promgen_text::diag::{Diagnostic, rules};
use promgen_text::limits::LIMIT_EXCEEDED;

use crate::kustomize::fault::BuildFault;

rules! {
    /// ## What it does
    /// Finds kustomizations that Kustomize refuses to build: a file that does not exist, a patch without an object, an
    /// unknown field, the same object twice.
    ///
    /// ## Why is this bad?
    /// `kustomize build` fails, and so does whatever applies the folder. Nothing of it reaches a cluster.
    ///
    /// A file that does not exist, or that Kustomize does not read because it is not in or below the folder of the
    /// kustomization, is an error in the kustomization at the top in the input, and in one that Flux builds, unless nothing
    /// that it includes concerns the operator; and a warning in any other: a repository holds kustomizations that nobody
    /// builds. What else Kustomize refuses is an error in these, if they have objects of the operator; a warning in another one that
    /// Flux builds, or generates of a path without one; and information in any other. Flux reads files wherever they are in the
    /// repository.
    ///
    /// ## Example
    /// ```yaml
    /// resources:
    /// - deployment.yaml
    /// patches:
    /// - path: replicas.yaml  # a patch of a Deployment that deployment.yaml does not contain
    /// ```
    /// Use instead: a patch of an object that is among the resources.
    ///
    /// ## Source
    /// Kustomize 5.7.
    INVALID_KUSTOMIZATION = "PG801" "invalid-kustomization" Error: "a kustomization that Kustomize refuses to build";

    /// ## What it does
    /// Finds kustomizations that need what promgen does not do: Helm charts, remote resources and files, plugins, values from
    /// the environment. It says so once for all that need the same. It also finds patched objects with a list of two merge
    /// keys, such as `ports`, of which only some items have the first key: Kustomize repeats or loses items of such a list.
    ///
    /// ## Why is this bad?
    /// promgen builds the rest. What the part that is not built may add or change is not judged: remote resources add objects,
    /// and a transformer may change every object of its kustomization. For `promgen build`, it is an error.
    ///
    /// ## Example
    /// ```yaml
    /// resources:
    /// - https://example.com/operator.yaml
    /// ```
    /// Use instead: a copy of the file, or the output of `kustomize build`.
    UNSUPPORTED_KUSTOMIZATION = "PG802" "unsupported-kustomization" Info: "a kustomization that promgen cannot build";

    /// ## What it does
    /// Finds patches whose `target` matches no object of the kustomization.
    ///
    /// ## Why is this bad?
    /// Kustomize says nothing, and the patch changes nothing. Most often, the name has a typo, or the object was renamed.
    ///
    /// ## Example
    /// ```yaml
    /// resources:
    /// - cart.yaml  # has ServiceMonitor cart
    /// patches:
    /// - target: {kind: ServiceMonitor, name: carts}
    ///   path: interval.yaml
    /// ```
    /// Use instead: the name of the object, `cart`.
    IDLE_PATCH = "PG803" "idle-patch" Warning: "a patch whose target matches no object";

    /// ## What it does
    /// Finds Flux Kustomizations and Argo CD Applications that apply a folder which is not in the input, although one with almost
    /// that name is.
    ///
    /// ## Why is this bad?
    /// Flux and Argo CD report an error in the cluster, and apply nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: kustomize.toolkit.fluxcd.io/v1
    /// kind: Kustomization
    /// metadata: {name: monitoring, namespace: flux-system}
    /// spec:
    ///   path: ./overlays/prodution  # the folder is overlays/production
    /// ```
    /// Use instead: `path: ./overlays/production`.
    MISSING_FOLDER = "PG804" "missing-folder" Warning: "an applied folder that is not in the input, but for a slip";

    /// ## What it does
    /// Finds files with resources of the operator that nobody applies: they stand beside or below a kustomization that Flux or
    /// Argo CD builds, and no kustomization lists them; or Flux leaves them out, as `.sourceignore` or `spec.ignore` of the
    /// GitRepository says. An Application with `directory` applies files without a kustomization. A Kustomization of Flux or an
    /// Application in such a file applies nothing, and nobody applies what only it names.
    ///
    /// ## Why is this bad?
    /// Nothing of the file reaches a cluster, and nobody says so. It may be a draft: its content is not judged.
    ///
    /// ## Example
    /// ```yaml
    /// resources:
    /// - prometheus.yaml  # cart.yaml stands beside it
    /// ```
    /// Use instead:
    /// ```yaml
    /// resources:
    /// - prometheus.yaml
    /// - cart.yaml
    /// ```
    UNAPPLIED_MANIFEST = "PG805" "unapplied-manifest" Info: "resources in a file that nobody applies";
}

impl BuildFault {
    /// The finding for it.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        if let Some(excess) = self.excess {
            let mut found = Diagnostic::new(&LIMIT_EXCEEDED, self.span, self.message.clone())
                .help(excess.help());
            found.span = Some(self.span);
            // The text may hold a secret, and the place says enough.
            found.is_hidden = true;
            return found;
        }
        let rule = if self.is_unsupported {
            &UNSUPPORTED_KUSTOMIZATION
        } else {
            &INVALID_KUSTOMIZATION
        };
        let mut found = Diagnostic::new(rule, self.span, self.message.clone());
        found.span = Some(self.span);
        found
    }
}
