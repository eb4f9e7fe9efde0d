import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { commandLine } from '../../../client/requests/shell-quote.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { formatDuration } from '../../../contract/values/duration.ts'
import { stateText } from '../../../contract/values/states.ts'
import { stringifyJson } from '../../../node/json.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import { type Command, type Invocation, riskOf } from '../commandline/command.ts'
import { passingFailures } from '../connection/passing-failures.ts'
import { requireCapability } from '../connection/require-capability.ts'
import type { Context } from '../context.ts'
import { interruptedExit } from '../errors/interrupted-exit.ts'
import type { Shape } from '../output/format.ts'
import type { Output } from '../output/output.ts'
import { escapeControls } from '../terminal/safe-text.ts'
import { absent, type Waitable, type WaitIds, type WaitReader, type WaitRequest } from './waitable.ts'

/** The pause after the first read in milliseconds, how much longer each further one is, and the longest. */
const pauses = { firstMs: 500, factor: 1.5, maxMs: 10_000 } as const

/** Milliseconds that the last read may take after the time to wait is over. */
const graceMs = 5000
/** A timer cannot run longer. */
const maxTimerMs = 2 ** 31 - 1

/** A result that was held back until the wait is over. */
interface HeldResult {
  readonly record: object
  readonly shape: Shape<never> | undefined
}

/** What a command has started, or shows. */
interface Started {
  readonly ids: WaitIds
  readonly waitable: Waitable
}

/**
 * Runs a command, then waits for what it has started or shows. Programs get one record: the resource at the end of the wait.
 * @throws ClientFailure `timed_out` (14) after the result was printed
 */
export async function runAndWait(
  context: Context,
  command: Command,
  invocation: Invocation,
  given: WaitRequest,
): Promise<ExitName | undefined | void> {
  const { dryRun, printCurl } = context.globals
  if (dryRun || printCurl) return command.run(context, invocation)
  if (given.waitable.endpoint) await requireCapability(context, given.waitable.endpoint, {}, '--wait')
  const isRead = riskOf(command) === 'read'
  const { exit, held, started } = await runHolding(context, command, invocation, isRead)
  // People have read the sentence about a write.
  const printHeld = async (): Promise<void> => {
    if (held && (isRead || !context.out.isForPeople)) await context.out.record(held.record, held.shape)
  }
  const record = held?.record as { readonly id?: unknown } | undefined
  const found: Started | undefined =
    started ?? (record?.id === undefined ? undefined : { ids: { id: record.id }, waitable: given.waitable })
  // A failure of the command itself leaves nothing to wait for.
  if (!found || !(exit === undefined || isWaitedFor.has(exit))) {
    await printHeld()
    return exit
  }
  const request = { ...given, waitable: found.waitable }
  const end = await waitUntil(context, request, found.ids).catch(async (error: unknown) => {
    // A failure of the wait must not hide what was started.
    if (!isRead) await printHeld()
    throw error
  })
  await printEnd(context, { command, invocation, request, ids: found.ids, held, isRead }, end)
  if (end.outcome === 'timed_out') throw timedOut(context, request, found.ids, end)
  if (end.outcome !== 'reached')
    return end.outcome === 'interrupted' ? interruptedExit(context.system.signal) : 'finding'
  return exit === 'unknown' ? 'done' : exit
}

/** Ends of a command after which something is waited for. `unknown` is that of a command that reads something that still runs. */
const isWaitedFor: ReadonlySet<ExitName> = new Set<ExitName>(['done', 'unknown', 'finding', 'partial'])

interface HeldRun {
  readonly exit: ExitName | undefined
  readonly held: HeldResult | undefined
  readonly started: Started | undefined
}

/** Runs a command without printing the record for programs. A command that only reads prints nothing yet. */
async function runHolding(
  context: Context,
  command: Command,
  invocation: Invocation,
  isRead: boolean,
): Promise<HeldRun> {
  const { out } = context
  let held: HeldResult | undefined
  let started: Started | undefined
  const hold: Output['record'] = async (record, shape) => {
    held = { record, shape }
  }
  const holding: Output = {
    ...out,
    // A command that reads is asked for the record, whatever is printed in the end.
    isForPeople: out.isForPeople && !isRead,
    record: hold,
    result: async (item, forPeople, shape) => {
      await hold(item, shape)
      if (out.isForPeople && !isRead) await out.result(item, forPeople, shape)
    },
  }
  const own = Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      out: { value: holding, enumerable: true },
      nameStarted: {
        value: (ids: WaitIds, waitable: Waitable) => {
          started = { ids, waitable }
        },
        enumerable: true,
      },
    },
  ) as Context
  const exit = (await command.run(own, invocation)) as ExitName | undefined
  return { exit, held, started }
}

