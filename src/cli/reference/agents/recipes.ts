/** Tasks of an operator, each with its command lines. `<name>` is a placeholder for a value. */
interface Recipe {
  readonly goal: string
  readonly lines: readonly string[]
}

/**
 * The recipes of the skill and of `parley help agents`. `npm run generate` fails when a line names no command, or a flag
 * that the command does not have.
 */
export const recipes: readonly { readonly title: string; readonly recipes: readonly Recipe[] }[] = [
  {
    title: 'Where am I',
    recipes: [
      { goal: 'Account, platform, profile and agent', lines: ['parley whoami --json'] },
      { goal: 'Problems of configuration, connection and resources', lines: ['parley doctor --json'] },
      { goal: 'Balance, usage, forecast', lines: ['parley billing summary --json'] },
    ],
  },
  {
    title: 'Find',
    recipes: [
      { goal: 'Records by a condition', lines: ['parley <noun> list --filter <field>=<value> --json'] },
      { goal: 'Chosen fields only', lines: ['parley <noun> list --fields <fields> --json'] },
      { goal: 'One record by id or name', lines: ['parley <noun> get <id> --json'] },
      { goal: 'What uses a resource, before it is changed', lines: ['parley refs <noun> <id> --json'] },
      { goal: 'What customers said', lines: ['parley conversations search <text> --json'] },
      { goal: 'Who was charged, and for what', lines: ['parley billing usage --by <kind> --json'] },
      { goal: 'What was bought and sent from here', lines: ['parley ops list --json'] },
    ],
  },
  {
    title: 'Change',
    recipes: [
      { goal: 'See what a write would send', lines: ['parley <noun> update <id> --set <field>=<value> --dry-run'] },
      { goal: 'Change a field', lines: ['parley <noun> update <id> --set-json <field>=<json> --json'] },
      { goal: 'Take a change back', lines: ['parley history list --json', 'parley history undo <entry> --yes --json'] },
      {
        goal: 'Add a lead to a campaign',
        lines: ['parley leads create --campaign <id> --phone-number <number> --json'],
      },
      { goal: 'Stop a campaign', lines: ['parley campaigns stop <id> --yes --json'] },
      {
        goal: 'Stop everything at once, and continue',
        lines: ['parley stop --all --yes --json', 'parley resume --json'],
      },
      { goal: 'Delete', lines: ['parley <noun> delete <id> --yes --json'] },
    ],
  },
  {
    title: 'Automations',
    recipes: [
      {
        goal: 'Which runs failed, and why',
        lines: [
          'parley automate runs list --status FAILED --since <time> --json',
          'parley automate runs get <run> --json',
        ],
      },
      {
        goal: 'Roll back to an earlier version',
        lines: [
          'parley automate versions list <id> --json',
          'parley automate restore <id> --to <number> --yes --confirm-side-effects --json',
        ],
      },
      { goal: 'Switch an automation off', lines: ['parley automate disable <id> --json'] },
    ],
  },
  {
    title: 'Numbers and money',
    recipes: [
      {
        goal: 'Buy the cheapest number, at most at a price',
        lines: [
          'parley numbers search --country <code> --contains <digits> --json',
          'parley numbers buy <number> --max-price <usd> --yes --json',
        ],
      },
      { goal: 'Send an SMS', lines: ['parley sms send --from <number> --to <number> --body <text> --yes --json'] },
      {
        goal: 'Resolve what may have been paid twice',
        lines: ['parley ops list --open --json', 'parley ops reconcile --json'],
      },
    ],
  },
  {
    title: 'Staging to production',
    recipes: [
      { goal: 'Another platform for one command', lines: ['parley <noun> list --profile <name> --json'] },
      {
        goal: 'Change in staging, then promote',
        lines: [
          'parley assistants update <id> --voice-id <id> --profile staging --json',
          'parley promote assistants/<name> --from staging --to production --confirm production --json',
        ],
      },
    ],
  },
  {
    title: 'Practise for free',
    recipes: [
      { goal: 'Sample data in a new data folder (PARLEY_DATA_DIR)', lines: ['parley server seed'] },
      { goal: 'Its clock', lines: ['parley server clock advance 2h'] },
    ],
  },
]
