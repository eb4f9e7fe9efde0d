import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { childOf } from '../../contract/automations/walk-steps.ts'
import { day, type Micros } from '../../contract/values/micros.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { realTime, yieldToEventLoop } from '../../node/real-time.ts'
import { getOwn, isSkipped, nodeErrorHandling, nodeInput } from '../definition/node.ts'
import { isFirstBranchTaken } from '../definition/router-branches.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import { attempt, describeFailure, failureMessage } from './attempt.ts'
import { idempotencyKey, pathName, waitId } from './run-keys.ts'
import type {
  RunAnswer,
  RunState,
  StepEnd,
  StepRecorder,
  StepState,
  StopReason,
  WaitState,
  WalkerDeps,
} from './run-state.ts'
import { maxAttempts, maxDelay, maxItems, maxOutputs, maxTestDelay, retryDelay } from './step-limits.ts'
import { loopEnd, type Scope, StepOutputs, toJsonList, toStoredInput } from './step-outputs.ts'

/** Milliseconds after which a run lets other work of the process continue. */
const maxTurnMs = 20

/** A run to continue, from the steps and waits that are recorded. */
interface WalkerOptions {
  readonly deps: WalkerDeps
  readonly run: RunState
  readonly recorder: StepRecorder
  /** Secret texts of the definition. */
  readonly secrets: readonly string[]
  readonly steps: readonly StepState[]
  readonly waits: readonly WaitState[]
  /** Aborts the active step. */
  readonly signal: AbortSignal
  /** Prevents further steps from starting. */
  readonly closing: AbortSignal
  /** Runs what may take long: a step, or the wait for its retry. Other runs work during it. */
  readonly withoutSlot: <T>(work: () => Promise<T>) => Promise<T>
  /** Waits before a step of a test is retried. Live runs are suspended instead. */
  readonly waitUntil: (time: Micros) => Promise<void>
  /** Called with a response after it is stored. */
  readonly onAnswer: (answer: RunAnswer) => void
}

/**
 * Runs a definition from the trigger. Completed steps are skipped with their stored output and decisions. Each
 * iteration of a loop has separate paths, so a run resumes in the iteration in which it stopped. Paths are stored and are part
 * of the keys that steps send (run-keys.ts). simulate-run.ts uses it too.
 */
export class Walker {
  readonly #options: WalkerOptions
  readonly #rows: ReadonlyMap<string, StepState>
  readonly #outputs: StepOutputs
  /** Secret texts of the definition and of connections that steps used. */
  #secrets: readonly string[]
  /** Latest response, as stored JSON. */
  answer: string | null
  #turnStartedAt = realTime.monotonicMs()

  constructor(options: WalkerOptions) {
    this.#options = options
    this.#secrets = options.secrets
    this.#rows = new Map(options.steps.map((it) => [it.path, it]))
    this.answer = options.run.answer
    this.#outputs = new StepOutputs(parseJson(options.run.payload))
  }

  walk(trigger: AutomationNode): Promise<StopReason> {
    return this.#chain(trigger.nextAction, '', this.#outputs.main).then((stop) => stop ?? { kind: 'succeeded' })
  }

