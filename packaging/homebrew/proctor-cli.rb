class ProctorCli < Formula
  desc "{{synopsis}}"
  homepage "{{home}}"
  version "{{version}}"
  license "{{license}}"

  on_macos do
    on_arm do
      url "{{url darwin-arm64}}"
      sha256 "{{sha256 darwin-arm64}}"
    end
    on_intel do
      url "{{url darwin-x64}}"
      sha256 "{{sha256 darwin-x64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url linux-arm64}}"
      sha256 "{{sha256 linux-arm64}}"
    end
    on_intel do
      url "{{url linux-x64}}"
      sha256 "{{sha256 linux-x64}}"
    end
  end

  # Stripping or relinking the executable would cut the program off it.
  skip_clean "bin"

  def install
    bin.install "proctor-cli"
    man1.install Dir["man/*.1"]
    man7.install Dir["man/*.7"]
    bash_completion.install "completions/proctor-cli.bash" => "proctor-cli"
    zsh_completion.install "completions/_proctor-cli"
    fish_completion.install "completions/proctor-cli.fish"
    pkgshare.install "THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"
  end

  test do
    assert_equal "proctor-cli #{version}\n", shell_output("#{bin}/proctor-cli --version")
    assert_match "Linear", shell_output("#{bin}/proctor-cli --profile sandbox exams list -o json")
  end
end
