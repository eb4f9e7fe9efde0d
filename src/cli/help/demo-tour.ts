import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExitName } from '../../contract/errors/exit-codes.ts'
import type { System } from '../../system.ts'
import { findCommand } from '../commandline/find-command.ts'
import type { Context } from '../context.ts'
import { memorySink } from '../terminal/memory-sink.ts'

/** What the tour does, in order; `{number}` and `{id}` are what earlier steps found. */
const tourSteps: readonly { readonly caption: string; readonly line: string; readonly captureAs?: 'number' | 'id' }[] =
  [
    { caption: 'Whose key is this, and what is left on the account?', line: 'whoami' },
    { caption: 'The keys of the account.', line: 'keys list' },
    { caption: 'What assistants can call while they talk.', line: 'tools list' },
    { caption: 'Give a tool more time.', line: 'tools update lookup_patient --tool-timeout 20' },
    {
      caption: 'An assistant who answers the phone and can use that tool.',
      line: 'assistants create --name "Evening desk" --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message "Good evening, Northwind Dental." --system-prompt "Answer the phone of a dental practice." --add-tool lookup_patient',
    },
    {
      caption: 'Numbers for sale in London.',
      line: 'numbers search --country GB --contains 20 --limit 5',
      captureAs: 'number',
    },
    {
      caption: 'Buying needs consent: without it nothing happens, and a script sees exit code 10.',
      line: 'numbers buy {number}',
    },
    { caption: 'With consent, and never above a price.', line: 'numbers buy {number} --max-price 5 --yes' },
    { caption: 'It is ours, with its renewal date.', line: 'numbers list' },
    { caption: 'A number is bought once.', line: 'numbers buy {number} --yes' },
    {
      caption: 'An extension of the SIP server in the practice, as a telephone of the account.',
      line: 'sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk-2002 --sip-password demo-secret --sip-address pbx.example --sip-calling-format +e164 --inbound-authorization-type auth --country-code US --nickname "Evening desk"',
    },
    {
      caption: 'Remind a patient with a template; its placeholders are checked before anything is sent.',
      line: 'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var appointment_day=Monday',
    },
    {
      caption: 'A conversation with the assistant on the website of the practice.',
      line: 'conversations start --assistant "Front desk"',
    },
    {
      caption: 'A customer calls; the call goes by a script.',
      line: 'server simulate call --assistant "Front desk" --phone-number +14155550142',
    },
    { caption: 'Time passes, and the call with it.', line: 'server clock advance 5m' },
    { caption: 'What came of it.', line: 'calls list --limit 2' },
    { caption: 'What happens by itself: an automation, step by step.', line: 'automate get "Opening hours"' },
    { caption: 'How it would go, with nothing sent.', line: 'automate test "Opening hours"' },
    {
      caption: 'Back to the version before, with what differs; the same again undoes it.',
      line: 'automate restore "Opening hours" --yes',
    },
    {
      caption: 'A month later, on the clock of the platform: the subscriptions renew.',
      line: 'server clock advance 31d',
    },
    { caption: 'What that cost.', line: 'server accounts ledger 1' },
  ]

/** Runs real commands on a real platform in a folder that is thrown away, each shown before its result. */
export async function runDemoTour(context: Context): Promise<ExitName> {
  const { world } = context
  const { stdout } = world.streams
  const folder = mkdtempSync(join(tmpdir(), 'parley-demo-'))
  const env = {
    ...world.env,
    PARLEY_DATA_DIR: folder,
    PARLEY_CONFIG_DIR: folder,
    PARLEY_CACHE_DIR: folder,
    PARLEY_API_KEY: undefined,
    PARLEY_PROFILE: undefined,
    PARLEY_BASE_URL: undefined,
    PARLEY_OUTPUT: undefined,
    PARLEY_NO_INPUT: '1',
  }
  const tourWorld: System = { ...world, env, cwd: folder }
  const known: Record<string, string> = {}
  try {
    await stdout.write(
      `A tour on a throw-away platform in ${folder}.\nThe telephone company, the messaging network and the payment processor are made up; everything else is real.\n`,
    )
    for (const { caption, line, captureAs } of tourSteps) {
      if (world.signal.aborted) return 'interrupted'
      const typed = line.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '')
      const words = (typed.match(/"[^"]*"|\S+/g) ?? []).map((it) => it.replaceAll('"', ''))
      await stdout.write(`\n# ${caption}\n$ parley ${typed}\n`)
      const exit = await runCommandLine(tourWorld, words)
      if (exit !== 'done')
        await stdout.write(`(${exit === 'consent' ? 'exit code 10' : exit === 'conflict' ? 'exit code 5' : exit})\n`)
      if (exit !== 'done' && exit !== 'consent' && exit !== 'conflict') return exit
      if (captureAs) known[captureAs] = await firstId(tourWorld, words)
    }
    await stdout.write('\nThat was the tour. Begin: parley numbers search, or parley --help.\n')
    return 'done'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runCommandLine(world: System, words: readonly string[]): Promise<ExitName> {
  const { runCommand } = await import('../run.ts')
  const found = findCommand(words)
  if (!found.node?.load) return 'usage'
  return runCommand(world, found, found.node)
}

/** The first id a command prints. */
async function firstId(world: System, words: readonly string[]): Promise<string> {
  const { sink, text } = memorySink()
  await runCommandLine({ ...world, streams: { ...world.streams, stdout: sink, stderr: memorySink().sink } }, [
    ...words,
    '-o',
    'id',
    '-q',
  ])
  return text().split('\n')[0] ?? ''
}
