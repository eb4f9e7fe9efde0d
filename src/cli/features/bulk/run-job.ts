// Sends the checked rows of a file. run-rows.ts has checked them and asked before; print-summary.ts prints the result.

import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Wait } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { failureFromResponse } from '../../../client/failures/failure-from-response.ts'
import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import { isInProgress, type JournalEntry } from '../../../client/journal/open-operations.ts'
import { toOutcomeDetail } from '../../../client/journal/outcome-detail.ts'
import { wireCode } from '../../../contract/errors/failures.ts'
import { waitingOf } from '../../../contract/values/waiting-answer.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Context } from '../../program/context.ts'
import { lockLostError } from '../../program/errors/lock-work.ts'
import { type BulkJob, errorText, joinProblems, maxSkippedRows, type SkippedRow } from './bulk-job.ts'
import { failedRows, removeFailedFile } from './failed-rows.ts'
import { type ProgressSnapshot, showProgress } from './progress-bar.ts'
import { resolveUnknownRows, rowIdempotencyKey } from './resolve-unknown.ts'
import type { RowBatches, RowResult, Verdict } from './row-operation.ts'
import { buildBody, describeProblems } from './rows/check-rows.ts'
import { type Row, readRows } from './rows/read-rows.ts'
import { rowPrice } from './rows-budget.ts'
import { createRateLimiter, type RowDecision, runWorkerPool } from './worker-pool.ts'

/** Reported outcome of one row. Events of ndjson have its statuses: they are added, not renamed. */
interface RowOutcome {
  readonly status: 'done' | 'already' | 'failed' | 'waiting' | 'skipped' | 'unknown'
  readonly id?: number | string | undefined
  readonly error?: string
}

/** Reports progress: a bar or lines on stderr, events on stdout for ndjson, ids on stdout for `id`. */
interface RowReporter {
  row(row: Row, phone: string | undefined, outcome: RowOutcome): void
  /**
   * Resolves when the pending output was written; returns undefined if waiting is unnecessary. @throws ClosedPipe,
   * OutputFailed
   */
  drained(): Promise<void> | undefined
  clear(): void
  stop(): Promise<void>
}

/** Milliseconds between progress events. */
const progressMs = 1000
/** Number of pending characters above which rows wait for the output. */
const maxPendingLength = 64 * 1024

/** Creates the reporter for the output format of the command. */
function createReporter(context: Context, doing: string, snapshot: () => ProgressSnapshot): RowReporter {
  const { globals, out, system } = context
  const { format } = out.settings
  const isEvents = format === 'ndjson'
  // With a JSON or YAML format, stderr carries at most the error document.
  const quiet =
    globals.quiet === true || (format === 'json' || isEvents || format === 'yaml' ? globals.verbose !== true : false)
  const shown = showProgress({ stderr: system.streams.stderr, env: system.env, doing, snapshot, quiet })
  let waiting = ''
  let writing: Promise<void> | undefined
  let failure: unknown

  function flush(): void {
    if (writing || waiting === '') return
    const text = waiting
    waiting = ''
    writing = system.streams.stdout
      .write(text)
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => {
        writing = undefined
        flush()
      })
  }
  const enqueue = (text: string): void => {
    waiting += text
  }
  const timers = isEvents || format === 'id' ? [realTime.setInterval(flush, 50)] : []
  if (isEvents)
    timers.push(
      realTime.setInterval(
        () => enqueue(`${stringifyJson({ type: 'progress', ...roundRate(snapshot()) })}\n`),
        progressMs,
      ),
    )

  async function drain(): Promise<void> {
    while (writing) await writing
    if (failure) throw failure
  }

  return {
    row(row, phone, { status, id, error }) {
      if (format === 'id') return id === undefined ? undefined : enqueue(`${id}\n`)
      if (isEvents)
        enqueue(
          `${stringifyJson({ type: 'item', line: row.line, phone_number: phone ?? null, status, id: id ?? null, error: error ?? null })}\n`,
        )
    },
    drained() {
      if (failure) return drain()
      if (waiting.length < maxPendingLength) return undefined
      flush()
      return drain()
    },
    clear: shown.clear,
    async stop() {
      shown.stop()
      for (const timer of timers) realTime.clearInterval(timer)
      flush()
      await drain()
    },
  }
}

const roundRate = (it: ProgressSnapshot): ProgressSnapshot => ({ ...it, rate: Math.round(it.rate * 10) / 10 })

