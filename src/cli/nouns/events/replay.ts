import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { events } from '../../../contract/control/events.ts'
import { webhooks } from '../../../contract/control/webhooks.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { crypto } from '../../../node/crypto.ts'
import { stringifyJson } from '../../../node/json.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { signHeaders } from '../../../node/webhook-signature.ts'
import { command } from '../../program/commandline/command.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { requireControlAccess } from '../../program/connection/require-control-access.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { printEach } from '../../program/output/output.ts'
import type { System } from '../../program/system.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { accountFlag, resolveAccount } from '../server/connections.ts'
import { createForwarder } from './forwarder.ts'
import { listenSecret } from './listen-state.ts'
import { type RecordedEvent, readRecording } from './recorded-events.ts'
import { triggerKindOf } from './view.ts'

/** What happened to an event of a replay. Scripts read it as JSON: fields and words are added, not renamed. */
interface ReplayedEvent {
  readonly id: string
  readonly kind: string
  /**
   * `sent`: accepted. `refused`: the receiver answered with an error. `no_receiver`: the platform triggered it, and the
   * assistant has neither an automation nor a webhook for it. `unreachable`: there was no answer. `skipped`: it cannot be
   * triggered. `planned`: it would be sent.
   */
  readonly outcome: 'sent' | 'refused' | 'no_receiver' | 'unreachable' | 'skipped' | 'planned'
  /** HTTP status of the receiver. */
  readonly status: number | null
  /** What received the event, or why none did. */
  readonly detail: string | null
}

/** Sends one event. */
type EventSender = (event: RecordedEvent, replay: string) => Promise<Omit<ReplayedEvent, 'id' | 'kind'>>

/** Returns a sender that signs events like webhooks and sends them to a URL, under their recorded ids. */
async function urlSender(context: Context, target: string, account: () => Promise<number>): Promise<EventSender> {
  const forward = await createForwarder(context, target)
  const secret = await signingSecret(context, account)
  return async ({ id, payload }) => {
    const body = stringifyJson(payload)
    const headers = {
      'content-type': 'application/json',
      ...signHeaders([secret], id, Math.floor(context.system.now() / 1000), body),
    }
    const { status, error } = await forward({ headers, body })
    if (status === null) return { outcome: 'unreachable', status, detail: error }
    return { outcome: status >= 200 && status < 300 ? 'sent' : 'refused', status, detail: null }
  }
}

/** Returns the secret that also signs the events of `events listen` on this platform. */
async function signingSecret(context: Context, account: () => Promise<number>): Promise<string> {
  const { system } = context
  if ((await context.connection()).via !== 'remote' || system.env.PARLEY_CONTROL_TOKEN)
    return (await context.call(webhooks.secret, { account: await account() })).secret
  const { profileName, baseUrl } = await context.settings()
  const platformNow = await context.platformNow()
  return listenSecret(system, { profile: profileName.value, baseUrl: baseUrl.value, platformNow })
}

/** Returns a sender that triggers events of an assistant, which start its automations and reach its webhooks. */
const platformSender =
  (context: Context, account: number, assistant: number): EventSender =>
  async ({ id, kind, payload }, replay) => {
    const trigger = triggerKindOf(kind)
    if (!trigger) return { outcome: 'skipped', status: null, detail: 'no event of an assistant' }
    const { data, message } = await context.call(events.fire, {
      // The platform triggers an event with the same key once, so that a continued replay repeats none.
      ...{ kind: trigger, account, assistant_id: assistant, key: `${replay}-${id}`.slice(0, 255) },
      payload: payload as Record<string, unknown>,
    })
    if (data.holder === null) return { outcome: 'no_receiver', status: null, detail: message }
    return { outcome: 'sent', status: null, detail: data.run_id ?? data.target ?? message }
  }

