import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import type { Micros } from '../../contract/values/micros.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { makesRequests } from '../analysis/code-analysis.ts'
import { maskValue } from '../definition/mask.ts'
import { getOwn, nodeInput, nodeSettings } from '../definition/node.ts'
import type { Problem } from '../definition/problems.ts'
import type { Sandbox } from '../expressions/sandbox.ts'
import { done } from '../pieces/piece.ts'
import type { AutomationPorts, StorePort, StoreScope } from '../pieces/ports.ts'
import { actionOf, findPiece } from '../pieces/registry.ts'
import type { StepRunner } from '../pieces/step-context.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import type { Machine, RunAnswer, RunState, StepEnd, StepRecorder, StepState, WaitState } from './run-state.ts'
import { createSampleOutputs } from './sample-outputs.ts'
import { createStepMachine } from './step-machine.ts'
import { Walker } from './walker.ts'

/** What a simulated run starts with. */
export interface SimulationOptions {
  /** Compiled definition: code without types. */
  readonly trigger: AutomationNode
  /** Input of the trigger. */
  readonly payload: unknown
  /** Outputs of steps by name, or by path for one iteration of a loop. These steps are not run. */
  readonly mocks: Readonly<Record<string, unknown>>
  /** Errors of steps by name or path. These steps are not run. */
  readonly failures?: Readonly<Record<string, string>>
  /** Like `mocks`, but generated. The result distinguishes them. */
  readonly generated?: Readonly<Record<string, unknown>>
  readonly sandbox: Sandbox
  /** Start time of the simulation. Delays take no time. */
  readonly now: Micros
  readonly signal: AbortSignal
}

/**
 * One execution of a step in a simulated run. A step in a loop has one for each iteration. `automate test` prints it:
 * scripts read fields and statuses as JSON, so they are added, not renamed.
 */
export interface SimulatedStep {
  /** Name of the step after the iterations of the loops around it: `step_5[3]/step_6`. */
  readonly path: string
  readonly name: string
  /** `MOCKED`: its mock. `GENERATED`: a generated output. `NOT_RUN`: reaches outside and has no output. */
  readonly status: 'SUCCEEDED' | 'FAILED' | 'PAUSED' | 'MOCKED' | 'GENERATED' | 'NOT_RUN'
  /** Resolved input of the last attempt, with masked secrets; null if it could not be resolved. */
  readonly input: unknown
  readonly output: unknown
  readonly error: string | null
  readonly classification: string | null
  /** Expressions without a value. */
  readonly unresolved: readonly string[]
  readonly log: readonly string[]
}

/** Result of a simulated run: how it ended, and the steps that it reached. */
export interface SimulatedRun {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'PAUSED'
  readonly steps: readonly SimulatedStep[]
  /** Response of a respond step. */
  readonly response: RunAnswer | null
}

/** Pieces whose actions have no external effects. They are run, with stored values in memory; steps of all others only with a mock. */
const localPieces: ReadonlySet<string | undefined> = new Set(['delay', 'store', 'webhook'])

/** Maximum number of waits before a run counts as endless. */
const maxWaits = 1000

/**
 * Runs a definition without a platform and without external effects.
 * Steps that would query a server, send or call return their mock or nothing, and are reported. Conditions, loops,
 * code, stored values and responses are executed.
 */
