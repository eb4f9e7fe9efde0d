import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { getOwn, isSkipped, nodeErrorHandling, nodeInput } from '../../flow/definition/node.ts'
import { isFirstBranchTaken } from '../../flow/definition/router-branches.ts'
import { walk } from '../../flow/definition/walk.ts'
import { findUnknownSteps } from '../../flow/expressions/unknown-steps.ts'
import { StepFailure } from '../../flow/pieces/step-failure.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { realTime, yieldToEventLoop } from '../../node/real-time.ts'
import type { StepResult, StepRow } from '../../store/automations/run-steps.ts'
import type { WaitRow } from '../../store/automations/run-waits.ts'
import type { RunRow } from '../../store/automations/runs.ts'
import { attempt, describeFailure } from './attempt.ts'
import type { Journal } from './journal.ts'
import { idempotencyKey, waitId } from './run-keys.ts'
import { maxAttempts, maxItems, maxOutputs, retryDelay } from './run-limits.ts'
import type { RunnerDeps } from './runner-deps.ts'
import { loopEnd, StepOutputs } from './step-outputs.ts'
import type { RunAnswer, StopReason } from './stop-reason.ts'
import { toJsonList, toStoredInput } from './stored-input.ts'

/** Milliseconds after which a run lets other work of the process continue. */
const maxTurnMs = 20

export interface WalkerOptions {
  readonly deps: Pick<RunnerDeps, 'machine' | 'ports' | 'now' | 'random'>
  readonly run: RunRow
  readonly journal: Pick<Journal, 'begin' | 'end' | 'items' | 'answer'>
  /** Secret texts of the definition. */
  readonly secrets: readonly string[]
  readonly steps: readonly StepRow[]
  readonly waits: readonly WaitRow[]
  /** Aborts the active step. */
  readonly signal: AbortSignal
  /** Prevents further steps from starting. */
  readonly closing: AbortSignal
  /** Called with a response after it is stored. */
  readonly onAnswer: (answer: RunAnswer) => void
}

/**
 * Runs a definition from the trigger. Completed steps are skipped with their stored output and decisions. Each
 * iteration of a loop has separate paths, so a run resumes in the iteration in which it stopped.
 */
export class Walker {
  readonly #options: WalkerOptions
  readonly #rows: ReadonlyMap<string, StepRow>
  readonly #outputs = new StepOutputs()
  /** Secret texts of the definition and of connections that steps used. */
  #secrets: readonly string[]
  #onUnresolved: ((unresolved: readonly string[]) => void) | undefined
  /** Latest response, as stored JSON. */
  answer: string | null
  #turnStartedAt = realTime.monotonicMs()

  constructor(options: WalkerOptions) {
    this.#options = options
    this.#secrets = options.secrets
    this.#rows = new Map(options.steps.map((it) => [it.path, it]))
    this.answer = options.run.answer
    this.#outputs.values.trigger = parseJson(options.run.payload)
    for (const { path, name, status, output } of options.steps)
      if (output !== null && (status === 'SUCCEEDED' || status === 'FAILED')) this.#outputs.save(path, name, output)
  }

  walk(trigger: AutomationNode): Promise<StopReason> {
    // A test fails at an expression with an unknown step. Live runs continue, as in the public engine.
    if (this.#options.run.testing === 1) this.#onUnresolved = (unresolved) => assertKnownSteps(unresolved, trigger)
    return this.#chain(trigger.nextAction, '').then((stop) => stop ?? { kind: 'succeeded' })
  }

  async #chain(first: AutomationNode | null | undefined, prefix: string): Promise<StopReason | undefined> {
    for (let node = first; node; node = node.nextAction) {
      if (realTime.monotonicMs() - this.#turnStartedAt > maxTurnMs) await this.#endTurn()
      const stop = isSkipped(node) ? undefined : await this.#step(node, prefix)
      if (stop) return stop
    }
    return undefined
  }

  /** Steps that only compute would otherwise block all other work of the process until the end of a loop. */
  async #endTurn(): Promise<void> {
    await yieldToEventLoop()
    this.#turnStartedAt = realTime.monotonicMs()
  }

