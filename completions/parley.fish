# Completion of parley for fish. Put it into ~/.config/fish/completions/parley.fish
function __parley_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l raw (commandline -ct)
  # An open quote cannot be unescaped: take it off.
  set -l current (string unescape -- "$raw"; or string replace -r '^["\']' '' -- "$raw")
  for line in (parley __complete --names -- $words "$current" 2>/dev/null)
    if test "$line" = \tfiles
      __fish_complete_path "$current"
    else
      printf '%s\n' $line
    end
  end
end
complete -c parley -f -a '(__parley_complete)'
