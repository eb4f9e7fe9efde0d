import { paginate } from '../../../client/paginate.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { Call, calls } from '../../../contract/resources/calls.ts'
import * as z from '../../../contract/schema/schema.ts'
import { stateText } from '../../../contract/values/states.ts'
import { command, type Invocation } from '../../program/commandline/command.ts'
import { previewRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { parseCount } from '../../program/input/count-flag.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import type { View } from '../../program/output/format.ts'
import { printEach } from '../../program/output/output.ts'
import { showUnlessPrinted } from '../../program/terminal/progress.ts'
import { safeText } from '../../program/terminal/safe-text.ts'
import { assistantFlag, target } from '../assistants/view.ts'
import { escapeMarkdown } from '../conversations/exported-conversation.ts'
import { type Period, parsePeriod, periodFlags } from '../conversations/period.ts'
import { messagesOf } from '../conversations/scenario-from-transcript.ts'
import { nameOfRole, positionOf, printMatches, requireText } from '../conversations/text-search.ts'
import type { RecordingEntry } from './recordings/manifest.ts'
import { saveRecordings } from './recordings/save-recordings.ts'

/**
 * An exported call; with `--recordings` also what is known of its recording. Users keep exports, and scripts read them:
 * fields are added, not renamed.
 */
export const ExportedCall = z.object({
  ...Call.shape,
  recording: z
    .object({
      status: z.enum(['saved', 'damaged', 'expired', 'failed', 'none']) satisfies z.ZodType<RecordingEntry['status']>,
      file: z.string().nullable(),
      sha256: z.string().nullable(),
      size_bytes: z.int().nullable(),
      error: z.string().nullable(),
    })
    .nullable()
    .optional()
    .describe('With --recordings; null while the call is in progress'),
})
type ExportedCall = z.output<typeof ExportedCall>

const exportView: View<ExportedCall> = { id: (it) => it.id, columns: [], empty: 'No calls.' }

/** Reads the calls that the flags select, newest first. */
export async function readCalls(
  context: Context,
  { flags, input }: Pick<Invocation, 'flags' | 'input'>,
): Promise<{ readonly filters: Record<string, unknown>; readonly contains: Period['contains'] }> {
  const given = flags.assistant ?? input.assistant_id
  const assistant = given === undefined ? {} : { assistant_id: await resolveId(context, String(given), target) }
  const period = await parsePeriod(context, flags)
  return { filters: { ...period.filters, ...input, ...assistant }, contains: period.contains }
}

/** Yields the calls of all pages that are in a period, at most `limit`. */
export async function* callsIn(
  { call, system }: Context,
  filters: Record<string, unknown>,
  contains: Period['contains'],
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Call> {
  let left = limit
  if (left <= 0) return
  const found = paginate<typeof calls.list, Call>(call, calls.list, filters, { all: true, signal: system.signal })
  for await (const one of found) {
    if (contains && !contains(one)) continue
    yield one
    if (--left <= 0) return
  }
}

/** What happened to the recordings of an export. */
interface Tally {
  calls: number
  saved: number
  savedBefore: number
  /** Calls that ended without a recording. */
  without: number
  bytes: number
  readonly expired: string[]
  readonly damaged: string[]
  readonly failed: string[]
}

export const exportCalls = command({
  endpoint: calls.list,
  summary: 'Export calls and their recordings',
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [
    assistantFlag,
    ...periodFlags('calls'),
    { flags: '--recordings <path>', describe: 'Folder to download recordings to, with a manifest' },
  ],
  exits: ['partial', 'conflict', 'interrupted'],
  examples: [
    '--since yesterday -o ndjson',
    '--assistant Recall --limit 100 -o csv',
    '--since 7d --recordings recordings -o ndjson > calls.ndjson',
  ],
  notes:
    'Prints transcripts in Markdown; other formats have one record for each call. Sorted from newest to oldest; --limit exports fewer.\nWith --recordings, each recording is a file that is named by the id of its call, and manifest.ndjson in the folder has one line for each call: status, file, SHA-256, size. Run the same command again after an interruption, or later for new calls: what is saved is not downloaded again, and a damaged file is. Links that have expired are listed. The exit code is 11 when a link has expired, a recording could not be downloaded or a damaged file not be replaced.\nRecordings are requested directly, without a proxy, and without the API key, unless the platform itself has them. Private addresses are refused; PARLEY_PRIVATE_ADDRESSES allows them.',
  view: exportView,
  async run(context, { flags, input }): Promise<ExitName | undefined> {
    const { globals, notes, out, system } = context
    const { filters, contains } = await readCalls(context, { flags, input })
    if (await previewRequest(context, calls.list, filters)) return undefined
    const source = callsIn(context, filters, contains, parseCount(globals.limit, '--limit'))
    const tally: Tally = {
      calls: 0,
      saved: 0,
      savedBefore: 0,
      without: 0,
      bytes: 0,
      expired: [],
      damaged: [],
      failed: [],
    }
    const folder = typeof flags.recordings === 'string' ? flags.recordings : undefined
    let showCount = (): void => {}
    async function* exported(): AsyncGenerator<ExportedCall> {
      if (folder === undefined) {
        for await (const call of source) {
          tally.calls++
          yield call
        }
        return
      }
      for await (const { call, recording, isNew } of saveRecordings(context, source, folder)) {
        count(tally, recording, isNew)
        showCount()
        yield { ...call, recording: recording && shownRecording(recording) }
      }
    }
    const print = async (setText: (text: string) => void): Promise<void> => {
      showCount = () => setText(`Exporting calls: ${tally.calls}, ${tally.saved} recordings saved`)
      if (out.isForPeople) {
        for await (const call of exported()) await system.streams.stdout.write(safeText(toMarkdown(call)))
        if (tally.calls === 0) await notes.note(exportView.empty)
      } else await printEach(out, exported(), { view: exportView, schema: ExportedCall })
    }
    try {
      await showUnlessPrinted(context, 'Exporting calls', print)
    } catch (error) {
      if (!system.signal.aborted || folder === undefined) throw error
      await notes.note('Stopped. To continue, run the same command again: what is saved is not downloaded again.')
      return interruptedExit(system.signal)
    }
    if (folder === undefined) return undefined
    await noteTally(context, tally, folder)
    return tally.expired.length + tally.damaged.length + tally.failed.length > 0 ? 'partial' : undefined
  },
})

function count(tally: Tally, recording: RecordingEntry | null, isNew: boolean): void {
  tally.calls++
  if (recording?.status === 'saved') {
    if (isNew) tally.saved++
    else tally.savedBefore++
    if (isNew) tally.bytes += recording.size_bytes ?? 0
  }
  if (recording?.status === 'none') tally.without++
  if (recording?.status === 'expired') tally.expired.push(String(recording.call_id))
  if (recording?.status === 'damaged' || recording?.status === 'failed')
    tally[recording.status].push(`${recording.call_id} (${recording.error?.replace(/\.$/, '')})`)
}

const shownRecording = ({ status, file, sha256, size_bytes, error }: RecordingEntry): ExportedCall['recording'] => ({
  status,
  file,
  sha256,
  size_bytes,
  error,
})

/** Number of calls that a warning names. */
const maxNamed = 20

const named = (all: readonly string[]): string =>
  `${all.slice(0, maxNamed).join(', ')}${all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''}`

async function noteTally(
  { notes }: Context,
  { saved, savedBefore, without, bytes, expired, damaged, failed }: Tally,
  folder: string,
): Promise<void> {
  const before = savedBefore > 0 ? ` ${savedBefore} ${savedBefore === 1 ? 'was' : 'were'} saved before.` : ''
  const none = without > 0 ? ` ${without} ${without === 1 ? 'call has' : 'calls have'} no recording.` : ''
  await notes.note(
    `Saved ${saved} ${saved === 1 ? 'recording' : 'recordings'} (${(bytes / 1_000_000).toFixed(1)} MB) in ${folder}.${before}${none}`,
  )
  if (expired.length > 0) await notes.warn(`The links of these calls have expired: ${named(expired)}.`)
  if (damaged.length > 0) await notes.warn(`These files are damaged: ${named(damaged)}.`)
  if (failed.length > 0) await notes.warn(`These recordings were not downloaded: ${named(failed)}.`)
}

/** Returns a call with its transcript in Markdown. */
function toMarkdown({ id, recording, ...call }: ExportedCall): string {
  const about = [
    `Assistant: ${call.assistant_name ?? ''}`,
    `Customer: ${call.client_phone_number ?? ''}`,
    `Status: ${stateText(call.status)}, ${call.duration} s`,
    `Started: ${call.created_at}`,
    ...(recording
      ? [
          `Recording: ${recording.file ?? recording.status}${recording.sha256 === null ? '' : `, SHA-256 ${recording.sha256}`}`,
        ]
      : []),
  ]
  const lines = messagesOf(call.transcript ?? '').map(
    ({ role, content }) => `**${nameOfRole(role)}:** ${escapeMarkdown(content)}\n`,
  )
  return `## Call ${id}\n\n${about.map((line) => `- ${line}\n`).join('')}\n${lines.join('\n')}\n`
}

/** A message of a call that contains the text. Scripts read it as JSON: fields are added, not renamed. */
export const CallMessage = z.object({
  call_id: z.int(),
  assistant_name: z.string().nullable(),
  client_phone_number: z.string().nullable(),
  created_at: z.string(),
  message: z.int().describe('Position in the call, from 1'),
  role: z.string(),
  content: z.string(),
})
type CallMessage = z.output<typeof CallMessage>

const searchView: View<CallMessage> = {
  id: (it) => it.call_id,
  columns: [
    { key: 'call_id', title: 'Call', priority: 1, kind: 'number' },
    { key: 'assistant_name', title: 'Assistant', priority: 3, flexible: true },
    { key: 'client_phone_number', title: 'Customer', priority: 3 },
    { key: 'created_at', title: 'Started', priority: 4, kind: 'time' },
    { key: 'message', title: 'Message', priority: 5, kind: 'number' },
    { key: 'role', title: 'Role', priority: 2 },
    { key: 'content', title: 'Content', priority: 1, flexible: true },
  ],
  empty: 'No transcripts contain this text.',
}

export const search = command({
  endpoint: calls.list,
  summary: 'Search transcripts of calls',
  argument: { name: 'text', describe: 'Text to find, regardless of case', isVariadic: true },
  filledFields: ['assistant_id', 'page', 'per_page'],
  flags: [assistantFlag, ...periodFlags('calls')],
  examples: ['appointment', '"root canal" --assistant Recall --limit 20', 'invoice --since 7d -o ndjson'],
  notes:
    'Reads the calls from newest to oldest and prints what was said with the text in it. --limit stops after that many messages. Show a call: parley calls get <id>.',
  view: searchView,
  async run(context, { argument, flags, input }) {
    const text = await requireText(context, argument?.trim() ?? '')
    const { filters, contains } = await readCalls(context, { flags, input })
    if (await previewRequest(context, calls.list, filters)) return
    const limit = parseCount(context.globals.limit, '--limit') ?? Number.POSITIVE_INFINITY
    let [found, searched] = [0, 0]
    let showSearched = (_: string): void => {}
    async function* matches(): AsyncGenerator<readonly CallMessage[]> {
      if (limit <= 0) return
      for await (const call of callsIn(context, filters, contains)) {
        showSearched(`Searching calls: ${++searched}, ${found} messages found`)
        const rows = toMessages(call)
          .filter(({ content }) => positionOf(content, text) >= 0)
          .slice(0, limit - found)
        found += rows.length
        if (rows.length > 0) yield rows
        if (found >= limit) return
      }
    }
    const { out, notes } = context
    if (!out.isForPeople || !out.settings.terminal)
      return showUnlessPrinted(context, 'Searching calls', async (setText) => {
        showSearched = setText
        await out.pages(matches(), { view: searchView, schema: CallMessage })
      })
    for await (const rows of matches()) {
      const [{ call_id, assistant_name, client_phone_number, created_at }] = rows as readonly [CallMessage]
      const about = [assistant_name, client_phone_number, created_at].filter((it) => it !== null).join(', ')
      await printMatches(context, { title: `Call ${call_id}`, about }, rows, text)
    }
    if (found === 0) await notes.note(searchView.empty)
  },
})

/** Returns what was said in a call. A transcript in another form is one message. */
function toMessages(call: Call): CallMessage[] {
  const transcript = call.transcript ?? ''
  const messages = messagesOf(transcript)
  const said =
    messages.length > 0 || transcript.trim() === '' ? messages : [{ role: 'transcript', content: transcript }]
  return said.map(({ role, content }, n) => ({
    call_id: call.id,
    assistant_name: call.assistant_name,
    client_phone_number: call.client_phone_number,
    created_at: call.created_at,
    message: n + 1,
    role,
    content,
  }))
}
