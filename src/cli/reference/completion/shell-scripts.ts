/**
 * Completion scripts. They ask the program for candidates, so they never become outdated. Users have installed earlier
 * ones: `answerShell` of complete.ts answers each form of call.
 */
export const completionScripts = {
  bash: `# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line value
  COMPREPLY=()
  # Bash splits words at = and : as well. The program reads the line as it was typed, and answers what bash has to insert.
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    if [ -n "$value" ]; then
      COMPREPLY+=("$value")
    elif [ "$line" = $'\\tfiles' ]; then
      compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    fi
  done < <(parley __complete --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _parley parley
`,
  zsh: `#compdef parley
# Completion of parley for zsh. Put it on your fpath as _parley.
_parley() {
  local -a found typed
  local line value text files=''
  (( CURRENT > 2 )) && typed=("\${(@Q)words[2,CURRENT-1]}")
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    text="\${line#*$'\\t'}"
    if [[ -n "$value" ]]; then
      found+=("\${\${value//\\\\/\\\\\\\\}//:/\\\\:}:\${text}")
    elif [[ "$line" == $'\\tfiles' ]]; then
      files=yes
    fi
  done < <(parley __complete --names -- "\${typed[@]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#found} )); then
    _describe 'parley' found
  elif [[ -n "$files" ]]; then
    [[ "$PREFIX" == --*=* ]] && compset -P '*='
    _files
  fi
}
if [ "$funcstack[1]" = "_parley" ]; then _parley "$@"; else compdef _parley parley; fi
`,
  fish: `# Completion of parley for fish. Put it into ~/.config/fish/completions/parley.fish
function __parley_complete
  set -l words (commandline -opc)
  set -e words[1]
  set -l raw (commandline -ct)
  # An open quote cannot be unescaped: take it off.
  set -l current (string unescape -- "$raw"; or string replace -r '^["\\']' '' -- "$raw")
  for line in (parley __complete --names -- $words "$current" 2>/dev/null)
    if test "$line" = \\tfiles
      __fish_complete_path "$current"
    else
      printf '%s\\n' $line
    end
  end
end
complete -c parley -f -a '(__parley_complete)'
`,
  // Windows PowerShell and PowerShell before 7.3 drop an empty argument unless it is quoted twice. "Legacy" makes later
  // versions behave in the same way.
  powershell: `# Completion of parley for PowerShell. Add it to your profile: parley completion powershell >> $PROFILE
Register-ArgumentCompleter -Native -CommandName parley -ScriptBlock {
  param($current, $line, $cursor)
  $PSNativeCommandArgumentPassing = 'Legacy'
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  $current = "$current".TrimStart("'", '"')
  if ($current) { $words += $current } else { $words += '""' }
  parley __complete --names '--' @words 2>$null | ForEach-Object {
    $value, $text = $_ -split [char]9, 2
    if (-not $text) { $text = $value }
    if ($value) {
      $inserted = if ($value -match '[^\\w@%+=:,./-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
      [System.Management.Automation.CompletionResult]::new($inserted, $value, 'ParameterValue', $text)
    }
  }
}
`,
} as const
