import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Command, riskOf } from '../../../../src/cli/program/commandline/command.ts'
import { commandHelp } from '../../../../src/cli/reference/help/command-help.ts'
import { inProcessTransport } from '../../../../src/client/transport/in-process-transport.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { openPlatform } from '../../../../src/platform/compose.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import {
  type Operator,
  type OperatorOptions,
  operator,
  type Run,
  type RunOptions,
  sampleSeed,
  today,
} from '../../../support/operator.ts'

/** Examples that nothing here can run, each with its reason. */
export const skipped: Readonly<Record<string, string>> = {
  'server start': 'serves until it is told to stop',
  'server start --port 0': 'serves until it is told to stop',
  'server start --database postgres://parley@127.0.0.1/parley': 'serves until it is told to stop, and needs PostgreSQL',
  'server start --vocabulary public': 'serves until it is told to stop',
  'server start --model-url http://127.0.0.1:11434/v1 --model llama3.2':
    'serves until it is told to stop, and needs a model',
  'server start --model-script intents.yaml': 'serves until it is told to stop',
  'server start --log json --drain-delay 5': 'serves until it is told to stop',
  'server start --config server.yaml': 'serves until it is told to stop',
  'server start --detach --port 0 --seed 7 --json': 'needs the built program',
  ui: 'serves until Ctrl-C',
  'ui --no-open': 'serves until Ctrl-C',
  'ui --profile production': 'serves until Ctrl-C',
  'open timeline': 'serves until Ctrl-C',
  'open calls 7': 'serves until Ctrl-C',
  'open conversations 0b6b1c52-5b5a-4a0e-9a34-2f6a3c1d7e90 --no-open': 'serves until Ctrl-C',
  'calls start +14155550142 --assistant 2 --var first_name=Anna --follow --yes': 'waits until the call has ended',
  'events list --follow --limit 1 -o ndjson': 'waits until something happens',
  'events listen --print --limit 1': 'waits until something happens',
  'events listen --forward-to http://127.0.0.1:3000/hooks --limit 1 -o ndjson': 'waits until something happens',
  'events listen --profile staging --forward-to http://127.0.0.1:3000/hooks --record events':
    'waits until something happens',
  'events replay events --forward-to http://127.0.0.1:3000/hooks': 'needs a receiver',
  'server migrate --to postgres://parley@127.0.0.1/parley --switch': 'needs PostgreSQL',
  'server migrate --to postgres://parley@127.0.0.1/parley --verify': 'needs PostgreSQL',
  'server migrate --to sqlite --switch': 'needs PostgreSQL',
  'server migrate --from postgres://parley@127.0.0.1/parley --to ./parley-data': 'needs PostgreSQL',
  'server database status': 'needs PostgreSQL',
  'server database status --database postgres://parley@127.0.0.1/parley': 'needs PostgreSQL',
  'server database status --json': 'needs PostgreSQL',
  'server database distribute --database postgres://parley@127.0.0.1/parley --dry-run': 'needs Citus',
  'server database distribute --database postgres://parley@127.0.0.1/parley --shards 64': 'needs Citus',
  'server database distribute --yes --json': 'needs Citus',
  'profile set staging --keychain': 'needs a keychain',
  'tools update 1 --edit': 'opens an editor on a terminal',
  'assistants update 1 --edit': 'opens an editor on a terminal',
  'sip-trunks update 1 --edit': 'opens an editor on a terminal',
}

