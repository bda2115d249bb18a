# The formula of Homebrew. `.ci/fill` replaces the words between @ in a release.
class Promgen < Formula
  desc "Compiles the Prometheus operator's custom resources offline"
  homepage "https://github.com/promgen/promgen"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/promgen/promgen/releases/download/v@VERSION@/promgen-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 promgen-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/promgen/promgen/releases/download/v@VERSION@/promgen-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 promgen-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/promgen/promgen/releases/download/v@VERSION@/promgen-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 promgen-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/promgen/promgen/releases/download/v@VERSION@/promgen-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 promgen-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "promgen"
    generate_completions_from_executable(bin/"promgen", "completions", shells: [:bash, :zsh, :fish])
    system bin/"promgen", "man", "-o", man1
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/promgen --version")
    (testpath/"main.yaml").write <<~YAML
      apiVersion: monitoring.coreos.com/v1
      kind: Prometheus
      metadata: {name: main, namespace: shop}
      spec: {shards: 1}
    YAML
    assert_match "kind: StatefulSet", shell_output("#{bin}/promgen render main.yaml")
  end
end