export async function simulateRun({
  trigger,
  payload,
  mocks,
  failures = {},
  generated = {},
  sandbox,
  now: startedAt,
  signal,
}: SimulationOptions): Promise<SimulatedRun> {
  const http = { send: () => Promise.reject(new StepFailure('Requests are not sent in a local test. Mock the step.')) }
  const ports = {
    http,
    store: createMemoryStore(),
    connections: { find: async () => ({ status: 'active', secret: {} }) },
    approvals: {
      createLinks: async () => ({
        approvalLink: 'https://platform.example/approve',
        disapprovalLink: 'https://platform.example/disapprove',
      }),
    },
  } as unknown as AutomationPorts
  const stepMachine = createStepMachine({ sandbox, connections: ports.connections })
  const inputs = new Map<string, unknown>()
  // The input of a step with a given output is only for display, so it need not be valid.
  const unusedInputs = new Set(
    [...indexNodes(trigger)]
      .filter(([name]) => [mocks, failures, generated].some((it) => Object.hasOwn(it, name)))
      .map(([, node]): unknown => nodeInput(node)),
  )
  const machine: Machine = {
    async resolve(value, outputs, account, options) {
      try {
        return await stepMachine.resolve(value, outputs, account, options)
      } catch (error) {
        if (error instanceof StepFailure && unusedInputs.has(value)) return { value, unresolved: [] }
        throw error
      }
    },
    getRunner(node: AutomationNode): StepRunner {
      const name = String(node.name)
      return async (context, live) => {
        // The key of the first round is the id of the run, a colon and the path (run-keys.ts).
        const path = context.key.slice(run.id.length + 1)
        inputs.set(path, maskValue(context.input))
        const failure = [path, name].find((key) => Object.hasOwn(failures, key))
        if (failure !== undefined) throw new StepFailure(String(failures[failure]))
        const mock = [path, name].find((key) => Object.hasOwn(mocks, key))
        if (mock !== undefined) return done(mocks[mock])
        if (Object.hasOwn(generated, name)) return done(generated[name])
        if (reachesOutside(node)) return done(null)
        return stepMachine.getRunner(node)(context, live)
      }
    },
  }
  const run: RunState = {
    id: 'rehearsal',
    account_id: 0,
    automation_id: 'rehearsal',
    testing: 1,
    round: 1,
    answer: null,
    payload: stringifyJson(payload),
  }
  const recorder = new MemoryRunRecorder()
  const waits: WaitState[] = []
  let now = startedAt
  let answer: string | null = null
  for (;;) {
    const walker = new Walker({
      deps: { machine, ports, now: async () => now, random: () => 0 },
      run: { ...run, answer },
      recorder,
      secrets: [],
      steps: recorder.rows(),
      waits,
      signal,
      closing: signal,
      withoutSlot: (work) => work(),
      waitUntil: async (time) => {
        now = Math.max(now, time)
      },
      onAnswer: () => {},
    })
    const halt = await walker.walk(trigger)
    answer = walker.answer
    if (halt.kind === 'broken') throw signal.reason
    if (halt.kind === 'paused' && halt.until !== null && waits.length < maxWaits) {
      now = Math.max(now, halt.until)
      waits.push({
        path: halt.path,
        payload: null,
        resumed_at: now,
      })
      continue
    }
    const status = halt.kind === 'succeeded' ? 'SUCCEEDED' : halt.kind === 'failed' ? 'FAILED' : 'PAUSED'
    const nodes = indexNodes(trigger)
    return {
      status,
      steps: recorder.rows().map((row) => toSimulatedStep(row, { mocks, generated }, nodes, inputs)),
      response: answer === null ? null : (parseJson(answer) as RunAnswer),
    }
  }
}

/** Returns whether a step uses an external service. Steps that decide, compute, wait or store do not. */
export function reachesOutside(node: AutomationNode): boolean {
  if (node.type === 'CODE') return makesRequests(String(getOwn(getOwn(node.settings, 'sourceCode'), 'code') ?? ''))
  const action = node.type === 'PIECE' ? actionOf(node) : undefined
  if (!action || action.isInternal) return false
  return !localPieces.has(findPiece(nodeSettings(node).pieceName)?.names[0])
}

/** Returns the steps that cannot run because of these problems. Code can if it does not use the packages it lists. */
export function unrunnableSteps(trigger: AutomationNode, problems: readonly Problem[]): ReadonlySet<string> {
  const nodes = indexNodes(trigger)
  const canRun = ({ step, path }: Problem): boolean => {
    const code = getOwn(getOwn(nodes.get(String(step))?.settings, 'sourceCode'), 'code')
    return (
      path === 'settings.sourceCode.packageJson' && typeof code === 'string' && !/\b(?:import|require)\b/.test(code)
    )
  }
  return new Set(problems.filter((it) => !canRun(it)).map((it) => String(it.step)))
}

