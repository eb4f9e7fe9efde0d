# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line value
  COMPREPLY=()
  # Bash splits words at = and : as well. The program reads the line as it was typed, and answers what bash has to insert.
  while IFS= read -r line; do
    value="${line%%$'\t'*}"
    if [ -n "$value" ]; then
      COMPREPLY+=("$value")
    elif [ "$line" = $'\tfiles' ]; then
      compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    fi
  done < <(parley __complete --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _parley parley