/** What an unfinished replay has sent. It survives the end of the process at any moment. */
interface ReplayProgress {
  /** Id of this replay, the same after an interruption. */
  readonly replay: string
  /** Whether an earlier process was interrupted in this replay. */
  readonly isResumed: boolean
  has(event: string): boolean
  /** Saves an event as sent, before it returns. */
  add(event: string): void
  /** Forgets the replay: the next one starts at the beginning. */
  finish(): void
  close(): void
}

/**
 * Opens the progress of replaying a folder to a target. @throws ClientFailure `conflict` while another process replays it
 */
function openReplayProgress(system: System, folder: string, target: string): ReplayProgress {
  // An interrupted replay is found by this name: it never changes.
  const name = crypto().createHash('sha256').update(`${folder}\0${target}`).digest('hex').slice(0, 16)
  const file = join(dataDir(system), 'events', `replay-${name}.ndjson`)
  const { release } = lockWork(
    `${file}.lock`,
    system,
    (it) => `${it} is replaying ${folder} to ${target}. Nothing was sent.`,
  )
  const lines = [...readLines(file)].map((it) => parseJsonLine(it) ?? {})
  const started = lines.find((it) => typeof it.replay === 'string')?.replay
  const sent = new Set(lines.flatMap((it) => (typeof it.sent === 'string' ? [it.sent] : [])))
  const replay = typeof started === 'string' ? started : crypto().randomUUID()
  if (started === undefined) appendLines(file, [{ replay }], { isDurable: true })
  return {
    replay,
    isResumed: sent.size > 0,
    has: (event) => sent.has(event),
    add(event) {
      sent.add(event)
      appendLines(file, [{ sent: event }], { isDurable: true })
    },
    finish: () => rmSync(file, { force: true }),
    close: release,
  }
}

// The command has no endpoint with this field.
const { field: _, ...replayAccountFlag } = accountFlag

export const replay = command({
  summary: 'Send recorded events again',
  callsPlatform: true,
  risk: 'outside',
  supportsPreview: true,
  argument: { name: 'folder', describe: 'Folder of "parley events listen --record"' },
  exits: ['finding', 'connection', 'conflict', 'not_found'],
  flags: [
    { flags: '--forward-to <url>', describe: 'URL that receives each event, signed like a webhook' },
    { flags: '--assistant <id>', describe: 'Id, UUID or name of the assistant whose events are triggered' },
    replayAccountFlag,
  ],
  examples: [
    'events --forward-to http://127.0.0.1:3000/hooks',
    'events --assistant "Front desk"',
    'events --assistant 1 --dry-run',
  ],
  notes:
    'Sends the events of a folder in their order, each once. With --forward-to, a URL receives them with their recorded webhook-id and the secret of "parley events listen". With --assistant, the local platform triggers them as events of that assistant; other events are skipped.\nThe same command continues an interrupted replay. The exit code is 20 if a receiver refused an event or the assistant has no webhook and no automation for it, and 9 if the receiver could not be reached.',
  view: {
    id: (it: ReplayedEvent) => it.id,
    columns: [
      { key: 'kind', title: 'Event', priority: 1 },
      { key: 'outcome', title: 'Outcome', priority: 1, kind: 'status' },
      { key: 'status', title: 'Status', priority: 2, kind: 'number' },
      { key: 'detail', title: 'Detail', priority: 3, flexible: true },
    ],
    empty: 'The folder has no events.',
  },
  async run(context, { argument, flags }) {
    const { system, globals, notes, out } = context
    const folder = resolve(system.cwd, argument ?? (await promptFolder(context)))
    const target = flags.forwardTo === undefined ? undefined : String(flags.forwardTo)
    if ((target === undefined) === (flags.assistant === undefined))
      throw usageError(
        `${target === undefined ? 'Missing' : 'Only one of'} --forward-to or --assistant.`,
        'Pass --forward-to <url> to send the events to a URL, or --assistant <id> to trigger them on the local platform.',
      )
    if (target !== undefined && !/^https?:\/\/[^\s/]+/.test(target))
      throw usageError(`Invalid --forward-to URL "${target}".`, 'Pass a URL such as http://127.0.0.1:3000/hooks.')
    if (globals.printCurl) throw usageError('--print-curl cannot show several requests.', 'Use --dry-run.')
    const recorded = readRecording(folder)
    const account = (): Promise<number> => resolveAccount(context, flags.account)
    let place = target
    let send: EventSender
    if (place === undefined) {
      await requireControlAccess(context)
      const id = await resolveId(context, String(flags.assistant), assistantTarget, '--assistant')
      place = `assistant ${id}`
      send = platformSender(context, await account(), id)
    } else send = await urlSender(context, place, account)
    if (globals.dryRun) {
      const planned = recorded.map((event): ReplayedEvent => {
        const isSkipped = target === undefined && triggerKindOf(event.kind) === undefined
        return {
          id: event.id,
          kind: event.kind,
          outcome: isSkipped ? 'skipped' : 'planned',
          status: null,
          detail: place,
        }
      })
      await printEach(out, planned, { view: context.command.view })
      return notes.note('Dry run. Nothing was sent.')
    }
    if (target === undefined)
      await context.approvals.requirePlan(() => ({
        summary: `Trigger ${recorded.length} recorded events at ${place}?`,
        content: { place, events: recorded.map((it) => ({ id: it.id, kind: it.kind, sha256: hashJson(it) })) },
        allows: { [events.fire.name]: recorded.length },
      }))
    return sendRecording(context, { folder, place, recorded, send })
  },
})