  async #chain(
    first: AutomationNode | null | undefined,
    prefix: string,
    scope: Scope,
  ): Promise<StopReason | undefined> {
    for (let node = first; node; node = node.nextAction) {
      if (realTime.monotonicMs() - this.#turnStartedAt > maxTurnMs) await this.#endTurn()
      const stop = isSkipped(node) ? undefined : await this.#step(node, prefix, scope)
      if (stop) return stop
    }
    return undefined
  }

  /** Steps that only compute would otherwise block all other work of the process until the end of a loop. */
  async #endTurn(): Promise<void> {
    await yieldToEventLoop()
    this.#turnStartedAt = realTime.monotonicMs()
  }

  async #step(node: AutomationNode, prefix: string, scope: Scope): Promise<StopReason | undefined> {
    const path = `${prefix}${pathName(node.name)}`
    if (node.type === 'LOOP_ON_ITEMS') return this.#loop(node, path, scope)
    const name = String(node.name)
    const row = this.#rows.get(path)
    const { continueOnFailure } = nodeErrorHandling(node)
    if (row?.status === 'SUCCEEDED') this.#outputs.save(scope, name, row.output ?? 'null')
    else if (row?.status === 'FAILED' && continueOnFailure)
      this.#outputs.saveFailure(scope, name, failureMessage(row), row.output)
    else {
      const stop = await this.#attempt(node, path, row, scope)
      if (stop) return stop
    }
    if (node.type === 'BRANCH')
      return this.#chain(
        isFirstBranchTaken(node, scope.values[name]) ? node.onSuccessAction : node.onFailureAction,
        prefix,
        scope,
      )
    if (!continueOnFailure) return undefined
    const branch = Object.hasOwn(scope.errors, name)
      ? 'continueOnFailureBranches.onFailure'
      : 'continueOnFailureBranches.onSuccess'
    return this.#chain(childOf(node, branch), prefix, scope)
  }

  /** Runs one attempt of a step. Returns undefined if the chain continues. */
  async #attempt(
    node: AutomationNode,
    path: string,
    row: Pick<StepState, 'status' | 'attempt' | 'failures'> | undefined,
    scope: Scope,
  ): Promise<StopReason | undefined> {
    const { deps, run, recorder, signal } = this.#options
    if (this.#isStopping()) return { kind: 'broken' }
    const name = String(node.name)
    const wait = this.#options.waits.find((it) => it.path === path && it.resumed_at !== null)
    // What a step does after its wait has no effect outside the run, so only its end is recorded.
    const number =
      wait && row?.status === 'PAUSED'
        ? row.attempt
        : await recorder.begin(path, name, row === undefined && deps.machine.isInner?.(node) === true)
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
    const result = await this.#options.withoutSlot(() => attempt(deps, node, context, scope, this.#secrets))
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
        scope,
      )
    const { outcome, json } = result
    if (!this.#outputs.hasRoom(json)) {
      const failure = new StepFailure(
        `The outputs of this run are larger than ${maxOutputs / 1_000_000} MB in total.`,
        {
          mayRetry: false,
        },
      )
      return this.#failed(node, stepEnd, failure, failure.message, scope)
    }
    const isWaiting = outcome.kind === 'pause' || (outcome.kind === 'respond' && outcome.waits === true)
    await recorder.end({ ...stepEnd, status: isWaiting ? 'PAUSED' : 'SUCCEEDED', output: json })
    if (!isWaiting) this.#outputs.save(scope, name, json)
    if (outcome.kind === 'respond') {
      const { status, headers, body } = outcome
      const answer: RunAnswer = { status, headers, body: body ?? null, ...(isWaiting && { resume: waitId(run, path) }) }
      this.answer = stringifyJson(answer)
      // The response contains the callback URL, so it is stored together with the wait before it is sent.
      if (isWaiting) return { kind: 'paused', path, until: null }
      if (!outcome.stop) {
        await recorder.answer(this.answer)
        this.#options.onAnswer(answer)
      }
      if (outcome.stop) return { kind: 'succeeded' }
    }
    return outcome.kind === 'pause' ? { kind: 'paused', path, until: outcome.until, call: outcome.call } : undefined
  }

  async #failed(
    node: AutomationNode,
    stepEnd: Pick<StepEnd, 'path' | 'failures' | 'input' | 'shown' | 'unresolved' | 'log'>,
    failure: StepFailure,
    error: string,
    scope: Scope,
  ): Promise<StopReason | undefined> {
    const { deps, run, recorder, waitUntil } = this.#options
    if (failure.until !== undefined && run.testing === 0) {
      const { classification, until } = failure
      await recorder.end({ ...stepEnd, error, classification, output: null, status: 'WAITING' })
      // It looks again after a day at the latest.
      return { kind: 'waiting', until: Math.min(until, (await deps.now()) + day) }
    }
    const failures = stepEnd.failures + 1
    const { retryOnFailure, continueOnFailure } = nodeErrorHandling(node)
    const delay =
      retryOnFailure && failure.mayRetry && failures < maxAttempts
        ? retryDelay(failures, failure.retryAfter, deps.random())
        : Infinity
    const mayRetry = delay <= (run.testing === 0 ? maxDelay : maxTestDelay)
    const output = failure.output === undefined ? null : (stringifyJson(failure.output) ?? null)
    const { classification } = failure
    await recorder.end({ ...stepEnd, failures, error, classification, output, status: mayRetry ? 'WAITING' : 'FAILED' })
    if (mayRetry) {
      const until = (await deps.now()) + delay
      if (run.testing === 0) return { kind: 'waiting', until }
      await this.#options.withoutSlot(() => waitUntil(until))
      return this.#attempt(node, stepEnd.path, { status: 'WAITING', attempt: failures, failures }, scope)
    }
    if (!continueOnFailure)
      return {
        kind: 'failed',
        error: `${node.displayName || node.name}: ${error}`.replaceAll('\0', ''),
        classification,
      }
    const message = failureMessage({ error, unresolved: stepEnd.unresolved })
    this.#outputs.saveFailure(scope, String(node.name), message, output)
    return undefined
  }

  async #loop(node: AutomationNode, path: string, scope: Scope): Promise<StopReason | undefined> {
    const row = this.#rows.get(path)
    const { recorder } = this.#options
    const name = String(node.name)
    if (row?.status === 'SUCCEEDED') {
      this.#outputs.save(scope, name, row.output ?? 'null')
      return undefined
    }
    if (this.#isStopping()) return { kind: 'broken' }
    const found = row?.items ? { items: parseJson(row.items) as unknown[] } : await this.#items(node, path, row, scope)
    if ('halt' in found) return found.halt
    const { items } = found
    // A retry continues in the iteration that failed.
    if (row?.status === 'FAILED' && row.items) await recorder.begin(path, name)
    const iterations: Record<string, unknown>[] = []
    const state: { item: unknown; index: number; iterations: unknown[] } = { item: null, index: 0, iterations }
    for (const [n, item] of items.entries()) {
      scope.values[name] = { ...state, item, index: n + 1 }
      const inner = this.#outputs.enterIteration(scope)
      const stop = await this.#chain(node.firstLoopAction, `${path}[${n + 1}]/`, inner)
      if (stop?.kind === 'failed') {
        const { classification } = stop
        const error = `Item ${n + 1} of ${items.length} failed. ${stop.error}`
        const end = loopEnd(path, row, this.#outputs, {
          item,
          index: n + 1,
          iterations: [...iterations, inner.iteration],
        })
        await recorder.end({ ...end, status: 'FAILED', error, classification })
      }
      if (stop) return stop
      iterations.push(inner.iteration)
      state.item = item
      state.index = n + 1
    }
    const end = loopEnd(path, row, this.#outputs, state)
    await recorder.end({ ...end, status: 'SUCCEEDED', error: null, classification: null })
    this.#outputs.save(scope, name, end.output)
    return undefined
  }

  /** Starts a loop by resolving the list it iterates over. */
  async #items(
    node: AutomationNode,
    path: string,
    row: StepState | undefined,
    scope: Scope,
  ): Promise<{ items: unknown[] } | { halt: StopReason | undefined }> {
    const { deps, run, recorder, signal } = this.#options
    const name = String(node.name)
    await recorder.begin(path, name, row === undefined)
    try {
      const {
        value,
        unresolved,
        secrets = [],
      } = await this.#options.withoutSlot(async () =>
        deps.machine.resolve(nodeInput(node), scope.values, run.account_id, {
          now: (await deps.now()) / 1000,
          signal,
          errors: scope.errors,
        }),
      )
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
      if (failure)
        return { halt: await this.#failed(node, stepEnd, failure, describeFailure(failure, unresolved), scope) }
      await recorder.items(path, stringifyJson(items))
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
          scope,
        ),
      }
    }
  }

  #isStopping(): boolean {
    return this.#options.signal.aborted || this.#options.closing.aborted
  }
}
