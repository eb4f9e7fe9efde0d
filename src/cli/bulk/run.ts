import { setMaxListeners } from 'node:events'
import type { Wait } from '../../client/call.ts'
import { ClientFailure } from '../../client/failure.ts'
import type { Standing } from './bar.ts'
import { bodyOf, problemsOf } from './check.ts'
import { type Wanted, workThrough } from './crew.ts'
import { keyOf, settleDoubt } from './doubt.ts'
import { dropKept, failedRows } from './failed-rows.ts'
import type { Verdict } from './kind.ts'
import { createPace } from './pace.ts'
import { type Row, readRows } from './rows.ts'
import { createTelling } from './telling.ts'
import { type Job, saying } from './work-order.ts'

/** What a run did. */
export interface Performed {
  readonly done: number
  readonly already: number
  readonly failed: number
  readonly invalid: number
  readonly unknown: number
  /** Done by earlier runs. */
  readonly before: number
  /** Rows whose recipient was sent the same content before. */
  readonly reached: number
  /** Good rows that are still to do. */
  readonly left: number
  readonly seconds: number
  /** Where the rows are that failed or were left out. */
  readonly failedFile: string | undefined
  /** What ended it before its end, and would have been the same for every further row. */
  readonly stopped: unknown
  /** What was wrong with the first row that failed. */
  readonly firstFailure: ClientFailure | undefined
}

/** Milliseconds that rows under way have to end after Ctrl-C. */
const graceMs = 10_000
/** Further tries of a row where the platform fails, with a pause that doubles (ms). */
const tries = { most: 4, baseMs: 500 }
/** So many answers one after the other that say nothing are reason enough to stop. */
const mostUnknown = 3
/** Milliseconds between writes of the ledger. */
const flushMs = 100