/** How a wait ended. */
interface WaitEnd {
  readonly outcome: 'reached' | 'ended_otherwise' | 'timed_out' | 'interrupted'
  /** The resource as it was read last; undefined if it was not read, or the platform does not have it. */
  readonly record: object | undefined
  /** Undefined if it was never read. */
  readonly state: string | undefined
  /** What is missing, or why it ended otherwise. */
  readonly detail: string | undefined
  /** Why the last read failed. */
  readonly failure: string | undefined
  readonly waitedMs: number
}

/**
 * Reads a resource until its condition is met or cannot be met any more, at growing intervals. Waits at least as long as the platform
 * asks for, and through failures after which a later read may succeed.
 */
function waitUntil(context: Context, request: WaitRequest, ids: WaitIds): Promise<WaitEnd> {
  const { system, notes, progress } = context
  const { waitable, condition, timeoutMs } = request
  const { reached, pending } = waitable.conditions[condition] as (typeof waitable.conditions)[string]
  const limitMs = Math.min(timeoutMs + graceMs, maxTimerMs)
  return withTimeLimit(limitMs, [system.signal], (signal) => {
    // The wait reports and repeats failures itself.
    const onWait = (): void => {}
    const from: WaitReader = { context, call: (endpoint, input) => context.call(endpoint, input, { signal, onWait }) }
    const beganAt = system.now()
    let pausedMs = 0
    // Pauses count also while the clock of this computer is set back.
    const waitedMs = (): number => Math.max(system.now() - beganAt, pausedMs)
    let record: object | undefined
    let state: string | undefined
    let failure: string | undefined
    const report = createReporter(context, request, ids)
    const checkClock = createClockCheck(context)
    const detailOf = async (): Promise<string | undefined> =>
      record && waitable.detailOf?.(from, record, ids).catch(() => undefined)
    const end = async (outcome: WaitEnd['outcome']): Promise<WaitEnd> => ({
      outcome,
      record,
      state,
      detail: outcome === 'reached' || failure !== undefined || signal.aborted ? undefined : await detailOf(),
      failure,
      waitedMs: waitedMs(),
    })

    return progress.showWhile(waitingText(waitable, ids), async (setText) => {
      for (let pauseMs: number = pauses.firstMs; ; pauseMs = Math.min(pauseMs * pauses.factor, pauses.maxMs)) {
        let askedMs = 0
        try {
          record = await readOrAbsent(waitable, from, ids)
          state = record === undefined ? absent : requireState(waitable.stateOf(record, context))
          failure = undefined
          if (reached.includes(state)) return end('reached')
          if (!pending.includes(state)) return end('ended_otherwise')
          await checkClock()
          await report.state(state, detailOf, setText)
        } catch (error) {
          if (system.signal.aborted) return end('interrupted')
          if (signal.aborted) return end('timed_out')
          if (!(error instanceof ClientFailure) || !passingFailures.has(error.exit)) throw error
          if (failure === undefined) await notes.warn(`${error.message} Still waiting.`)
          failure = error.message
          askedMs = (error.retryAfter ?? 0) * 1000
        }
        const leftMs = timeoutMs - waitedMs()
        if (leftMs <= 0) return end('timed_out')
        const ms = Math.min(Math.max(pauseMs, askedMs), leftMs)
        await context.pause(ms)
        pausedMs += ms
        if (system.signal.aborted) return end('interrupted')
        if (ms < askedMs) return end('timed_out')
      }
    })
  })
}

/** Time in which a clock that runs has moved, although responses have it in whole seconds. */
const minClockMs = 3000

/** Returns a check that warns once if the clock of the platform does not move, because then what is due later never begins. */
function createClockCheck({ system, notes, clockDifferenceMs }: Context): () => Promise<void> {
  let last: { readonly at: number; readonly platform: number } | undefined
  let isSaid = false
  return async () => {
    const [at, differenceMs] = [system.now(), clockDifferenceMs()]
    if (isSaid || differenceMs === undefined) return
    const platform = at + differenceMs
    if (!last || Math.abs(platform - last.platform) >= 1000) last = { at, platform }
    if (at - last.at < minClockMs) return
    isSaid = true
    await notes.warn(
      'The clock of the platform does not move, so what is due later does not happen. To continue: parley server clock resume.',
    )
  }
}

/** Returns the resource; undefined also if the platform answers that it does not exist. */
const readOrAbsent = (waitable: Waitable, from: WaitReader, ids: WaitIds): Promise<object | undefined> =>
  waitable.read(from, ids).catch((error: unknown) => {
    if (error instanceof ClientFailure && error.exit === 'not_found' && error.code !== 'no_route') return undefined
    throw error
  })

/** @throws TypeError for other values, which is reported as an invalid response */
function requireState(state: unknown): string {
  if (typeof state !== 'string') throw new TypeError('The resource has no state.')
  return state
}

/** `campaign 1`, or only the noun of what has no id of its own. */
const nameOf = ({ singular, shownBy }: Waitable, ids: WaitIds): string => {
  const argument = shownBy?.(ids).argument
  return argument === undefined ? singular : `${singular} ${argument}`
}