/** Result of sending the rows. */
export interface JobResult {
  readonly done: number
  readonly already: number
  readonly failed: number
  readonly invalid: number
  /** Rows that wait on the platform until the contact hours are open. */
  readonly waiting: number
  /** Rows whose recipients have opted out. */
  readonly skipped: number
  /** The first of these rows. */
  readonly skippedRows: readonly SkippedRow[]
  readonly unknown: number
  /** The unknown ones that another process sends at the moment. */
  readonly inProgress: number
  /** Rows done by earlier runs. */
  readonly doneBefore: number
  /** Rows whose recipient was sent the same content before. */
  readonly alreadySent: number
  /** Valid rows that remain to be sent. */
  readonly left: number
  readonly seconds: number
  /** Cost of the rows done by this run in USD; null if it is not known. */
  readonly costUsd: number | null
  /** File with the failed and the skipped rows. */
  readonly failedFile: string | undefined
  /** Error that stopped the run early, because it would have failed every further row. */
  readonly stopReason: unknown
  /** Error of the first row that failed. */
  readonly firstFailure: ClientFailure | undefined
}

/** Milliseconds that rows in flight have to finish after Ctrl-C. */
const graceMs = 10_000
/** Maximum attempts for a row if the platform fails, and the first pause in milliseconds; it doubles each time. */
const tries = { max: 4, baseMs: 500 }
/** Number of consecutive responses with an unknown outcome after which the run stops. */
const maxUnknownInRow = 3
/** Milliseconds between writes of the progress file. */
const flushMs = 100

/** Maximum number of requests with many rows in flight: one that the platform works on, and one that it has next. */
const batchConcurrency = 3
/** Maximum characters of the rows of a request. The limit of a body is 2 MB, and a character has up to 3 bytes. */
const maxBatchLength = 600_000

/** Why a row was skipped before it was sent. */
const optedOutError = 'The recipient has opted out.'

/** A row with the body of a request for it alone. */
interface BuiltRow {
  readonly row: Row
  readonly body: Record<string, unknown>
}

/** Divides rows into parts that fit into a request. */
function splitBySize(rows: readonly BuiltRow[]): BuiltRow[][] {
  const parts: BuiltRow[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const built of rows) {
    const own = stringifyJson(built.body).length
    if (length + own > maxBatchLength) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(built)
    length += own
  }
  return parts
}

/**
 * Returns how to send many rows together; undefined if each is sent alone, because the platform cannot do it, or because
 * an approval counts the rows.
 */
async function findBatches({ context, operation: { batches } }: BulkJob): Promise<RowBatches | undefined> {
  const { approvals } = context
  if (!batches) return undefined
  if (approvals.origin.approved !== undefined || (await approvals.isRequired())) return undefined
  return (await context.supports(batches.capability)) ? batches : undefined
}

/** A response that lacks the results of some rows says nothing about them, and is asked for again. */
const incompleteResults = (results: number, rows: number): ClientFailure =>
  new ClientFailure({
    exit: 'platform',
    code: 'unexpected_answer',
    message: `The platform returned ${results} results for ${rows} rows.`,
    status: 200,
    sent: true,
  })

