/** Completion scripts. They ask the program itself, so that they never go out of date. */
export const scripts = {
  bash: `# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line value
  COMPREPLY=()
  # A colon or an equals sign in a word must not split it: take the line up to the cursor as it was typed.
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    [ -n "$value" ] && COMPREPLY+=("$value")
  done < <(parley __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "\${#COMPREPLY[@]}" -eq 1 ] && [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace; fi
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
} as const