const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const clause = (state: string, detail: string | undefined): string =>
  `${stateText(state)}${detail === undefined ? '' : `, ${detail.replace(/\.$/, '')}`}`

/**
 * Shows the state of a wait: on the spinner of a terminal, and as an event with ndjson. Scripts read the event: fields
 * are added, not renamed.
 */
function createReporter({ out, system, globals }: Context, { waitable }: WaitRequest, ids: WaitIds) {
  const isEvents = isEventStream(out)
  const isShown = isEvents || (system.streams.stderr.isTTY && globals.quiet !== true)
  let shown: string | undefined
  return {
    async state(state: string, readDetail: () => Promise<string | undefined>, setText: (text: string) => void) {
      if (!isShown) return
      const detail = await readDetail()
      const text = clause(state, detail)
      if (text === shown) return
      shown = text
      setText(`${waitingText(waitable, ids)}: ${text}`)
      if (isEvents)
        await writeEvent(system, { type: 'state', resource: waitable.singular, ids, state, detail: detail ?? null })
    },
  }
}

const waitingText = (waitable: Waitable, ids: WaitIds): string => `Waiting for ${nameOf(waitable, ids)}`

/** Whether events are printed. With `--fields` only the record is. */
const isEventStream = ({ settings: { format, fields } }: Output): boolean => format === 'ndjson' && !fields

const writeEvent = ({ streams }: Context['system'], event: object): Promise<void> =>
  streams.stdout.write(escapeControls(`${stringifyJson(event)}\n`))

interface WaitedCommand {
  readonly command: Command
  readonly invocation: Invocation
  readonly request: WaitRequest
  readonly ids: WaitIds
  readonly held: HeldResult | undefined
  readonly isRead: boolean
}

/** Prints the end of a wait: the record for programs, a sentence for people. */
async function printEnd(
  context: Context,
  { command, invocation, request, ids, held, isRead }: WaitedCommand,
  { outcome, record, state, detail, waitedMs }: WaitEnd,
): Promise<void> {
  const { out, notes, system } = context
  const { waitable, condition } = request
  const result = waitable.addsToResult ? { ...held?.record, ...record } : (record ?? held?.record ?? ids)
  const name = sentenceCase(nameOf(waitable, ids))
  if (isEventStream(out)) await writeEvent(system, { type: 'end', outcome, condition, state, record: result })
  else if (isRead && record !== undefined && outcome !== 'interrupted') {
    const { argument, flags } = waitable.shownBy?.(ids) ?? {}
    const words = argument === undefined ? invocation.words : [argument]
    await command.run(context, { ...invocation, argument, words, flags: { ...invocation.flags, ...flags } })
  } else if (!out.isForPeople) {
    if (held || record) await out.record(result, held?.shape)
  } else if (outcome === 'reached' && state !== undefined)
    await out.done(`${name} is ${stateText(state)} after ${formatDuration(waitedMs / 1000)}.`)
  if (outcome === 'ended_otherwise' && state !== undefined)
    await notes.warn(`${name} is ${clause(state, detail)}. That ends the wait for "${condition}".`)
  if (outcome === 'interrupted')
    await notes.note(`Stopped waiting. ${continuingText(waitable)} ${againText(context, request, ids)}`)
}

const continuingText = ({ continuing, singular }: Waitable): string => continuing ?? `The ${singular} continues.`

/** Names the command that waits again, or shows what cannot be waited for again. */
const againText = (context: Context, request: WaitRequest, ids: WaitIds): string =>
  `${request.waitable.shownBy?.(ids).canWait === false ? 'See' : 'Wait again'}: ${againLine(context, request, ids)}`

/** Returns the command line that waits for the same, or only shows what cannot be waited for again. */
function againLine({ approvals }: Context, { waitable, condition }: WaitRequest, ids: WaitIds): string {
  const show = waitable.shownBy?.(ids)
  if (!show) return commandLine(approvals.origin.words)
  const { words, argument, flags = {}, canWait = true } = show
  const given = Object.entries(flags).flatMap(([name, value]) => [
    `--${name.replaceAll(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)}`,
    value,
  ])
  return commandLine([
    ...words.split(' '),
    ...(argument === undefined ? [] : [argument]),
    ...given,
    ...(canWait ? [`--wait=${condition}`] : []),
  ])
}

function timedOut(
  context: Context,
  request: WaitRequest,
  ids: WaitIds,
  { state, detail, failure }: WaitEnd,
): ClientFailure {
  const { waitable, condition, timeoutMs } = request
  const again = againLine(context, request, ids)
  const is = state === undefined ? '' : ` It is ${clause(state, detail)}.`
  return new ClientFailure({
    exit: 'timed_out',
    code: 'timed_out',
    message: `${sentenceCase(nameOf(waitable, ids))} did not reach "${condition}" within ${formatDuration(timeoutMs / 1000)}.${is}${failure === undefined ? '' : ` The last read failed: ${failure}`}`,
    hint: `${continuingText(waitable)} ${againText(context, request, ids)}`,
    next: [again],
  })
}