/** Exit codes of examples that prompt, without a terminal: 2 names what is missing, 10 what requires confirmation; 4 for settings that do not exist, 5 for a campaign that is not running, 20 for a retry that fails again. */
export const exits: Readonly<Record<string, number>> = {
  'assistants create': 2,
  'demo --step': 2,
  login: 2,
  'login production --url https://assistants.example': 2,
  'numbers buy': 2,
  'numbers buy +15005550006': 10,
  'keys delete 2': 10,
  'tools delete 3': 10,
  'tools test lookup_patient --var customer_phone=+14155550142': 20,
  'tools test book_appointment --input @booking.json --yes --json': 20,
  'stop --all': 10,
  'keys rotate --yes': 2,
  'keys rotate --keep-old --yes': 2,
  'keys rotate --profile production --expires 30d': 10,
  'audit --strict --json': 20,
  'audit --strict --only unused,duplicate --junit audit.xml': 20,
  // The file has no text.
  'knowledge documents create 1 --upload prices.pdf --wait': 20,
  // The clock of this platform is fixed, so that nothing that was started gets further.
  'calls start +14155550142 --assistant Recall --yes --wait=answered --wait-timeout 90s': 14,
  'messaging send --sender +14155550170 --to +14155550142 --text "See you on Monday." --wait --wait-timeout 1m': 14,
  'messaging send --sender 1 --template appointment_reminder --file patients.csv --yes --wait=sent --wait-timeout 5m': 14,
  'calls stop 2': 10,
  'contacts cancel-waiting 12': 10,
  'contacts cancel-waiting 12 --yes --json': 4,
  'contacts send-waiting 12': 10,
  'contacts send-waiting 12 --yes --json': 4,
  'calls stop 2 --yes --json': 5,
  'calls delete 1': 10,
  // The clock of this platform is fixed, so that its limit of sends in a second never ends.
  'doctor --conformance --profile staging --writes --budget 10': 20,
  // A paid number of the sample data is not used.
  'doctor --strict --json': 20,
  'doctor --voice --strict --json': 20,
  'campaigns start Reminders': 10,
  'campaigns stop 1 --yes': 5,
  // It was stopped.
  'campaigns get 1 --wait=started --wait-timeout 2h': 20,
  'automate runs cancel last': 20,
  'automate runs cancel 4f9k2m7x8q1w5e3r6t0ya --json': 4,
  'automate runs rerun 4f9k2m7x8q1w5e3r6t0ya --from step_3 --latest': 4,
  'automate runs save 4f9k2m7x8q1w5e3r6t0ya --as-test tests/order.yaml': 4,
  'automate retry Greeting': 20,
  'automate retry Greeting --run last': 20,
  'campaigns delete 2': 10,
  'leads delete 5': 10,
  'numbers release 4': 10,
  'folders delete 2': 10,
  'labels delete 2': 10,
  'knowledge delete 1': 10,
  'knowledge documents delete 2 --knowledge 1': 10,
  'sip-trunks delete 1': 10,
  'server accounts delete 2': 10,
  'profile delete staging': 10,
  'server reset': 10,
  'server restore parley.backup': 10,
  // The data folder of the test has another name.
  'server restore parley.backup --confirm parley': 2,
  'server restore parley.backup --confirm parley --json': 2,
  'server snapshot restore before-tests': 10,
  'server snapshot delete before-tests': 10,
  'server faults delete 1': 4,
  // No automation or webhook receives the event.
  'events replay events --assistant "Front desk"': 20,
  'ops get 0c9a4f12': 4,
  'ops get 0c9a4f12 --json': 4,
  'ops approve 0c9a4f12': 4,
  'ops decline 0c9a4f12 --reason "Too expensive"': 4,
  'ops run 0c9a4f12': 4,
  'ops wait 0c9a4f12': 4,
  'ops close 0c9a4f12 --as refused --reason "Not on the invoice of November"': 4,
  'ops close 0c9a4f12 --as done --reason "The customer has the message"': 4,
  'server drain web-2': 4,
  'server drain http://10.0.0.7:4010': 4,
  'server simulate receipt --message-sid MM0 --status delivered': 4,
  'server simulate receipt --message-sid MM0 --status failed --error-code 63024 --error-message "Not reachable"': 4,
  'automate delete Greeting': 10,
  'automate restore Greeting': 10,
  'automate diff Greeting': 20,
  'automate diff Greeting --from 2': 20,
  'automate diff Greeting --from 2 --to 4 --json': 20,
  'automate pull --check --json': 20,
  'history diff 12': 20,
  'history diff 12 --json': 20,
  'pull --check --json': 20,
}