  async #step(node: AutomationNode, prefix: string): Promise<StopReason | undefined> {
    const path = `${prefix}${node.name}`
    if (node.type === 'LOOP_ON_ITEMS') return this.#loop(node, path)
    const row = this.#rows.get(path)
    const isOver =
      row?.status === 'SUCCEEDED' || (row?.status === 'FAILED' && nodeErrorHandling(node).continueOnFailure)
    if (!isOver) {
      const stop = await this.#attempt(node, path, row)
      if (stop) return stop
    }
    if (node.type !== 'BRANCH') return undefined
    return this.#chain(
      isFirstBranchTaken(node, this.#outputs.values[String(node.name)]) ? node.onSuccessAction : node.onFailureAction,
      prefix,
    )
  }

  /** Runs one attempt of a step. Returns undefined if the chain continues. */
  async #attempt(node: AutomationNode, path: string, row: StepRow | undefined): Promise<StopReason | undefined> {
    const { deps, run, journal, signal } = this.#options
    if (this.#isStopping()) return { kind: 'broken' }
    const name = String(node.name)
    const wait = this.#options.waits.find((it) => it.path === path && it.resumed_at !== null)
    // What a step does after its wait has no effect outside the run, so only its end is recorded.
    const number =
      wait && row?.status === 'PAUSED'
        ? row.attempt
        : await journal.begin(path, name, row === undefined && deps.machine.isInner?.(node) === true)
    const context = {
      account: run.account_id,
      automation: run.automation_id,
      run: run.id,
      step: name,
      attempt: number,
      key: idempotencyKey(run, path),
      now: await deps.now(),
      testing: run.testing === 1,
      signal,
      ...(wait && { resumed: wait.payload === null ? {} : { payload: parseJson(wait.payload) } }),
    }
    const result = await attempt(deps, node, context, this.#outputs.values, this.#secrets, this.#onUnresolved)
    // A server may return secrets it received in any later response.
    if (result.secrets.length > this.#secrets.length) this.#secrets = [...new Set(result.secrets)]
    const failures = row?.failures ?? 0
    if ('broken' in result) return { kind: 'broken', step: { path, failures } }
    const { input, shown } = result
    const stepEnd = {
      path,
      failures,
      input,
      shown,
      error: null,
      classification: null,
      unresolved: toJsonList(result.unresolved),
      log: toJsonList(result.log),
    }
    if ('failure' in result)
      return this.#failed(
        node,
        stepEnd,
        result.failure,
        result.hide(describeFailure(result.failure, result.unresolved)),
      )
    const { outcome, json } = result
    if (!this.#outputs.hasRoom(json)) {
      const failure = new StepFailure(`The outputs of this run are larger than ${maxOutputs / 1_000_000} MB in total.`)
      return this.#failed(node, stepEnd, failure, failure.message)
    }
    const isWaiting = outcome.kind === 'pause' || (outcome.kind === 'respond' && outcome.waits === true)
    await journal.end({ ...stepEnd, status: isWaiting ? 'PAUSED' : 'SUCCEEDED', output: json })
    if (!isWaiting) this.#outputs.save(path, name, json)
    if (outcome.kind === 'respond') {
      const { status, headers, body } = outcome
      const answer: RunAnswer = { status, headers, body: body ?? null, ...(isWaiting && { resume: waitId(run, path) }) }
      this.answer = stringifyJson(answer)
      // The response contains the callback URL, so it is stored together with the wait before it is sent.
      if (isWaiting) return { kind: 'paused', path, until: null }
      if (!outcome.stop) {
        await journal.answer(this.answer)
        this.#options.onAnswer(answer)
      }
      if (outcome.stop) return { kind: 'succeeded' }
    }
    return outcome.kind === 'pause' ? { kind: 'paused', path, until: outcome.until, call: outcome.call } : undefined
  }

  async #failed(
    node: AutomationNode,
    stepEnd: Pick<StepResult, 'path' | 'failures' | 'input' | 'shown' | 'unresolved' | 'log'>,
    failure: StepFailure,
    error: string,
  ): Promise<StopReason | undefined> {
    const { deps, run, journal } = this.#options
    const failures = stepEnd.failures + 1
    const { retryOnFailure, continueOnFailure } = nodeErrorHandling(node)
    const mayRetry = retryOnFailure && failure.retriable && run.testing === 0 && failures < maxAttempts
    const output = failure.output === undefined ? null : (stringifyJson(failure.output) ?? null)
    const { classification } = failure
    await journal.end({ ...stepEnd, failures, error, classification, output, status: mayRetry ? 'WAITING' : 'FAILED' })
    if (mayRetry)
      return { kind: 'waiting', until: (await deps.now()) + retryDelay(failures, failure.retryAfter, deps.random()) }
    if (!continueOnFailure)
      return {
        kind: 'failed',
        error: `${node.displayName || node.name}: ${error}`.replaceAll('\0', ''),
        classification,
      }
    if (output !== null) this.#outputs.save(stepEnd.path, String(node.name), output)
    else this.#outputs.delete(String(node.name))
    return undefined
  }

  async #loop(node: AutomationNode, path: string): Promise<StopReason | undefined> {
    const row = this.#rows.get(path)
    if (row?.status === 'SUCCEEDED') return undefined
    const { journal } = this.#options
    const name = String(node.name)
    if (this.#isStopping()) return { kind: 'broken' }
    const found = row?.items ? { items: parseJson(row.items) as unknown[] } : await this.#items(node, path, row)
    if ('halt' in found) return found.halt
    const { items } = found
    // A retry continues in the iteration that failed.
    if (row?.status === 'FAILED' && row.items) await journal.begin(path, name)
    const iterations: Record<string, unknown>[] = []
    const state: { item: unknown; index: number; iterations: unknown[] } = { item: null, index: 0, iterations }
    for (const [n, item] of items.entries()) {
      this.#outputs.values[name] = { ...state, item, index: n + 1 }
      const iteration = `${path}[${n + 1}]/`
      const stop = await this.#chain(node.firstLoopAction, iteration)
      if (stop?.kind === 'failed') {
        const { classification } = stop
        const error = `Item ${n + 1} of ${items.length} failed. ${stop.error}`
        const end = loopEnd(path, row, this.#outputs, {
          item,
          index: n + 1,
          iterations: [...iterations, this.#outputs.endIteration(iteration)],
        })
        await journal.end({ ...end, status: 'FAILED', error, classification })
      }
      if (stop) return stop
      iterations.push(this.#outputs.endIteration(iteration))
      state.item = item
      state.index = n + 1
    }
    const end = loopEnd(path, row, this.#outputs, state)
    await journal.end({ ...end, status: 'SUCCEEDED', error: null, classification: null })
    this.#outputs.save(path, name, end.output)
    return undefined
  }

  /** Starts a loop by resolving the list it iterates over. */
  async #items(
    node: AutomationNode,
    path: string,
    row: StepRow | undefined,
  ): Promise<{ items: unknown[] } | { halt: StopReason | undefined }> {
    const { deps, run, journal, signal } = this.#options
    const name = String(node.name)
    await journal.begin(path, name, row === undefined)
    try {
      const {
        value,
        unresolved,
        secrets = [],
      } = await deps.machine.resolve(nodeInput(node), this.#outputs.values, run.account_id, {
        now: (await deps.now()) / 1000,
        signal,
      })
      if (unresolved.length > 0) this.#onUnresolved?.(unresolved)
      const items = getOwn(value, 'items')
      const failure = !Array.isArray(items)
        ? new StepFailure('The items of a loop must be a list.')
        : items.length > maxItems
          ? new StepFailure(`A loop can have at most ${maxItems} items, not ${items.length}.`)
          : undefined
      const input = failure ? toStoredInput(value, [...this.#secrets, ...secrets]) : null
      const stepEnd = {
        path,
        failures: row?.failures ?? 0,
        input,
        shown: null,
        unresolved: toJsonList(unresolved),
        log: null,
      }
      if (failure) return { halt: await this.#failed(node, stepEnd, failure, describeFailure(failure, unresolved)) }
      await journal.items(path, stringifyJson(items))
      return { items: items as unknown[] }
    } catch (error) {
      if (signal.aborted) return { halt: { kind: 'broken' } }
      if (!(error instanceof StepFailure)) throw error
      return {
        halt: await this.#failed(
          node,
          { path, failures: row?.failures ?? 0, input: null, shown: null, unresolved: null, log: null },
          error,
          describeFailure(error, []),
        ),
      }
    }
  }

  #isStopping(): boolean {
    return this.#options.signal.aborted || this.#options.closing.aborted
  }
}

/** Checks that unresolved expressions name existing steps. @throws StepFailure `wiring_error` for an unknown step */
function assertKnownSteps(unresolved: readonly string[], trigger: AutomationNode): void {
  const names = new Set([...walk(trigger)].map(({ node }) => String(node.name)))
  const missing = [...new Set(unresolved.flatMap((it) => findUnknownSteps(it, names)))]
  if (missing.length > 0) throw new StepFailure(`Unknown step: ${missing.map((it) => stringifyJson(it)).join(', ')}.`)
}
