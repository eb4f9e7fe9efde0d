#!/bin/sh
# Autumn reminders of a clinic, set up while nobody watches. After anything went wrong run it again: it goes on, and does nothing twice.
set -eu
missing() { # whether a thing is not there; whatever else goes wrong ends the script with its code
  "$@" > /dev/null 2> problem && return 1 || code=$?
  [ "$code" = 4 ] || { cat problem >&2; exit "$code"; }
}
parley ops reconcile > /dev/null                      # what became of earlier purchases and messages
parley whoami > /dev/null
# A number for at most 3 USD a month, chosen once.
[ -s number ] || { parley numbers search --country US --contains 415 --limit 1 -o id > found; mv found number; }
number=$(cat number)
missing parley numbers update "$number" --nickname Reminders && {
  parley numbers buy "$number" --max-price 3 --yes
  parley numbers update "$number" --nickname Reminders
}
missing parley tools get book_visit && parley tools create --file tool.yaml
missing parley assistants get "Reminder desk" && parley assistants create --file assistant.yaml --add-tool book_visit
missing parley campaigns get Autumn && parley campaigns create --name Autumn --assistant "Reminder desk"
parley leads import --campaign Autumn --file patients.csv
campaign=$(parley campaigns get Autumn -o id)
missing parley automate get "New patients" && parley automate apply lead-intake-webhook --name "New patients" --param "campaign_id=$campaign" --confirm-side-effects
parley messaging send --sender 1 --template appointment_reminder --file patients.csv --map appointment_day=day --yes
[ "$(parley leads list --campaign Autumn --all --fields phone_number -o tsv --no-header | grep -c 1415555016)" -eq 3 ]
[ -z "$(parley ops list --open -o id)" ]
# A change of the automation is tried and taken back.
parley automate pull --folder flows
sed 's/A lead is posted/A patient signed up/' flows/new-patients.yaml > changed.yaml
parley automate update "New patients" --file changed.yaml --sample '{"phone": "+14155550100"}' --confirm-side-effects
parley automate restore "New patients" --yes
