import { expect } from 'vitest'
import { riskOf } from '../../../../src/cli/program/commandline/command.ts'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { deterministicUuid } from '../../../../src/platform/services/runtime/deterministic-uuid.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { type Operator, operator, type Run, type RunOptions, sampleSeed } from '../../../support/operator.ts'
import { postgresCommands } from '../../../support/postgres-commands.ts'
import { surroundings } from './terminal-settings.ts'

/** A command line that is run in every form. */
export interface Line {
  readonly line: string
  /** Lines that must have been run before. */
  readonly after?: readonly string[]
  readonly prints: 'list' | 'record'
  readonly fresh?: boolean
  /** Its table is what was said, a line each, without a header. */
  readonly isSpoken?: boolean
  /** Without -o it prints a document instead of a table. */
  readonly isDocument?: true
  /** What is piped in. */
  readonly stdin?: string
  /** With ndjson it tells what happens on the way, and last of all the record. */
  readonly tellsEvents?: true
}

const made = '--name weather --description "Tell the weather" --endpoint https://weather.example --method GET'
const assistant =
  '--name Desk --type inbound --mode pipeline --llm-model-id 1 --language-id 1 --voice-id 1 --timezone UTC --initial-message Hello --system-prompt Help.'
const staging = 'profile set staging --url https://platform.example'
const fault = 'server faults create tools.list --status 503'
const bought = 'numbers buy +15005550006 --yes'

const rubric = 'version: 1\nname: Short\ncriteria:\n  - {id: short, check: {max_messages: 100}}\n'

const trigger =
  '{"name":"trigger","type":"PIECE_TRIGGER","settings":{"pieceName":"@engine/piece-webhook","triggerName":"catch_webhook","input":{"authType":"none"}}}'
const coded = (code: string): string =>
  `{"trigger":${trigger},"steps":[{"type":"CODE","settings":{"sourceCode":{"code":"${code}","packageJson":"{}"},"input":{}}}]}`
const greeting = `automate create --name Greeting --flow '${coded('export const code = async () => 1')}'`
const another = `automate update Greeting --flow '${coded('export const code = async () => 2')}'`
const connected = 'server connections create --kind mail'
const mailed =
  'automate apply post-call-transcript-email --assistant-id 1 --param recipient_email=team@northwind.example --confirm-side-effects'
const sheet = 'server sheets create contacts --columns Name,Phone'
const sheetRow = 'server sheets add-row contacts --cell Name=Ada --cell Phone=+14155550142'
const heard = 'server simulate message --sender 1 --from +14155550142 --text Hello'
const shown = 'assistants enable-webhook Recall --event post-call --webhook-url https://hooks.invalid'
const replayable = 'assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example/calls'
const fired = 'events fire post_call --assistant Recall'

const secrets = createSecretGenerator(sampleSeed)

/** The key every operator's world begins with. */
const localKey = `1|${secrets('key local', 40)}`
/** A conversation of the type test that every operator's world begins with. */
const conversation = deterministicUuid(secrets('conversation 3', 40))

