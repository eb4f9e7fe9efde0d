import { resolve } from 'node:path'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { command } from '../../program/commandline/command.ts'
import { requireControlAccess } from '../../program/connection/require-capability.ts'
import type { Context } from '../../program/context.ts'
import { interruptedExit } from '../../program/errors/interrupted-exit.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { resolveId } from '../../program/input/resolve-target.ts'
import { printEach } from '../../program/output/output.ts'
import { target as assistantTarget } from '../assistants/view.ts'
import { accountFlag, resolveAccount } from '../server/connections.ts'
import { type RecordedEvent, readRecording } from './recorded-events.ts'
import { type EventSender, platformSender, type ReplayedEvent, urlSender } from './replay-events.ts'
import { openReplayProgress } from './replay-progress.ts'
import { triggerKindOf } from './view.ts'

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
