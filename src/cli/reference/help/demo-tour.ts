import { rmSync } from 'node:fs'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { makeTemporaryFolder } from '../../../node/temporary-folder.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import type { Context } from '../../program/context.ts'
import { runCommand } from '../../program/run.ts'
import { type System, withParts } from '../../program/system.ts'
import { loadPaint } from '../../program/terminal/color.ts'
import { memorySink } from '../../program/terminal/memory-sink.ts'

/** Steps of the tour; `{number}` and `{id}` are results of earlier steps. Other names and ids are those of sample-account.ts. */
const tourSteps: readonly { readonly caption: string; readonly line: string; readonly captureAs?: 'number' | 'id' }[] =
  [
    { caption: 'Show the account and its balance.', line: 'whoami' },
    { caption: 'List the API keys of the account.', line: 'keys list' },
    { caption: 'List the tools that assistants can call.', line: 'tools list' },
    { caption: 'Raise the timeout of a tool.', line: 'tools update lookup_patient --tool-timeout 20' },
    {
      caption: 'Create an assistant that answers the phone and can use that tool.',
      line: 'assistants create --name "Evening desk" --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message "Good evening, Northwind Dental." --system-prompt "Answer the phone of a dental practice." --add-tool lookup_patient',
    },
    {
      caption: 'Search phone numbers in London.',
      line: 'numbers search --country GB --contains 20 --limit 5',
      captureAs: 'number',
    },
    {
      caption: 'Buying requires confirmation. Without it, nothing is bought and the exit code is 10.',
      line: 'numbers buy {number}',
    },
    { caption: 'Buy the number, with a maximum price.', line: 'numbers buy {number} --max-price 5 --yes' },
    { caption: 'List your numbers, with renewal dates.', line: 'numbers list' },
    { caption: 'A number cannot be bought twice.', line: 'numbers buy {number} --yes' },
    {
      caption: 'Add an extension of the SIP server in the practice.',
      line: 'sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk-2002 --sip-password demo-secret --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US --nickname "Evening desk"',
    },
    {
      caption: 'Send a patient a reminder template. Placeholders are checked before it is sent.',
      line: 'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
    },
    {
      caption: 'Start a website conversation with the assistant.',
      line: 'conversations start --assistant "Front desk"',
    },
    {
      caption: 'Simulate a call from a customer.',
      line: 'server simulate call --assistant "Front desk" --phone-number +14155550142',
    },
    { caption: 'Advance the clock so that the call takes place.', line: 'server clock advance 5m' },
    { caption: 'List the latest calls.', line: 'calls list --limit 2' },
    { caption: 'Show an automation and its steps.', line: 'automate get "Opening hours"' },
    { caption: 'Test the automation without sending anything.', line: 'automate test "Opening hours"' },
    {
      caption: 'Restore the previous version and show the difference. Running it again undoes this.',
      line: 'automate restore "Opening hours" --yes',
    },
    {
      caption: 'Advance the clock by a month. Subscriptions renew.',
      line: 'server clock advance 31d',
    },
    { caption: 'List the charges.', line: 'server accounts ledger 1' },
  ]

/** Returns a system with a temporary local platform, which ignores the settings of the user. The caller deletes the folder. */
export function temporarySystem(system: System): { readonly tourSystem: System; readonly folder: string } {
  const folder = makeTemporaryFolder('parley-demo-')
  const env = {
    ...system.env,
    PARLEY_DATA_DIR: folder,
    PARLEY_CONFIG_DIR: folder,
    PARLEY_CACHE_DIR: folder,
    PARLEY_API_KEY: undefined,
    PARLEY_PROFILE: undefined,
    PARLEY_BASE_URL: undefined,
    PARLEY_OUTPUT: undefined,
    PARLEY_DATABASE: undefined,
    DATABASE_URL: undefined,
    PARLEY_SECRET_KEY: undefined,
    PARLEY_NO_INPUT: '1',
  }
  return { tourSystem: withParts(system, { env, cwd: folder }), folder }
}

/** What the program is for, in at most 15 lines of 80 characters. */
const introduction = (
  folder: string,
): string => `Parley administers a platform of voice and chat assistants from the terminal:
assistants, their tools, phone numbers, messages, calls and automations.
The platform is included. It runs on this computer, so that you can try and test
everything before it reaches customers or costs money.

What this tour shows:
- Money is spent once or not at all: prices are shown and agreed to before.
- Changes are shown with both values, and can be undone.
- What would take weeks happens at once: calls end, subscriptions renew.

It runs ${tourSteps.length} commands on a temporary local platform in
${folder}.
Carrier, payments, messaging channel and language model are simulated.
`

/**
 * Runs commands on a temporary local platform and shows each before its result. The folder is deleted at the end.
 * `waits`: each command runs when Enter was pressed. @throws Interrupted when a person closed the prompt
 */
export async function runDemoTour(context: Context, waits = false): Promise<ExitName> {
  const { system } = context
  const { stdout } = system.streams
  const { tourSystem, folder } = temporarySystem(system)
  const known: Record<string, string> = {}
  try {
    await stdout.write(introduction(folder))
    const paint = await loadPaint(context.out.settings.color)
    for (const { caption, line, captureAs } of tourSteps) {
      if (system.signal.aborted) return 'interrupted'
      const typed = line.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '')
      const words = (typed.match(/"[^"]*"|\S+/g) ?? []).map((it) => it.replaceAll('"', ''))
      await stdout.write(`\n${paint.dim(`# ${caption}`)}\n${paint.bold(`$ parley ${typed}`)}\n`)
      if (waits) await (await context.prompts()).input('Enter runs it, Ctrl-C ends the tour')
      const exit = await runCommandLine(tourSystem, words)
      if (exit !== 'done')
        await stdout.write(`(${exit === 'consent' ? 'exit code 10' : exit === 'conflict' ? 'exit code 5' : exit})\n`)
      if (exit !== 'done' && exit !== 'consent' && exit !== 'conflict') return exit
      if (captureAs) known[captureAs] = await firstId(tourSystem, words)
    }
    await stdout.write(
      '\nEnd of the tour.\nNext: parley ui shows a platform with sample data in the browser. parley demo --project practice creates tests of its assistants, and parley assistants test runs them. All commands: parley --help\n',
    )
    return 'done'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs one command of the tour as if it had been typed, and returns how it ended. */
export async function runCommandLine(system: System, words: readonly string[]): Promise<ExitName> {
  const found = findCommand(words)
  if (!found.node?.load) return 'usage'
  return runCommand(system, found, found.node)
}

/** Returns the first id that a command prints. */
async function firstId(system: System, words: readonly string[]): Promise<string> {
  const { sink, text } = memorySink()
  await runCommandLine(withParts(system, { streams: { ...system.streams, stdout: sink, stderr: memorySink().sink } }), [
    ...words,
    '-o',
    'id',
    '-q',
  ])
  return text().split('\n')[0] ?? ''
}
