# Completion of parley for bash. Load it from ~/.bashrc: eval "$(parley completion bash)"
_parley() {
  local line="${COMP_LINE:0:COMP_POINT}" value typed before
  local -a words
  COMPREPLY=()
  # Bash splits words at = and : as well. Take the line as it was typed, and give back only what stands after them.
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  typed="${words[${#words[@]}-1]}"
  before="${typed%"${typed##*[=:]}"}"
  while IFS= read -r line; do
    value="${line%%$'\t'*}"
    [ -n "$value" ] && COMPREPLY+=("${value#"$before"}")
  done < <(parley __complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _parley parley
