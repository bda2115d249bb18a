#!/bin/bash -eu
# Builds the fuzz targets, with some seeds for each; ClusterFuzzLite sets SRC and OUT.
cd "$SRC/promgen"
cargo fuzz build --release --debug-assertions
seeds=$(mktemp -d)
fuzz/seed "$seeds" 200 >/dev/null
for target in $(cargo fuzz list); do
  cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
  [ ! -d "$seeds/$target" ] || (cd "$seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
done
