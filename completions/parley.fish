# Completion of parley for fish. Put it into ~/.config/fish/completions/parley.fish
function __parley_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  set -l found (parley __complete -- $words "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c parley -f -a '(__parley_complete)'