const localKey = `1|${createSecretGenerator(sampleSeed)('key local', 40)}`

/** Files that examples read. */
const files: Readonly<Record<string, string>> = {
  'events/000001-call.ended-msg_1.json': '{"id": "msg_1", "kind": "call.ended", "payload": {"id": 1}}\n',
  'booking.json': '{"day": "2026-12-01", "time": "09:00"}\n',
  'order.json': '{"body": {"name": "Ada"}}\n',
  'key.txt': `${localKey}\n`,
  'password.txt': 'secret\n',
  'questions.txt': 'When are you open?\n{"message": "Thank you"}\n',
  'routes.yaml': 'leads.update:\n  path: /api/leads/{id}\n',
  'tool.yaml':
    'name: find_patient\ndescription: Find a patient.\nendpoint: https://practice.example/patients\nmethod: GET\n',
  'campaign.yaml': 'name: Reminders in May\nchannel: messaging\nmessaging_sender_id: 1\nmessaging_template_id: 1\n',
  'blocked.csv': 'Mobile\n+14155550113\n',
  'blocked.ndjson': '{"phone_number":"+14155550115","channel":"sms"}\n',
  'leads.csv': 'Mobile,phone_number,Given name\n+14155550113,+14155550114,Dora\n',
  'leads.ndjson': '{"phone_number":"+14155550115","first_name":"Eve"}\n',
  'patients.csv': 'Phone,First name,Appointment day\n+14155550111,Anna,Monday\n',
  'lead.yaml': 'campaign_id: 1\nphone_number: +14155550111\nvariables:\n  first_name: Anna\n',
  'scenario.yaml': 'steps:\n  - message: {sender: 1, from: "+14155550142", text: Hello}\n  - advance: 1m\n',
  'prices.pdf': '%PDF-1.4\n',
  'hours.txt': 'Monday to Friday from 8:00 to 17:00.\n',
  'rubric.yaml': 'version: 1\nname: Short\ncriteria:\n  - {id: short, check: {max_messages: 100}}\n',
  'sample-data.yaml': 'version: 1\naccounts:\n  - name: Riverside clinic\n',
  'trunk.yaml': `sip_trunk_type: number
phone_number: +14155550188
sip_username: desk
sip_address: pbx.example
sip_calling_format: +e164
inbound_authorization_type: auth
country_code: US
`,
  'assistant.yaml': `name: Night desk
type: inbound
mode: pipeline
llm_model_id: 2
language_id: 1
voice_id: 1
timezone: Europe/London
initial_message: Hello
system_prompt: Answer calls for a dental practice.
`,
}

const hook = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
const flow = (code: string) => ({
  trigger: hook,
  steps: [
    {
      type: 'CODE',
      settings: {
        sourceCode: { code: `export const code = async (inputs) => (${code})`, packageJson: '{}' },
        input: {},
      },
    },
  ],
})

/** A scenario for the files that `pull` writes, in both folders that examples name. */
const assistantTest = 'assistant: Front desk\nturns: [Hello]\nexpect: {language: en}\n'

/** Definitions that examples read, or begin with. */
const flows: Readonly<Record<string, object>> = {
  'automation.yaml': { name: 'Greeting too', flow: flow('1') },
  'flow.json': flow('1'),
  'other.json': flow('2'),
  'failing.json': flow('inputs.missing.field'),
  'sending.json': {
    trigger: hook,
    steps: [
      {
        type: 'PIECE',
        settings: {
          pieceName: '@engine/piece-store',
          actionName: 'put',
          input: { key: 'a', value: 1, store_scope: 'FLOW' },
        },
      },
    ],
  },
  'answer.json': { status: 200, body: {} },
  'params.json': { campaign_id: '1' },
}

