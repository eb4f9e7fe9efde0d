#!/bin/sh
# Friday, 17:00: a wrong campaign runs, half of its recipients have opted out, an automation fails, and the balance sinks.
# Stops everything, finds out what happened, corrects it, continues, and informs those whom the campaign has reached.
# Needs the command "parley" and correct.json, the corrected definition of the automation.
set -eu
parley stop --all --yes || [ $? -eq 11 ] # 11: what began before has not ended yet

# Find: what runs, whom it has reached, what failed, and what is left.
campaign=$(parley campaigns list --filter name="Spring sale" -o id)
parley leads list --campaign "$campaign" --status completed --all -o csv --fields phone_number > reached.csv
automation=$(parley automate runs list --status FAILED --live --since 1h --limit 1 --json --jq '.[0].automation_id')
parley billing summary -o yaml > billing.yaml

# Correct: the campaign ends for good, the automation gets its definition, the account gets money.
parley campaigns stop "$campaign" --yes
parley automate update "$automation" --flow @correct.json --confirm-side-effects --yes
parley server accounts update 1 --top-up 25 --yes

# Continue: what waited, and what failed.
parley resume --yes
parley automate runs retry --failed --since 1h --automation "$automation" --latest --confirm-side-effects --yes

# Inform whom the campaign has reached. Who has opted out since is skipped.
parley sms send --file reached.csv --map to=phone_number --from "Front desk" --body "Our last message was wrong. Sorry." --yes
