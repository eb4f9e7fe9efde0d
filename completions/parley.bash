# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line value
  COMPREPLY=()
  # A colon or an equals sign in a word must not split it: take the line up to the cursor as it was typed.
  while IFS= read -r line; do
    value="${line%%$'\t'*}"
    [ -n "$value" ] && COMPREPLY+=("$value")
  done < <(parley __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "${#COMPREPLY[@]}" -eq 1 ] && [[ "${COMPREPLY[0]}" == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _parley parley
