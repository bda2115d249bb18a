//! The fields of a kustomization file, and what each holds.

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    /// Text.
    Text,
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// A map of texts.
    Texts,
    /// A map of flags.
    Flags,
    /// A list.
    List(&'static Self),
    /// A map of known fields.
    Fields(&'static [(&'static str, Self)]),
    /// Anything.
    Any,
}

use ValueShape::{Any, Fields, Flag, Flags, List, Number, Text, Texts};

const TEXT_LIST: ValueShape = List(&Text);

const SELECTOR: ValueShape = Fields(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("labelSelector", Text),
    ("annotationSelector", Text),
]);

const PATCH: ValueShape = Fields(&[
    ("path", Text),
    ("patch", Text),
    ("target", SELECTOR),
    ("options", Flags),
]);

const FIELD_SPEC: ValueShape = Fields(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("path", Text),
    ("create", Flag),
]);

const LABEL: ValueShape = Fields(&[
    ("pairs", Texts),
    ("includeSelectors", Flag),
    ("includeTemplates", Flag),
    ("fields", List(&FIELD_SPEC)),
]);

const IMAGE: ValueShape = Fields(&[
    ("name", Text),
    ("newName", Text),
    ("tagSuffix", Text),
    ("newTag", Text),
    ("digest", Text),
]);

const REPLICA: ValueShape = Fields(&[("name", Text), ("count", Number)]);

const GENERATOR_OPTIONS: ValueShape = Fields(&[
    ("labels", Texts),
    ("annotations", Texts),
    ("disableNameSuffixHash", Flag),
    ("immutable", Flag),
]);

const CONFIG_MAP: ValueShape = Fields(&[
    ("name", Text),
    ("namespace", Text),
    ("behavior", Text),
    ("literals", TEXT_LIST),
    ("files", TEXT_LIST),
    ("envs", TEXT_LIST),
    ("env", Text),
    ("options", GENERATOR_OPTIONS),
]);

const SECRET: ValueShape = Fields(&[
    ("name", Text),
    ("namespace", Text),
    ("behavior", Text),
    ("type", Text),
    ("literals", TEXT_LIST),
    ("files", TEXT_LIST),
    ("envs", TEXT_LIST),
    ("env", Text),
    ("options", GENERATOR_OPTIONS),
]);

const REPLACEMENT_OPTIONS: ValueShape = Fields(&[
    ("delimiter", Text),
    ("index", Number),
    ("encoding", Text),
    ("create", Flag),
]);

const REPLACEMENT_SOURCE: ValueShape = Fields(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("fieldPath", Text),
    ("options", REPLACEMENT_OPTIONS),
]);

const REPLACEMENT_TARGET: ValueShape = Fields(&[
    ("select", SELECTOR),
    ("reject", List(&SELECTOR)),
    ("fieldPaths", TEXT_LIST),
    ("options", REPLACEMENT_OPTIONS),
]);

/// One entry of `replacements`, also in a file of its own.
pub const REPLACEMENT: ValueShape = Fields(&[
    ("path", Text),
    ("source", REPLACEMENT_SOURCE),
    ("sourceValue", Text),
    ("targets", List(&REPLACEMENT_TARGET)),
]);

const METADATA: ValueShape = Fields(&[
    ("name", Text),
    ("namespace", Text),
    ("labels", Texts),
    ("annotations", Texts),
]);

const VAR: ValueShape = Fields(&[
    ("name", Text),
    (
        "objref",
        Fields(&[
            ("apiVersion", Text),
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
        ]),
    ),
    ("fieldref", Fields(&[("fieldPath", Text)])),
]);

const SORT_OPTIONS: ValueShape = Fields(&[
    ("order", Text),
    (
        "legacySortOptions",
        Fields(&[("orderFirst", TEXT_LIST), ("orderLast", TEXT_LIST)]),
    ),
]);

/// A kustomization file, a component included.
pub const KUSTOMIZATION: ValueShape = Fields(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("metadata", METADATA),
    ("openapi", Texts),
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("namespace", Text),
    ("commonLabels", Texts),
    ("labels", List(&LABEL)),
    ("commonAnnotations", Texts),
    ("patchesStrategicMerge", TEXT_LIST),
    ("patchesJson6902", List(&PATCH)),
    ("patches", List(&PATCH)),
    ("images", List(&IMAGE)),
    ("imageTags", List(&IMAGE)),
    ("replacements", List(&REPLACEMENT)),
    ("replicas", List(&REPLICA)),
    ("vars", List(&VAR)),
    ("sortOptions", SORT_OPTIONS),
    ("resources", TEXT_LIST),
    ("components", TEXT_LIST),
    ("crds", TEXT_LIST),
    ("bases", TEXT_LIST),
    ("configMapGenerator", List(&CONFIG_MAP)),
    ("secretGenerator", List(&SECRET)),
    ("helmGlobals", Any),
    ("helmCharts", Any),
    ("helmChartInflationGenerator", Any),
    ("generatorOptions", GENERATOR_OPTIONS),
    ("configurations", TEXT_LIST),
    ("generators", TEXT_LIST),
    ("transformers", TEXT_LIST),
    ("validators", TEXT_LIST),
    ("buildMetadata", TEXT_LIST),
]);

const BACK_REFERENCE: ValueShape = Fields(&[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("fieldSpecs", List(&FIELD_SPEC)),
]);

/// A file of `configurations`.
pub const CONFIGURATION: ValueShape = Fields(&[
    ("namePrefix", List(&FIELD_SPEC)),
    ("nameSuffix", List(&FIELD_SPEC)),
    ("namespace", List(&FIELD_SPEC)),
    ("commonLabels", List(&FIELD_SPEC)),
    ("labels", List(&FIELD_SPEC)),
    ("templateLabels", List(&FIELD_SPEC)),
    ("commonAnnotations", List(&FIELD_SPEC)),
    ("nameReference", List(&BACK_REFERENCE)),
    ("varReference", List(&FIELD_SPEC)),
    ("images", List(&FIELD_SPEC)),
    ("replicas", List(&FIELD_SPEC)),
]);