/** Prompts for the folder. @throws ClientFailure `usage` without a terminal */
async function promptFolder(context: Context): Promise<string> {
  if (!context.interactive)
    throw usageError('Missing folder.', 'Pass the folder of "parley events listen --record <folder>".')
  return (await context.prompts()).input('Folder with the recorded events:', {
    validate: (it) => it !== '' || 'Enter a path.',
  })
}

interface Recording {
  readonly folder: string
  readonly place: string
  readonly recorded: readonly RecordedEvent[]
  readonly send: EventSender
}

/** Sends the events in order, prints each, and returns the exit code of the worst outcome. */
async function sendRecording(context: Context, { folder, place, recorded, send }: Recording): Promise<ExitName> {
  const { system, notes, out } = context
  const progress = openReplayProgress(system, folder, place)
  const counts = { sent: 0, refused: 0, no_receiver: 0, unreachable: 0, skipped: 0, planned: 0 }
  try {
    if (progress.isResumed) await notes.note('Resuming an interrupted replay.')
    const replayed = (async function* (): AsyncIterable<ReplayedEvent> {
      for (const event of recorded) {
        if (progress.has(event.id)) continue
        if (system.signal.aborted) return
        const result = await send(event, progress.replay)
        if (result.outcome === 'unreachable' && system.signal.aborted) return
        counts[result.outcome]++
        if (result.outcome !== 'unreachable') progress.add(event.id)
        yield { id: event.id, kind: event.kind, ...result }
        if (result.outcome === 'unreachable') return
      }
    })()
    await printEach(out, replayed, { view: context.command.view })
    const missing = recorded.filter((it) => !progress.has(it.id)).length
    if (missing === 0) progress.finish()
    await notes.note(
      `${counts.sent} sent to ${place}, ${counts.refused} refused, ${counts.no_receiver > 0 ? `${counts.no_receiver} without a receiver, ` : ''}${counts.skipped} skipped${missing > 0 ? `, ${missing} remaining. Run the same command to continue` : ''}.`,
    )
    if (counts.no_receiver > 0)
      await notes.note(
        'The events were triggered, but the assistant has no webhook and no automation for them. Enable a webhook, then run the same command: parley assistants enable-webhook --event <event> --webhook-url <url>. Or send them to a URL: --forward-to <url>.',
      )
    if (system.signal.aborted) return interruptedExit(system.signal)
    if (counts.unreachable > 0) return 'connection'
    return counts.refused + counts.no_receiver > 0 ? 'finding' : 'done'
  } finally {
    progress.close()
  }
}