/** What commands about automations and connections begin with. */
const automated = [
  'create --name Greeting --file flow.json',
  'update Greeting --file other.json',
  'update Greeting --file failing.json --skip-local-test --no-rollback-on-failure',
  'update Greeting --file flow.json',
]

/** A user with the files and the profiles that examples name; "production" is a remote deployment with the same data. */
export async function prepared(options: OperatorOptions): Promise<Operator> {
  const by = operator(options)
  mkdirSync(join(by.cwd, 'events'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(by.cwd, name), text)
  for (const folder of ['parley', 'practice']) {
    mkdirSync(join(by.cwd, folder, 'tests'), { recursive: true })
    writeFileSync(join(by.cwd, folder, 'tests', 'hello.yaml'), assistantTest)
  }
  for (const [name, flow] of Object.entries(flows)) writeFileSync(join(by.cwd, name), JSON.stringify(flow))
  mkdirSync(by.configDir, { recursive: true, mode: 0o700 })
  const profile = { base_url: 'https://assistants.example', api_key: localKey }
  const production = { ...profile, base_url: 'https://production.example' }
  writeFileSync(
    join(by.configDir, 'config.json'),
    JSON.stringify({ current: 'local', profiles: { staging: profile, production } }),
    { mode: 0o600 },
  )
  return by
}

/** Where an example ends in another way for a coding agent on a terminal. */
const agentExits: Readonly<Record<string, number>> = {
  // A chat is a conversation of a person; an agent has no lines on a pipe here.
  'conversations chat --assistant "Front desk" --var first_name=Anna': 2,
  'assistants chat --file parley/assistants/front-desk.yaml': 2,
  'conversations chat --assistant 1 --transcript chat.txt': 2,
  'conversations chat --assistant 1 --type widget --budget 0.50': 2,
  // Checks that write and spend need a person.
  'doctor --conformance --profile staging --writes --budget 10': 10,
}

/** Lines that have to be run before an example. */
export function started(line: string): string[] {
  if (/^automate .*Greeting\b/.test(line) && !/^automate create/.test(line))
    return automated.map((it) => `automate ${it}`)
  // Entries of the history have numbers: eleven changes, one more, and a deletion.
  if (/^history (get|diff|undo)/.test(line))
    return [
      ...Array.from({ length: 12 }, (_, n) => `tools update 2 --tool-timeout ${n + 1}`),
      ...(line.includes(' 13') ? ['tools delete 2 --confirm book_appointment'] : []),
    ]
  if (line.startsWith('assistants chat --file')) return ['pull']
  if (line.startsWith('assistants test')) return [`pull${line.includes(' practice') ? ' practice' : ''}`]
  if (line.startsWith('automate test automation-tests'))
    return [
      'automate create --name Saved --file flow.json',
      'automate runs save last --as-test automation-tests/saved.yaml',
    ]
  if (/^(push|diff)\b/.test(line)) return [`pull${line.match(/^\w+ practice/) ? ' practice' : ''}`]
  if (/^automate apply post-call-hot-lead-alert .*--confirm-side-effects/.test(line))
    return ['server connections create --kind mail']
  if (/^automate push/.test(line)) return [`automate pull${line.match(/ --folder \S+/)?.[0] ?? ''}`]
  if (/^server restore/.test(line)) return ['server backup parley.backup']
  if (/^server snapshot (restore|delete)/.test(line)) return ['server snapshot save before-tests']
  if (line.startsWith('server snapshot compare'))
    return ['server snapshot save before-tests', 'server snapshot save after-tests']
  if (line === 'server deliveries replay 1')
    return ['assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example/calls']
  if (/^server sheets \S+ contacts\b/.test(line) && !line.startsWith('server sheets create'))
    return [
      'server sheets create contacts --columns Name,Phone',
      'server sheets create contacts --sheet Archive --columns Name',
      'server sheets add-row contacts --cell Name=Ada',
    ]
  if (/^messaging get\b/.test(line)) return ['messaging send --sender 1 --template opening_hours --to +14155550111']
  return /^server connections (list|delete|break)/.test(line) ? ['server connections create --kind mail'] : []
}

async function perform(
  by: Operator,
  line: string,
  env: Readonly<Record<string, string>> = {},
  options: RunOptions = {},
): Promise<Run> {
  const [, bare = line, , into] = /^(.*?)(?: (<|>>?) (\S+))?$/.exec(line) ?? []
  return by.run(bare, {
    ...options,
    env,
    ...(line.includes(' < ') && { stdin: readFileSync(join(by.cwd, into as string), 'utf8') }),
    async connect() {
      const platform = await openPlatform({
        dataDir: by.dataDir,
        wall: () => today,
        durable: false,
        pid: process.pid,
        isAlive: () => true,
      })
      return {
        ...inProcessTransport(platform.handle),
        base: 'https://assistants.example',
        close: () => platform.close(),
      }
    },
  })
}

export const commands = await allCommands()

/** The examples as the help of a command shows them: long ones on several lines, to be pasted unchanged. */
export const shown = (words: string, command: Command): string =>
  commandHelp(words, command, 100).split('\nExamples:\n')[1]?.split('\n\n')[0] ?? ''

export const examples = commands.flatMap(([words, command]) =>
  shown(words, command)
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .map((line) => ({
      line: line.replace(/^ *parley /, ''),
      fresh: words === 'server seed',
      reads: riskOf(command) === 'read' && command.endpoint !== undefined,
      needsPerson: command.needsPerson === true,
    })),
)

/**
 * Runs examples as they stand in the help. Those that only read share a platform, and the others each have one. With an
 * agent it is a coding agent that runs them on a terminal.
 */
export function runExamples(some: typeof examples, agent?: Readonly<Record<string, string>>): void {
  describe(`examples of the help run unchanged${agent ? ' for a coding agent on a terminal' : ''}`, () => {
    let reader: Promise<Operator> | undefined
    const done = new Set<string>()

    for (const { line, fresh, reads, needsPerson } of some)
      test.skipIf(Object.hasOwn(skipped, line))(`parley ${line}`, async () => {
        const by = await (reads ? (reader ??= prepared({ lasts: 'file' })) : prepared({ fresh }))
        for (const before of started(line)) if (!reads || !done.has(before)) await by.run(before)
        if (reads) for (const before of started(line)) done.add(before)
        const { exitCode, stdout, stderr, asked } = await perform(
          by,
          line,
          agent,
          agent && { terminal: line.includes(' < ') ? { stdout: true, stderr: true } : true },
        )
        expect(exitCode, stderr).toBe(agent && needsPerson ? 10 : ((agent && agentExits[line]) ?? exits[line] ?? 0))
        if (!agent) return
        expect(asked).toEqual([])
        expect(stdout + stderr).not.toContain('\x1b')
        if (exitCode !== 0 && stdout === '') expect(Object.keys(JSON.parse(stderr))).toContain('error')
      })
  })
}

/** Examples that name no profile, with what runs them on a remote one: chosen by the environment, or by a flag. */
export const remoteExamples = examples
  .filter(({ line }) => !Object.hasOwn(skipped, line) && !/^(demo|help)\b|--(profile|dry-run|print-curl)\b/.test(line))
  .map(({ line, fresh, reads }) => ({
    line,
    reads,
    async run(profile: string, by: 'flag' | 'environment'): Promise<Run & { readonly isForPrograms: boolean }> {
      const user = await prepared({ fresh })
      for (const before of started(line)) await user.run(before)
      const confirmed = exits[line] === 10 ? `${line} --yes` : line
      const ran =
        by === 'flag'
          ? await perform(user, `--profile ${profile} ${confirmed}`)
          : await perform(user, confirmed, { PARLEY_PROFILE: profile })
      return { ...ran, isForPrograms: /(^| )(--json|--jq|-o \S+)/.test(line) }
    },
  }))
