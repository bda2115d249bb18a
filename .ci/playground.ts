// A part of `.ci/playground`: uses every function of the package for Node by its types. `tsc` reads it, nobody runs it.
import { compile, config, diff, explain, lint, lintText, outline, render, route, which } from "promgen";
import type { Compiled, Files, Finding, Options, Outline, Route, Step, Target } from "promgen";

const files: Files = { "prometheus.yaml": "kind: Prometheus" };
const listed: Files = [{ name: "prometheus.yaml", text: "kind: Prometheus" }];
const options: Options = { namespace: "shop", operatorVersion: "v0.93.0", environment: "overlays/production", operatorOnly: true };

const findings: Finding[] = lint(files, options);
const errors: string[] = findings.filter((one) => one.level === "error").map((one) => `${one.file ?? "?"}:${one.line ?? 0}: ${one.message}`);
const compiled: Compiled = compile(listed);
const texts: string[] = compiled.workloads.map((one) => config(files, one.workload, one.shards[0]?.index, options));
const why: Step = explain(files, compiled.resources[0] ?? "", options);
const changes: Record<string, unknown> = diff(listed, files);
const lines: Outline = outline(listed, files, options);
const targets: Target[] = which(files, "all");
const routes: Route[] = route(files, "alertname=Down");
// @ts-expect-error a target is a text
which(files, 1);
// @ts-expect-error there is no such option
lint(files, { operator: "v0.93.0" });
console.log(lintText(files), render(files), errors, texts, why.steps, changes, lines.parts[0]?.lines[0]?.sign, targets[0]?.scrapedBy, routes[0]?.routes);