/** Lines of commands whose first example needs more than the sample data. */
const preparedLines: readonly Line[] = [
  { line: 'keys create --name laptop', prints: 'record' },
  { line: 'keys delete 2 --yes', prints: 'record' },
  { line: 'tools get 2', prints: 'record' },
  { line: `tools create ${made}`, prints: 'record' },
  { line: 'tools update 2 --tool-timeout 20', prints: 'record' },
  { line: 'calls delete 1 --yes', prints: 'record' },
  { line: 'numbers get 1', prints: 'record' },
  { line: 'leads get 5', prints: 'record' },
  { line: 'keys get 1', prints: 'record' },
  { line: 'tools delete 2 --confirm book_appointment', prints: 'record' },
  { line: 'assistants get 1', prints: 'record' },
  { line: `assistants create ${assistant}`, prints: 'record' },
  { line: 'assistants update 1 --max-duration 300', prints: 'record' },
  { line: 'assistants delete Recall --yes', prints: 'record' },
  { line: 'assistants deactivate 1', prints: 'record' },
  { line: 'assistants activate 1', prints: 'record' },
  { line: 'assistants enable-webhook 1 --event inbound --webhook-url https://hooks.example', prints: 'record' },
  { line: 'assistants disable-webhook 1 --event post-call', prints: 'record' },
  { line: 'campaigns get 1', prints: 'record' },
  { line: 'campaigns create --name Recall --assistant Recall', prints: 'record' },
  { line: 'campaigns start 1 --yes', prints: 'record' },
  { line: 'campaigns stop 1 --yes', after: ['campaigns start 1 --yes'], prints: 'record' },
  { line: 'campaigns delete 1 --yes', prints: 'record' },
  { line: 'leads create --campaign 1 --phone-number +14155550111 --var first_name=Anna', prints: 'record' },
  {
    line: 'contacts import --channel sms --file -',
    stdin: 'phone\n+14155550111\n',
    prints: 'record',
    tellsEvents: true,
  },
  { line: 'leads import --campaign 1 --file -', stdin: 'phone\n+14155550111\n', prints: 'record', tellsEvents: true },
  { line: 'leads update 5 --status completed', prints: 'record' },
  { line: 'leads delete 5 --yes', prints: 'record' },
  { line: 'numbers search --country GB', prints: 'list' },
  { line: bought, prints: 'record' },
  { line: 'numbers update 4 --nickname Reception', prints: 'record' },
  { line: 'numbers release 4 --confirm "Front desk"', prints: 'record' },
  { line: 'voices list', prints: 'list' },
  ...['folders', 'labels'].flatMap((noun): Line[] => [
    { line: `${noun} list`, prints: 'list' },
    { line: `${noun} create --name Other`, prints: 'record' },
    { line: `${noun} update 1 --name Other`, prints: 'record' },
    { line: `${noun} delete 1 --yes`, prints: 'record' },
  ]),
  { line: 'knowledge get 1', prints: 'record' },
  { line: 'knowledge search 1 cleaning', prints: 'list' },
  { line: 'knowledge create --name Other', prints: 'record' },
  { line: 'knowledge update 1 --name Other', prints: 'record' },
  { line: 'knowledge delete 1 --confirm "Practice handbook"', prints: 'record' },
  { line: 'knowledge documents list 1', prints: 'list' },
  { line: 'knowledge documents get 1 --knowledge 1', prints: 'record' },
  { line: 'knowledge documents create 1 --name Prices --url https://northwind.example', prints: 'record' },
  { line: 'knowledge documents update 1 --knowledge 1 --name Prices', prints: 'record' },
  { line: 'knowledge documents delete 1 --knowledge 1 --yes', prints: 'record' },
  { line: 'knowledge documents list 1', prints: 'list' },
  { line: 'knowledge documents get 2 --knowledge 1', prints: 'record' },
  { line: 'knowledge documents create 1 --name Fees --url https://northwind.example/fees', prints: 'record' },
  { line: 'knowledge documents update 2 --knowledge 1 --name Hours', prints: 'record' },
  { line: 'knowledge documents delete 2 --knowledge 1 --yes', prints: 'record' },
  { line: 'sip-trunks get Reception', prints: 'record' },
  {
    line: 'sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk-2002 --sip-password secret --sip-address pbx.example --sip-calling-format e164 --inbound-authorization-type auth --country-code US',
    prints: 'record',
  },
  { line: 'sip-trunks update Reception --nickname Desk', prints: 'record' },
  { line: 'sip-trunks delete Reception --yes', prints: 'record' },
  { line: 'messaging senders --status all', prints: 'list' },
  { line: 'messaging templates 1', prints: 'list' },
  { line: 'messaging send --sender 1 --template opening_hours --to +14155550111', prints: 'record' },
  {
    line: 'messaging get 1',
    after: ['messaging send --sender 1 --template opening_hours --to +14155550111'],
    prints: 'record',
  },
  { line: 'messaging get-template 1 --sender 1', prints: 'record' },
  { line: 'messaging session --sender 1 --to +14155550142', prints: 'record' },
  { line: `conversations get ${conversation}`, prints: 'record' },
  { line: 'conversations start --assistant Recall --type test', prints: 'record' },
  { line: `conversations send ${conversation} --message Hello`, prints: 'record' },
  { line: `conversations chat ${conversation}`, stdin: 'Hello\nThank you\n', prints: 'list', isSpoken: true },
  { line: 'conversations export --assistant "Front desk" --redact', prints: 'list', isDocument: true },
  { line: `conversations enable-ai ${conversation}`, prints: 'record' },
  { line: `conversations disable-ai ${conversation}`, prints: 'record' },
  { line: 'calls get 2', prints: 'record' },
  { line: 'calls export --since 2020-01-01', prints: 'list', isDocument: true },
  { line: 'calls search appointment', prints: 'list' },
  { line: 'calls judge --rubric -', stdin: rubric, prints: 'list' },
  { line: 'conversations judge --rubric -', stdin: rubric, prints: 'list' },
  { line: 'automate list', after: [greeting], prints: 'list' },
  { line: 'automate get Greeting', after: [greeting], prints: 'record' },
  { line: greeting, prints: 'record' },
  { line: 'automate update Greeting --name Other', after: [greeting], prints: 'record' },
  { line: another, after: [greeting], prints: 'record' },
  { line: 'automate enable Greeting', after: [greeting], prints: 'record' },
  { line: 'automate disable Greeting', after: [greeting], prints: 'record' },
  { line: 'automate delete Greeting --yes', after: [greeting], prints: 'record' },
  { line: 'automate restore Greeting --yes', after: [greeting, another], prints: 'record' },
  { line: 'automate versions list Greeting', after: [greeting, another], prints: 'list' },
  { line: 'automate versions get Greeting --number 1', after: [greeting, another], prints: 'record' },
  { line: 'automate runs list Greeting', after: [greeting], prints: 'list' },
  { line: 'automate runs get last', after: [greeting], prints: 'record' },
  {
    line: 'automate diff Greeting --file -',
    after: [greeting],
    stdin: coded('export const code = async () => 1'),
    prints: 'record',
  },
  { line: 'automate test --file -', stdin: coded('export const code = async () => 1'), prints: 'record' },
  { line: 'automate pull --folder flows --dry-run', prints: 'list' },
  {
    line: 'assistants chat --file parley/assistants/front-desk.yaml --message Hello',
    after: ['pull'],
    prints: 'record',
  },
  { line: 'audit', prints: 'list' },
  { line: 'automate push --folder flows', after: ['automate pull --folder flows'], prints: 'list' },
  { line: 'automate templates', prints: 'list' },
  { line: 'automate templates lead-intake-webhook', prints: 'record' },
  { line: 'automate apply lead-intake-webhook --param campaign_id=1 --confirm-side-effects', prints: 'record' },
  { line: 'automate lint --file -', stdin: coded('export const code = async () => 1'), prints: 'list' },
  { line: 'server connections list', after: [connected], prints: 'list' },
  { line: connected, prints: 'record' },
  { line: 'server connections break mail', after: [connected], prints: 'record' },
  { line: 'server connections delete mail --yes', after: [connected], prints: 'record' },
  { line: 'server mail list', after: [connected, mailed], prints: 'list' },
  { line: 'server sheets list', after: [sheet], prints: 'list' },
  { line: sheet, prints: 'record' },
  { line: 'server sheets rows contacts', after: [sheet, sheetRow], prints: 'list' },
  { line: sheetRow, after: [sheet], prints: 'record' },
  { line: 'server sheets update-row contacts --row 2 --cell Name=Grace', after: [sheet, sheetRow], prints: 'record' },
  { line: 'server sheets delete-row contacts --row 2 --yes', after: [sheet, sheetRow], prints: 'record' },
  { line: 'events fire inbound --assistant Recall', prints: 'record' },
  { line: 'events list', after: [heard], prints: 'list' },
  { line: 'server deliveries list', after: [shown, fired], prints: 'list' },
  { line: 'server deliveries get 1', after: [shown, fired], prints: 'record' },
  { line: 'server deliveries replay 1', after: [replayable], prints: 'record' },
  { line: 'server webhooks secret', prints: 'record' },
  { line: 'server webhooks sender 1 --webhook-url https://hooks.example', prints: 'record' },
  { line: 'server webhooks runs --webhook-url https://hooks.example', prints: 'record' },
  { line: heard, prints: 'record' },
  { line: 'server simulate template --sender 1 --template summer_whitening --status approved', prints: 'record' },
  { line: 'server simulate sender --sender 1 --status offline', prints: 'record' },
  {
    line: 'server simulate call --phone-number +14155550142 --assistant Recall --direction outbound',
    prints: 'record',
  },
  { line: 'server simulate payment', prints: 'record' },
  { line: 'server simulate release --number +14155550199', prints: 'record' },
  { line: 'server simulate failure --provider channel.send', prints: 'record' },
  { line: `server simulate end --conversation ${conversation}`, prints: 'record' },
  { line: `server simulate run --steps '[{"advance":"1m"}]'`, prints: 'record', isSpoken: true },
  { line: 'server clock until subscription', prints: 'record' },
  { line: 'server requests', prints: 'list' },
  { line: 'server snapshot list', after: ['server snapshot save now'], prints: 'list' },
  { line: 'server snapshot save now', prints: 'record' },
  { line: 'server snapshot compare now', after: ['server snapshot save now'], prints: 'record' },
  { line: 'server snapshot restore now --yes', after: ['server snapshot save now'], prints: 'record' },
  { line: 'server snapshot delete now --yes', after: ['server snapshot save now'], prints: 'record' },
  { line: 'server backup it.backup --replace', prints: 'record' },
  { line: 'server restore it.backup --confirm data', after: ['server backup it.backup --replace'], prints: 'record' },
  { line: 'server migrate --to ./moved', prints: 'record' },
  { line: 'server purge --yes', prints: 'record' },
  { line: 'profile list', prints: 'list' },
  { line: 'profile get --origin', prints: 'record' },
  { line: staging, prints: 'record' },
  { line: 'profile use staging', after: [staging], prints: 'record' },
  { line: 'profile delete staging --yes', after: [staging], prints: 'record' },
  { line: 'server status', prints: 'record' },
  { line: 'server stop', prints: 'record' },
  { line: 'server seed --seed 7', prints: 'record', fresh: true },
  { line: 'server reset --seed 7 --yes', prints: 'record' },
  { line: 'server check', prints: 'list' },
  { line: 'server accounts list', prints: 'list' },
  { line: 'server accounts create --name Second', prints: 'record' },
  { line: 'server accounts update 1 --top-up 5', prints: 'record' },
  { line: 'server accounts key 1', prints: 'record' },
  { line: 'server accounts delete 2 --yes', after: ['server accounts create --name Second'], prints: 'record' },
  { line: 'server accounts ledger 1', prints: 'list' },
  { line: 'server clock get', prints: 'record' },
  { line: 'server clock freeze', prints: 'record' },
  { line: 'server clock advance 1h', prints: 'record' },
  { line: 'server clock resume', prints: 'record' },
  { line: 'server faults list', after: [fault], prints: 'list' },
  { line: fault, prints: 'record' },
  { line: 'server faults delete 1', after: [fault], prints: 'record' },
  { line: 'server faults clear', prints: 'record' },
  { line: 'ops list', after: [bought], prints: 'list' },
  { line: 'ops reconcile', prints: 'list' },
  { line: 'history list', after: ['tools update 2 --tool-timeout 20'], prints: 'list' },
  { line: 'history list --all-writes', after: ['tools update 2 --tool-timeout 20'], prints: 'list' },
  { line: 'history get 1', after: ['tools update 2 --tool-timeout 20'], prints: 'record' },
  {
    line: 'history diff 1',
    after: ['tools update 2 --tool-timeout 20', 'tools update 2 --tool-timeout 15'],
    prints: 'record',
  },
  { line: 'history undo 1', after: ['tools update 2 --tool-timeout 20'], prints: 'record' },
  { line: 'pull practice --dry-run', prints: 'list' },
  { line: 'diff practice', after: ['pull practice'], prints: 'list' },
  { line: 'promote undo --to local', prints: 'list' },
  { line: 'push practice', after: ['pull practice'], prints: 'list' },
  { line: 'login second --url embedded: --api-key-stdin', stdin: localKey, prints: 'record' },
  { line: 'doctor', prints: 'list' },
  { line: 'doctor --voice', prints: 'list' },
  ...[
    'assistants 1',
    'tools lookup_patient',
    'automate "Opening hours"',
    'numbers 4',
    'sip-trunks Reception',
    'campaigns 1',
    'senders 1',
    'templates 1',
    'knowledge 1',
    'folders 1',
    'labels 1',
    'languages English',
    'voices 1',
    'models 2',
    'synthesizers 1',
    'transcribers 1',
  ].map((it): Line => ({ line: `refs ${it}`, prints: 'list' })),
  { line: 'stop --all --yes', prints: 'record' },
  { line: 'resume --yes', after: ['stop --all --yes'], prints: 'record' },
  { line: 'whoami', prints: 'record' },
  { line: 'api --list', prints: 'list' },
  { line: 'schema tools.create', prints: 'record' },
  { line: 'commands numbers', prints: 'list', isDocument: true },
]