/** Sends what is to be sent. Ends early, and cleanly, on Ctrl-C and where going on is of no use. */
export async function perform(job: Job): Promise<Performed> {
  const { context, kind, ledger, checked, source, written, mapping, flags, plan } = job
  const { world } = context
  const userKey = context.spending.idempotencyKey
  if (userKey !== undefined && !(await context.has('idempotency')))
    await context.notes.warn('This platform does not advertise idempotency: it may carry out the same --idempotency-key twice.')
  const before = ledger.count('done') + ledger.count('already')
  const doubt = await settleDoubt(context, kind, ledger)
  const found = ledger.count('done') + ledger.count('already') - before
  const counts = { done: found, already: 0, failed: 0, invalid: 0, unknown: 0 }
  await dropKept(context, ledger)
  const failed = failedRows(world, source, written, flags.failed, ledger)
  const began = world.now()
  const elapsed = (): number => (world.now() - began) / 1000
  let firstFailure: ClientFailure | undefined
  let stopped: unknown
  let unknownInRow = 0
  let begunHere = 0

  const standing = (): Standing => {
    const here = counts.done - found + counts.already + counts.failed + counts.unknown
    return {
      settled: before + found + here + counts.invalid,
      all: checked.rows,
      rate: here / Math.max(elapsed(), 0.001),
      failed: counts.failed + counts.invalid,
      unknown: counts.unknown,
    }
  }
  const telling = createTelling(context, kind.doing, standing)

  // No further row once somebody wants an end; those under way end by themselves, or are cut off after a while.
  const soft = new AbortController()
  const hard = new AbortController()
  // Every row under way listens to it.
  setMaxListeners(0, hard.signal)
  let grace: NodeJS.Timeout | undefined
  const interrupted = (): void => {
    soft.abort()
    grace = setTimeout(() => hard.abort(world.signal.reason), graceMs)
  }
  if (world.signal.aborted) interrupted()
  else world.signal.addEventListener('abort', interrupted, { once: true })
  const stop = (error: unknown): void => {
    stopped ??= error
    soft.abort()
  }

  const { limit } = kind.endpoint
  const pace = createPace({ lanes: kind.lanes, limit, sleep: world.sleep })
  const onWait = ({ waitMs }: Wait): void => pace.held(waitMs)
  const flushing = setInterval(() => {
    try {
      ledger.flush()
      plan.flush()
    } catch (error) {
      stop(error)
    }
  }, flushMs)

  function settle(row: Row, status: 'done' | 'already' | 'failed' | 'unknown', more: { id?: number | string | undefined; error?: ClientFailure } = {}): void {
    ledger.end(row.at, status)
    counts[status] += 1
    unknownInRow = status === 'unknown' ? unknownInRow + 1 : 0
    const { id, error } = more
    if (status === 'done') plan.done(row, world.now())
    if (status === 'failed') {
      firstFailure ??= error
      failed.add(row, error ? inOneCell(error) : '', plan.keyOf(row))
    }
    telling.row(row, checked.numbers.numberOf(row.at), { status, id, ...(error && { error: inOneCell(error) }) })
  }

  /** One row to its end. @throws what ends the whole run */
  async function work(row: Row): Promise<void> {
    const body = bodyOf(row, mapping, kind, checked.numbers)
    const isSentAgain = ledger.runOf(row.at) !== ledger.run
    const idempotencyKey = kind.isKeyed
      ? userKey === undefined
        ? keyOf(ledger, row.at)
        : `${userKey}-${kind.allowsTwice ? row.at : plan.keyOf(row)}`
      : undefined
    // What is paced takes its turn when it is written down and nothing else is left to do but leave.
    const more = {
      signal: hard.signal,
      isTracked: true,
      onWait,
      ...(limit && { ready: () => pace.turn(soft.signal) }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    }
    for (let attempt = 1; ; attempt++) {
      try {
        const { output, headers } = await context.call.raw(kind.endpoint, body as never, more)
        pace.heard(headers)
        return settle(row, 'done', { id: kind.idOf(output) })
      } catch (error) {
        if (!(error instanceof ClientFailure)) throw error
        // It stays begun: the next run finds out.
        if (error.exit === 'interrupted') return
        const verdict = judged(error, attempt, isSentAgain || attempt > 1, doubt.repeated.has(row.at))
        if (verdict === 'again') {
          pace.held(tries.baseMs)
          await world.sleep(tries.baseMs * 2 ** (attempt - 1), hard.signal).catch(() => {})
          if (hard.signal.aborted) return
          continue
        }
        if (verdict === 'stop') {
          // What was certainly not carried out need not be asked about: the next run does it.
          if (error.sent !== true || (error.status !== undefined && error.status < 500)) ledger.end(row.at, 'failed')
          return stop(error)
        }
        settle(row, verdict, { error })
        if (unknownInRow >= mostUnknown) stop(error)
        return
      }
    }
  }

  function judged(error: ClientFailure, attempt: number, isSentAgain: boolean, isKnownKey: boolean): Verdict | 'done' {
    // The key is claimed in the transaction that does the work: who has it did it.
    if (isKnownKey && kind.endpoint.risk !== 'spends' && /^idempotency_(busy|conflict)$/.test(error.code)) return 'done'
    const verdict = kind.judge(error)
    if (verdict === 'already' && isSentAgain) return 'done'
    return verdict === 'again' && attempt >= tries.most ? 'stop' : verdict
  }

  /** Most rows are decided at once, and waiting for each would be most of the work. */
  function wants(row: Row): Wanted | Promise<Wanted> {
    if (checked.isBad(row.at)) return leftOut(row)
    const state = ledger.stateOf(row.at)
    if (state === 'done' || state === 'already') return 'no'
    if (plan.isReached(row.at)) return 'no'
    if (doubt.unknown.has(row.at) || plan.isHeld(row.at)) {
      counts.unknown += 1
      return 'no'
    }
    if (begunHere >= job.todo) return 'enough'
    begunHere += 1
    return 'yes'
  }

  async function leftOut(row: Row): Promise<'no'> {
    counts.invalid += 1
    failed.add(row, saying(await problemsOf(row, mapping, kind, checked.numbers)), plan.keyOf(row))
    return 'no'
  }

  try {
    await workThrough({
      rows: readRows(source, written),
      wants,
      work,
      begin: kind.isKeyed ? (row) => ledger.beginAs(row, doubt.repeated.has(row) ? ledger.runOf(row) : ledger.run) : ledger.begin,
      batch: kind.isKeyed ? 1 : kind.lanes,
      pace,
      paced: limit === undefined,
      signal: soft.signal,
      drained: telling.drained,
    })
  } catch (error) {
    stopped ??= error
  } finally {
    clearInterval(flushing)
    clearTimeout(grace)
    world.signal.removeEventListener('abort', interrupted)
  }
  await telling.stop().catch(stop)
  try {
    ledger.flush()
  } catch (error) {
    stop(error)
  }
  const left = checked.rows - before - counts.done - counts.already - counts.failed - checked.bad - counts.unknown - plan.reached
  return { ...counts, before, reached: plan.reached, left, seconds: Math.max(0, elapsed()), failedFile: failed.close(), stopped, firstFailure }
}

/** A failure as a cell of a table: what the platform said, and of which fields. */
const inOneCell = ({ message, details }: ClientFailure): string =>
  [message, ...details.filter((it) => it.message !== message).map((it) => (it.path === '' ? it.message : `${it.path}: ${it.message}`))].join(' ')