/** Sends the rows. Stops early and cleanly on Ctrl-C and after errors that would fail every row. */
export async function runJob(job: BulkJob): Promise<JobResult> {
  const { context, operation, progress, checkResult, source, encoding, mapping, flags, plan, budget } = job
  const { system } = context
  const userKey = context.writeSettings.idempotencyKey
  if (userKey !== undefined && !(await context.supports('idempotency')))
    await context.notes.warn(
      'This platform does not advertise idempotency: it may carry out the same --idempotency-key twice.',
    )
  let batches = await findBatches(job)
  const platform = (await context.settings()).baseUrl.value
  const before = progress.finished()
  const unknownRows = await resolveUnknownRows(context, operation, progress)
  const resolvedBefore = progress.finished() - before
  const counts = { done: resolvedBefore, already: 0, failed: 0, invalid: 0, waiting: 0, skipped: 0, unknown: 0 }
  await removeFailedFile(context, progress)
  const failed = failedRows(system, source, encoding, flags.failed, progress)
  const began = system.now()
  const elapsed = (): number => (system.now() - began) / 1000
  const skippedRows: SkippedRow[] = []
  let firstFailure: ClientFailure | undefined
  let stopped: unknown
  let unknownInRow = 0
  let startedCount = 0
  let costUsd: number | null = 0

  const snapshot = (): ProgressSnapshot => {
    const here =
      counts.done - resolvedBefore + counts.already + counts.failed + counts.waiting + counts.skipped + counts.unknown
    return {
      settled: before + resolvedBefore + here + counts.invalid,
      all: checkResult.rows,
      rate: here / Math.max(elapsed(), 0.001),
      failed: counts.failed + counts.invalid,
      unknown: counts.unknown,
    }
  }
  const reporter = createReporter(context, operation.progressVerb, snapshot)

  // An interrupt starts no further row. Rows in flight may finish; they are aborted after a grace period.
  const stopStarting = new AbortController()
  const abortInFlight = new AbortController()
  // Every row in flight listens to this signal.
  setMaxListeners(0, abortInFlight.signal)
  let grace: NodeJS.Timeout | undefined
  const interrupted = (): void => {
    stopStarting.abort()
    grace = realTime.setTimeout(() => abortInFlight.abort(system.signal.reason), graceMs)
  }
  if (system.signal.aborted) interrupted()
  else system.signal.addEventListener('abort', interrupted, { once: true })
  const stop = (error: unknown): void => {
    stopped ??= error
    stopStarting.abort()
  }

  const isLocked = (): boolean => {
    const isHeld = job.isLocked()
    if (!isHeld) stop(lockLostError(source.name))
    return isHeld
  }

  /** Rows that another process sends at the moment. */
  const heldRows = new Map<number, JournalEntry>()
  const { limit } = operation.endpoint
  const rateLimiter = createRateLimiter({ concurrency: operation.concurrency, limit, sleep: system.sleep })
  const onWait = ({ waitMs }: Wait): void => rateLimiter.onThrottled(waitMs)
  const flushing = realTime.setInterval(() => {
    try {
      progress.flush()
      plan.flush()
    } catch (error) {
      stop(error)
    }
  }, flushMs)

  function settle(
    row: Row,
    status: RowOutcome['status'],
    more: { id?: number | string | undefined; error?: ClientFailure } = {},
  ): void {
    // A recipient who opts in again gets the row with the next run.
    progress.end(row.at, status === 'skipped' ? 'failed' : status)
    counts[status] += 1
    unknownInRow = status === 'unknown' ? unknownInRow + 1 : 0
    const { id, error } = more
    if (status === 'done' || status === 'waiting') plan.recordDone(row, system.now())
    if (status === 'skipped') listSkipped(row)
    if (status === 'failed') {
      firstFailure ??= error
      failed.add(row, error ? errorText(error) : '', plan.keyOf(row))
    }
    reporter.row(row, checkResult.numbers.numberOf(row.at), { status, id, ...(error && { error: errorText(error) }) })
  }

  function listSkipped({ at, line }: Row): void {
    if (skippedRows.length < maxSkippedRows.listed)
      skippedRows.push({ line, phone_number: checkResult.numbers.numberOf(at) ?? '' })
  }

  /** Reserves the price of a row. A row that the budget does not cover is not sent, and stops the run. */
  function reserve(row: Row, body: Readonly<Record<string, unknown>>): number | undefined | 'exhausted' {
    try {
      return budget?.reserve(body)
    } catch (error) {
      progress.end(row.at, 'failed')
      stop(error)
      return 'exhausted'
    }
  }

  async function beforeAttempt(): Promise<void> {
    await rateLimiter.acquire(stopStarting.signal)
    if (!isLocked()) throw stopped
  }

  /** Sends rows until their outcomes are known, together if the platform can. @throws errors that stop the whole run */
  async function work(rows: readonly Row[]): Promise<void> {
    if (!batches) {
      for (const row of rows) {
        if (rows.length > 1 && stopStarting.signal.aborted) return
        await workAlone(row)
      }
      return
    }
    const built = rows.map((row) => ({ row, body: buildBody(row, mapping, operation, checkResult.numbers) }))
    for (const part of splitBySize(built)) {
      if (stopStarting.signal.aborted || (await workTogether(part, batches)) === 'stopped') return
    }
  }

  /** Sends rows with one request, which is repeated under the same key until their outcomes are known. */
  async function workTogether(
    rows: readonly BuiltRow[],
    { endpoint, bodyOf, resultsOf }: RowBatches,
  ): Promise<'stopped' | undefined> {
    const idempotencyKey = randomUUID()
    const bodies = rows.map((it) => it.body)
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await context.call.raw(endpoint, bodyOf(bodies), {
          signal: abortInFlight.signal,
          isTracked: true,
          onWait,
          idempotencyKey,
        })
        rateLimiter.onResponse(reply.headers)
        const results = resultsOf(reply.output, bodies)
        if (results.length !== rows.length) throw incompleteResults(results.length, rows.length)
        for (const [n, { row }] of rows.entries()) settleResult(row, results[n] as RowResult)
        return undefined
      } catch (error) {
        if (!(error instanceof ClientFailure)) throw error
        // The rows stay started in the progress file; the next run resolves them.
        if (error.exit === 'interrupted') return 'stopped'
        // A server of an earlier version behind the same address, or one that injects faults into requests for one row.
        if (error.code === wireCode('no_route')) {
          batches = undefined
          await work(rows.map((it) => it.row))
          return undefined
        }
        const verdict = classify(error, attempt, false, false)
        if (verdict === 'again') {
          await pauseBefore(attempt + 1)
          if (abortInFlight.signal.aborted) return 'stopped'
          continue
        }
        if (verdict === 'stop') {
          if (isRefusedWrite(error)) for (const { row } of rows) progress.end(row.at, 'failed')
          stop(error)
          return 'stopped'
        }
        for (const { row } of rows) settle(row, verdict, { error })
        if (unknownInRow >= maxUnknownInRow) stop(error)
        return undefined
      }
    }
  }

  /** Records the result of a row that was sent with others. */
  function settleResult(row: Row, { status, id, error }: RowResult): void {
    if (status < 400) return settle(row, 'done', { id: id ?? undefined })
    const failure = failureFromResponse(
      operation.endpoint,
      { status, headers: {}, body: stringifyJson(error) },
      { base: platform, now: system.now() },
    )
    const verdict = classify(failure, tries.max, progress.runOf(row.at) !== progress.run, false)
    if (verdict === 'stop' || verdict === 'again') {
      progress.end(row.at, 'failed')
      return stop(failure)
    }
    settle(row, verdict, { error: failure })
  }

  /** Waits before another attempt, longer each time, and lets fewer requests be in flight. */
  async function pauseBefore(attempt: number): Promise<void> {
    rateLimiter.onThrottled(tries.baseMs)
    await system.sleep(tries.baseMs * 2 ** (attempt - 2), abortInFlight.signal).catch(() => {})
  }

  /** Sends one row until its outcome is known. @throws errors that stop the whole run */
  async function workAlone(row: Row): Promise<void> {
    const body = buildBody(row, mapping, operation, checkResult.numbers)
    const priceUsd = reserve(row, body)
    if (priceUsd === 'exhausted') return
    const knownUsd = priceUsd ?? rowPrice(job, body)
    const isRepeat = progress.runOf(row.at) !== progress.run
    const idempotencyKey = operation.usesIdempotencyKeys
      ? userKey === undefined
        ? rowIdempotencyKey(progress, row.at)
        : `${userKey}-${operation.allowsDuplicates ? row.at : plan.keyOf(row)}`
      : undefined
    // A rate-limited row waits for its turn after it is recorded, immediately before it is sent.
    const more = {
      signal: abortInFlight.signal,
      isTracked: true,
      priceUsd: knownUsd,
      findEarlier: () => (concurrent = plan.findConcurrent(row.at, idempotencyKey ?? '')),
      onWait,
      ...(limit && { beforeAttempt }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    }
    let concurrent: JournalEntry | undefined
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await context.call.raw(operation.endpoint, body, more)
        rateLimiter.onResponse(reply.headers)
        // The platform sends and charges it when the hours are open, so a rerun must not, and its price stays reserved.
        if (waitingOf(reply.output)) return settle(row, 'waiting')
        const cost = toOutcomeDetail(reply).costUsd ?? knownUsd
        if (priceUsd !== undefined) budget?.settle(priceUsd, cost ?? priceUsd)
        costUsd = costUsd === null || cost === undefined ? null : costUsd + cost
        return settle(row, 'done', { id: operation.idOf(reply.output) })
      } catch (error) {
        if (!(error instanceof ClientFailure)) throw error
        // The row stays started in the progress file; the next run resolves it.
        if (error.exit === 'interrupted') return
        if (concurrent) {
          if (priceUsd !== undefined) budget?.settle(priceUsd, 0)
          progress.end(row.at, 'failed')
          return void heldRows.set(row.at, concurrent)
        }
        const verdict = classify(error, attempt, isRepeat || attempt > 1, unknownRows.repeated.has(row.at))
        if (verdict === 'again') {
          await pauseBefore(attempt + 1)
          if (abortInFlight.signal.aborted) return
          continue
        }
        if ((verdict === 'failed' || verdict === 'skipped') && priceUsd !== undefined) budget?.settle(priceUsd, 0)
        if (verdict === 'stop') {
          // A row that was certainly not carried out needs no resolution; the next run sends it.
          if (isRefusedWrite(error)) progress.end(row.at, 'failed')
          return stop(error)
        }
        settle(row, verdict, { error })
        if (unknownInRow >= maxUnknownInRow) stop(error)
        return
      }
    }
  }

  function classify(error: ClientFailure, attempt: number, isRepeat: boolean, isKnownKey: boolean): Verdict | 'done' {
    // The key is claimed in the transaction that does the work, so a claimed key means that the work was done.
    if (isKnownKey && operation.endpoint.risk !== 'spends' && /^idempotency_(busy|conflict)$/.test(error.code))
      return 'done'
    const verdict =
      error.code === wireCode('contacts.blocked')
        ? 'skipped'
        : error.code === wireCode('contacts.never_open')
          ? 'failed'
          : operation.classifyFailure(error)
    if (verdict === 'already' && isRepeat) return 'done'
    return verdict === 'again' && attempt >= tries.max ? 'stop' : verdict
  }

  /**
   * Decides what to do with a row. Most decisions are synchronous, because awaiting each one would dominate the run
   * time.
   */
  function decide(row: Row): RowDecision | Promise<RowDecision> {
    if (checkResult.isBad(row.at)) return skipBadRow(row)
    if (progress.isFinished(row.at)) return 'no'
    if (plan.isAlreadySent(row.at)) return 'no'
    if (job.isOptedOut(row.at)) {
      counts.skipped += 1
      listSkipped(row)
      reporter.row(row, checkResult.numbers.numberOf(row.at), { status: 'skipped', error: optedOutError })
      return 'no'
    }
    if (unknownRows.unknown.has(row.at) || plan.isUnresolved(row.at)) {
      counts.unknown += 1
      return 'no'
    }
    if (startedCount >= job.todo) return 'enough'
    if (!isLocked()) return 'enough'
    startedCount += 1
    return 'yes'
  }

  async function skipBadRow(row: Row): Promise<'no'> {
    counts.invalid += 1
    failed.add(row, joinProblems(await describeProblems(row, job)), plan.keyOf(row))
    return 'no'
  }

  try {
    await runWorkerPool({
      rows: readRows(source, encoding),
      decide,
      work,
      onBatchStart: operation.usesIdempotencyKeys
        ? (row) => progress.beginAs(row, unknownRows.repeated.has(row) ? progress.runOf(row) : progress.run)
        : progress.begin,
      batchSize: operation.usesIdempotencyKeys ? 1 : operation.concurrency,
      groups: () =>
        batches
          ? { size: batches.size, concurrency: batchConcurrency }
          : { size: 1, concurrency: operation.concurrency },
      rateLimiter,
      isRateLimited: limit === undefined,
      signal: stopStarting.signal,
      drained: reporter.drained,
    })
  } catch (error) {
    stopped ??= error
  } finally {
    realTime.clearInterval(flushing)
    realTime.clearTimeout(grace)
    system.signal.removeEventListener('abort', interrupted)
  }
  await reporter.stop().catch(stop)
  let inProgress = plan.inProgress
  for (const [row, entry] of heldRows) {
    const state = plan.settleConcurrent(row, entry, system.now())
    if (state === 'open' || state === 'unknown') counts.unknown += 1
    if (isInProgress({ ...entry, state }, system)) inProgress += 1
  }
  try {
    progress.flush()
  } catch (error) {
    stop(error)
  }
  const left =
    checkResult.rows -
    before -
    counts.done -
    counts.already -
    counts.failed -
    counts.waiting -
    checkResult.bad -
    counts.skipped -
    counts.unknown -
    plan.alreadySent
  return {
    ...counts,
    skippedRows,
    inProgress: Math.min(inProgress, counts.unknown),
    doneBefore: before,
    alreadySent: plan.alreadySent,
    left,
    seconds: Math.max(0, elapsed()),
    costUsd: costUsd === null ? null : Math.round(costUsd * 1_000_000) / 1_000_000,
    failedFile: failed.close(),
    stopReason: stopped,
    firstFailure,
  }
}