/** Lines about the data folder and its server themselves, which are not the same with a server in it. */
export const elsewhere = /^(server (status|stop|migrate)|doctor|profile|whoami)\b/

/** Commands that print text in any output form, or run until they are stopped. */
export const text = ['help', 'completion', 'demo', 'server start', 'ui', 'open', 'mcp']

/** Commands that need more than lines before them, each tested elsewhere: scenarios in files, the id of a spend, a run that failed, somebody who hears, a message that was sent, a key in a profile. */
export const elsewhereTested = [
  'ops get',
  'ops approve',
  'ops decline',
  'ops run',
  'ops wait',
  'ops close',
  'automate retry',
  'automate runs cancel',
  'calls stop',
  'contacts cancel-waiting',
  'contacts send-waiting',
  'keys rotate',
  'automate runs retry',
  'automate runs rerun',
  'automate runs save',
  'events listen',
  'events replay',
  'server simulate receipt',
  'server drain',
  ...postgresCommands,
  'assistants test',
]

/** The first example of every other command. */
const exampleLines = (await allCommands())
  .filter(([words]) => !preparedLines.some(({ line }) => `${line} `.startsWith(`${words} `)))
  .filter(([words]) => !text.includes(words) && !elsewhereTested.includes(words))
  .map(
    ([words, { endpoint, examples = [] }]): Line => ({
      line: `${words} ${examples[0] ?? ''}`.trim(),
      prints: endpoint?.items === undefined ? 'record' : 'list',
    }),
  )