/** Returns sample outputs for the trigger, for steps that are not run here and for `others`, derived from use. */
export function sampleOutputs(trigger: AutomationNode, others: ReadonlySet<string>): Record<string, unknown> {
  const isKnown = (node: AutomationNode): boolean => !others.has(String(node.name)) && isRun(node)
  const isRun = (node: AutomationNode): boolean =>
    !reachesOutside(node) && (node.type !== 'PIECE' || actionOf(node) !== undefined)
  return createSampleOutputs(
    trigger,
    new Set([
      'trigger',
      ...[...indexNodes(trigger)].filter(([, node]) => node !== trigger && !isKnown(node)).map(([name]) => name),
    ]),
  )
}

const indexNodes = (trigger: AutomationNode): Map<string, AutomationNode> =>
  new Map([...walkSteps(trigger)].map(({ node }) => [String(node.name), node]))

const parseList = (json: string | null): readonly string[] => (json === null ? [] : (parseJson(json) as string[]))

function toSimulatedStep(
  row: StepState,
  { mocks, generated }: Pick<Required<SimulationOptions>, 'mocks' | 'generated'>,
  nodes: ReadonlyMap<string, AutomationNode>,
  inputs: ReadonlyMap<string, unknown>,
): SimulatedStep {
  const { path, name, status, output, error, classification, unresolved, log } = row
  const node = nodes.get(name)
  const outcome =
    Object.hasOwn(mocks, path) || Object.hasOwn(mocks, name)
      ? 'MOCKED'
      : Object.hasOwn(generated, name)
        ? 'GENERATED'
        : node && reachesOutside(node)
          ? 'NOT_RUN'
          : 'SUCCEEDED'
  return {
    path,
    name,
    status: status === 'SUCCEEDED' ? outcome : status === 'PAUSED' ? 'PAUSED' : 'FAILED',
    input: inputs.get(path) ?? null,
    output: output === null ? null : parseJson(output),
    error,
    classification,
    unresolved: parseList(unresolved),
    log: parseList(log),
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** In-memory recorder of a simulated run. */
class MemoryRunRecorder implements StepRecorder {
  readonly #rows = new Map<string, Writable<StepState>>()

  rows(): StepState[] {
    return [...this.#rows.values()]
  }

  async begin(path: string, name: string): Promise<number> {
    const known = this.#rows.get(path)
    const attempt = known ? known.attempt + (known.status === 'PAUSED' ? 0 : 1) : 1
    const empty = {
      items: null,
      input: null,
      output: null,
      shown: null,
      error: null,
      classification: null,
      unresolved: null,
      log: null,
    }
    this.#rows.set(path, {
      ...empty,
      ...known,
      ...{
        path,
        name,
        status: 'RUNNING',
        attempt,
        failures: 0,
      },
    })
    return attempt
  }

  async end(step: StepEnd): Promise<void> {
    Object.assign(this.#row(step.path), step)
  }

  async items(path: string, items: string): Promise<void> {
    this.#row(path).items = items
  }

  async answer(): Promise<void> {}

  #row(path: string): Writable<StepState> {
    const row = this.#rows.get(path)
    if (!row) throw new StepFailure(`The step ${path} was not started.`)
    return row
  }
}

/** Returns a store whose values last as long as the simulation. */
function createMemoryStore(): StorePort {
  const values = new Map<string, unknown>()
  const keyOf = ({ owner }: StoreScope, key: string): string => `${owner.kind} ${key}`
  return {
    get: async (scope, key) => values.get(keyOf(scope, key)),
    async change(_, scope, key, change) {
      const value = change(values.get(keyOf(scope, key)))
      if (value === undefined) values.delete(keyOf(scope, key))
      else values.set(keyOf(scope, key), value)
      return value
    },
  }
}
