#!/bin/sh
# Exports staging, changes an assistant, tests and applies it, promotes it, verifies production, and rolls back.
# Needs the command "parley", the profiles "staging" and "production", and the scenarios in practice/tests.
set -u
step() { # Runs a command. One whose connection failed, or that was done in part, is repeated and resumes.
  for attempt in 1 2 3; do
    parley "$@"
    code=$?
    case $code in
      0) return 0 ;;
      7 | 8 | 9 | 11) echo "retry $attempt of: $* ($code)" >&2 ;;
      *) break ;;
    esac
  done
  echo "failed: $* ($code)" >&2
  exit "$code"
}
production() { # Prints the maximum duration of calls in production.
  value=$(step assistants get "Front desk" --profile production -o tsv --fields max_duration) || exit $?
  echo "$value" | tail -n 1
}
undo() { step promote undo --to production --confirm production; }

step pull practice --profile staging --force-remote
before=$(production) || exit $?
sed -i "s/^max_duration: .*/max_duration: $((before + 1))/" practice/assistants/front-desk.yaml
step assistants test practice
step push practice/assistants/front-desk.yaml --profile staging --yes
step promote assistants/front-desk tools/lookup-patient --from staging --to production --confirm production
step promote assistants/front-desk tools/lookup-patient --from staging --to production --confirm production --dry-run
if [ "$(production)" != "$((before + 1))" ]; then
  undo
  exit 20
fi
undo
[ "$(production)" = "$before" ] || exit 20