/** A line of every command that answers with data. */
export const lines: readonly Line[] = [...preparedLines, ...exampleLines]

const plainTerminals = { NO_COLOR: '1', CI: '1', TERM: 'dumb' }

export const linesOf = (stdout: string): string[] => stdout.split('\n').slice(0, -1)
/** What differs between two runs: ids of requests and of journal entries, and where a server listens. */
export const stable = (stdout: string): string =>
  stdout
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'embedded:')
    // The local platform has no address before that of an automation.
    .replaceAll('embedded:/automate/', '/automate/')
    .replaceAll(/parley-operator-\w+/g, '<folder>')
    .replaceAll(/(\bms"?: ?)\d+/g, '$10')

export const untyped = ({ type: _, ...rest }: { readonly type: string }): object => rest

export interface LineRuns {
  /** Whether the command only reads. */
  readonly reads: Promise<boolean>
  /** Runs the line with more flags; the same twice is run once. */
  perform(more: string, surrounding?: string): Promise<Run>
  /** Runs it with -o json over a socket, in the public vocabulary. */
  performInPublic(): Promise<Run>
}

let reader: Operator | undefined

/** Returns the operator of all reading lines of a file that need nothing before them. */
function sharedReader(): Operator {
  if (reader) return reader
  afterFile(() => {
    reader = undefined
  })
  reader = operator({ lasts: 'file', env: plainTerminals })
  return reader
}

/** Runs of one line. Reading lines share a platform; each write has its own. */
export function runsOf(line: Line): LineRuns {
  const runs = new Map<string, Promise<Run>>()
  const command = findCommand(line.line.split(' ')).node?.load?.()
  const reads = (async () => {
    const loaded = await command
    return loaded !== undefined && riskOf(loaded) === 'read'
  })()
  let shared: Operator | undefined

  async function perform(more: string, surrounding = ''): Promise<Run> {
    const known = runs.get(more + surrounding)
    if (known) return known
    const stdin: RunOptions = line.stdin === undefined ? {} : { stdin: line.stdin }
    const started = (async () => {
      // Commands without an endpoint may write files.
      if ((await reads) && (await command)?.endpoint && !line.after && !line.fresh) shared ??= sharedReader()
      const by = shared ?? operator({ lasts: 'file', fresh: line.fresh ?? false, env: plainTerminals })
      if (!shared) for (const before of line.after ?? []) expect((await by.run(before)).exitCode, before).toBe(0)
      if (await reads) shared = by
      const options = surroundings[surrounding]
      const piped = line.stdin !== undefined && options?.terminal ? { terminal: { stdout: true, stderr: true } } : {}
      return by.run(`${line.line} ${more}`, { ...stdin, ...options, ...piped })
    })()
    runs.set(more + surrounding, started)
    return started
  }

  async function performInPublic(): Promise<Run> {
    const by = operator({ lasts: 'file', fresh: line.fresh ?? false, env: plainTerminals, supports: 'public' })
    for (const before of line.after ?? []) expect((await by.run(before)).exitCode, before).toBe(0)
    return by.run(`${line.line} -o json`, line.stdin === undefined ? {} : { stdin: line.stdin })
  }
  return { perform, performInPublic, reads }
}
