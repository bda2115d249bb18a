class Promgen < Formula
  desc "Compiles the Prometheus operator's custom resources offline"
  homepage "{{ repository }}"
  version "{{ version }}"
  license "Apache-2.0"

  {% for block, os in [["macos", "darwin"], ["linux", "linux"]] %}
  on_{{ block }} do
    {% for platform in platforms if platform.os == os %}
    on_{{ "arm" if platform.arch == "arm64" else "intel" }} do
      url "{{ downloads }}/{{ platform.archive }}"
      sha256 "{{ platform.sha256 }}"
    end
    {% endfor %}
  end

  {% endfor %}
  def install
    bin.install "promgen"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/promgen.bash" => "promgen"
    fish_completion.install "completions/promgen.fish"
    zsh_completion.install "completions/_promgen"
    doc.install "NOTICES.md", "promgen.cdx.json"
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
