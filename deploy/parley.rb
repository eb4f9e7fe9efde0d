class Parley < Formula
  desc "{{description}}"
  homepage "{{homepage}}"
  url "{{url}}"
  sha256 "{{sha256}}"
  license "{{license}}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args, "--cpu=none"
    bin.install_symlink Dir["#{libexec}/bin/*"]
    man1.install Dir["dist/man/*.1.gz"]
    bash_completion.install "completions/parley.bash" => "parley"
    zsh_completion.install "completions/_parley"
    fish_completion.install "completions/parley.fish"
  end

  test do
    ENV["PARLEY_DATA_DIR"] = testpath/"data"
    assert_equal version.to_s, shell_output("#{bin}/parley --version").strip
    assert_match "number", shell_output("#{bin}/parley numbers search --country US --json")
  end
end
