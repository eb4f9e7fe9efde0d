/** Completion scripts. They ask the program itself, so that they never go out of date. */
export const scripts = {
  bash: `# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line="\${COMP_LINE:0:COMP_POINT}" value typed before
  local -a words
  COMPREPLY=()
  # Bash splits words at = and : as well. Take the line as it was typed, and give back only what stands after them.
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  typed="\${words[\${#words[@]}-1]}"
  before="\${typed%"\${typed##*[=:]}"}"
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    [ -n "$value" ] && COMPREPLY+=("\${value#"$before"}")
  done < <(parley __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _parley parley
`,
  zsh: `#compdef parley
# Completion of parley for zsh. Put it on your fpath as _parley.
_parley() {
  local -a found
  local line value text
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    text="\${line#*$'\\t'}"
    [[ -n "$value" ]] && found+=("\${value//:/\\\\:}:\${text}")
  done < <(parley __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'parley' found; else _files; fi
}
if [ "$funcstack[1]" = "_parley" ]; then _parley "$@"; else compdef _parley parley; fi
`,
  fish: `# Completion of parley for fish. Put it into ~/.config/fish/completions/parley.fish
function __parley_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  set -l found (parley __complete -- $words "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c parley -f -a '(__parley_complete)'
`,
  // Windows PowerShell and PowerShell before 7.3 drop an empty argument unless it is quoted twice; "Legacy" makes later ones do as they do.
  powershell: `# Completion of parley for PowerShell. Add it to your profile: parley completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName parley -ScriptBlock {
  param($current, $line, $cursor)
  $PSNativeCommandArgumentPassing = 'Legacy'
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  if ($current) { $words += $current } else { $words += '""' }
  parley __complete '--' @words 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    if ($value) { [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text) }
  }
}
`,
} as const
