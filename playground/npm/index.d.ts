/** Manifests by name, or as a list. The name is what findings call the file; one that is no YAML or JSON serves kustomizations. */
export type Files = Record<string, string> | { name: string; text: string }[];

export interface Options {
  /** Namespace of objects without one; default: `default`. */
  namespace?: string;
  /** Release of the operator, such as `v0.93.0`. */
  operatorVersion?: string;
  /** Version of Prometheus; overrides `spec.version`. */
  prometheusVersion?: string;
  /** Version of Kubernetes, such as `1.35`. */
  kubeVersion?: string;
  /** Whether values of Secrets are in the output. */
  revealSecrets?: boolean;
  /** The environment that `compile`, `config`, `explain`, `which` and `route` are about, of several; default: the first. */
  environment?: string;
  /** Whether findings about objects that do not concern the operator are left out, as `promgen lint FOLDER` does. */
  operatorOnly?: boolean;
}

export type Level = "error" | "warning" | "info";

/** A finding, as `promgen lint --format json` prints it. */
export interface Finding {
  code: string;
  rule: string;
  level: Level;
  message: string;
  help: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  endLine: number | null;
  endColumn: number | null;
  resource: { kind: string; namespace: string | null; name: string } | null;
  related: { message: string; file: string; line: number; column: number }[];
}

export interface Workload {
  /** KIND/NAMESPACE/NAME. */
  workload: string;
  version: string | null;
  error: string | null;
  hasConfig: boolean;
  shards: { index: number; zone: string | null }[];
}

export interface Compiled {
  /** The environments: builds of a repository that share a cluster, each named by a folder. */
  environments: string[];
  workloads: Workload[];
  refused: { workload: string; why: string }[];
  /** What `explain` takes, as KIND/NAMESPACE/NAME. */
  resources: string[];
  /** The labels of alerts, which `route` takes. */
  alerts: string[];
}

/** A step of an explanation. */
export interface Step {
  state: "holds" | "breaks" | "open";
  text: string;
  file: string | null;
  line: number | null;
  column: number | null;
  help: string[];
  steps: Step[];
}

export interface Target {
  workload: string;
  job: string;
  address: string;
  source: string;
  isTarget: boolean;
  scrapedBy: number[];
  dropped: { shards: number[]; rule: number; value: string; file: string | null; line: number | null }[];
}

export interface Route {
  workload: string;
  routes: {
    depth: number;
    matchers: string[];
    continue: boolean;
    notifies: boolean;
    receiver: string;
    integrations: string[];
    file: string | null;
    line: number | null;
  }[];
}

/** A part of what differs: a workload, or what belongs to none. */
export interface OutlinePart {
  title: string;
  /** The lines: `+`, `-`, `~`, `!` for a loss, or a blank, below the title by their depth. */
  lines: { depth: number; sign: string; text: string }[];
}

/** What differs as lines for people, as `promgen diff` prints it. */
export interface Outline {
  /** The targets that are lost. */
  lost: string[];
  /** What differs, counted. */
  summary: string[];
  parts: OutlinePart[];
}

/** The findings. */
export function lint(files: Files, options?: Options): Finding[];
/** The findings, in the bytes of `promgen lint --format json`. */
export function lintText(files: Files, options?: Options): string;
/** The objects that the operator writes, in the bytes of `promgen render`. */
export function render(files: Files, options?: Options): string;
/** The workloads and their shards, and what other functions take. */
export function compile(files: Files, options?: Options): Compiled;
/** The configuration of a shard, with the file and line of each job; without a shard, with placeholders. */
export function config(files: Files, workload: string, shard?: number, options?: Options): string;
/** Why a resource is used or not. */
export function explain(files: Files, resource: string, options?: Options): Step;
/** What differs, as `promgen diff --format json` prints it. */
export function diff(base: Files, head: Files, options?: Options): Record<string, unknown>;
/** What differs as lines for people, as `promgen diff` prints it. */
export function outline(base: Files, head: Files, options?: Options): Outline;
/** The shards that scrape a target: an address, `pod/NAMESPACE/NAME`, labels, or `all`. */
export function which(files: Files, target: string, options?: Options): Target[];
/** The routes of an alert with these labels: `alertname=Down,severity=critical`. */
export function route(files: Files, labels: string, options?: Options): Route[];
