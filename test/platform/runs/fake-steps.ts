import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import type { AutomationPorts } from '../../../src/engine/pieces/ports.ts'
import type { StepContext, StepOutcome } from '../../../src/engine/pieces/step-context.ts'
import { StepFailure } from '../../../src/engine/pieces/step-failure.ts'
import type { Machine, Outputs } from '../../../src/engine/runs/run-state.ts'
import { type Clock, createClock } from '../../../src/platform/jobs/clock.ts'
import { createJobLoop, type JobLoop } from '../../../src/platform/jobs/job-loop.ts'
import { OwnLeases } from '../../../src/platform/jobs/leases.ts'
import { Runner } from '../../../src/platform/runs/runner.ts'
import { listSteps, type StepRow } from '../../../src/platform/store/automations/run-steps.ts'
import { findRun, listRuns, type RunRow, runJobKind } from '../../../src/platform/store/automations/runs.ts'
import { accountQuery } from '../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { hangMs } from '../../support/hang-timeout.ts'

/** What a fake step does, in the word `settings.does` of its node. */
export type Does = (context: StepContext, node: AutomationNode) => Promise<StepOutcome> | StepOutcome

export const done = (output: unknown = null): StepOutcome => ({ kind: 'done', output })

/** Steps for tests of the runner alone: each node says what it does. */
export const steps: Record<string, Does> = {
  echo: ({ input }) => done(input),
  condition: ({ input }) => done({ condition: (input as { conditions: unknown }).conditions === true }),
  wait: ({ now, resumed, input }) =>
    resumed
      ? done({ success: true, ...(resumed.payload !== undefined && { payload: resumed.payload }) })
      : { kind: 'pause', until: now + (input as { micros: number }).micros },
  call: ({ resumed }) =>
    resumed
      ? done(resumed.payload)
      : { kind: 'respond', status: 202, headers: {}, body: 'later', stop: false, waits: true, output: null },
  respond: ({ input }) => ({ kind: 'respond', status: 200, headers: {}, body: input, stop: true, output: null }),
  say: ({ input }) => ({ kind: 'respond', status: 200, headers: {}, body: input, stop: false, output: null }),
  fail: () => {
    throw new StepFailure('It does not work.', { classification: 'missing_record' })
  },
  flaky: ({ attempt }) => {
    if (attempt < 3) throw new StepFailure('Not yet.')
    return done(attempt)
  },
  down: () => {
    throw new StepFailure('The receiver is down.', { output: { status: 503 } })
  },
  hang: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  slow: async ({ input }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return done(input)
  },
}

const path = /^\{\{(\w+)((?:\.\w+)*)\}\}$/

/** Whole tokens of names and dots, nothing more. */
function resolve(value: unknown, outputs: Outputs, unresolved: string[]): unknown {
  if (Array.isArray(value)) return value.map((it) => resolve(it, outputs, unresolved))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, child]) => [k, resolve(child, outputs, unresolved)]))
  const match = typeof value === 'string' ? path.exec(value) : null
  if (!match) return value
  const names = [match[1] as string, ...(match[2] ?? '').split('.').slice(1)]
  const found = names.reduce<unknown>((it, name) => (it as Record<string, unknown> | undefined)?.[name], outputs)
  if (found === undefined) unresolved.push(String(value))
  return found ?? ''
}

export const machine = (extra: Record<string, Does> = {}): Machine => ({
  isInner: (node) => node.type === 'BRANCH' || ['respond', 'say', 'call'].includes(String(node.settings?.does)),
  async resolve(value, outputs) {
    const unresolved: string[] = []
    return { value: resolve(value, outputs, unresolved), unresolved }
  },
  getRunner(node) {
    const does = { ...steps, ...extra }[node.type === 'BRANCH' ? 'condition' : String(node.settings?.does)]
    if (!does) throw new StepFailure(`Nobody knows the step ${node.name}.`)
    return async (context, it) => does(context, it)
  },
})

export type Draft = { does?: string; input?: object; [field: string]: unknown }

/** Steps in a row, named in order; a function makes a branch or a loop of its own name. */
export function chain(...drafts: readonly Draft[]): AutomationNode {
  return drafts.reduceRight<AutomationNode | undefined>((nextAction, { does, input, name, ...more }) => {
    const node: AutomationNode = {
      type: 'PIECE',
      name: String(name),
      ...more,
      settings: { does, input, ...((more.settings as object | undefined) ?? {}) },
    } as AutomationNode
    return nextAction ? { ...node, nextAction } : node
  }, undefined) as AutomationNode
}

export interface BenchOptions {
  readonly extra?: Record<string, Does>
  readonly owner?: string
  readonly isAlive?: (owner: string) => boolean
  readonly wall?: () => number
  readonly sleep?: (ms: number) => Promise<void>
  /** Receives problems, which fail a test otherwise. */
  readonly problems?: string[]
}

/** A runner with due work on a database, as a process has them. */
export interface Bench {
  readonly runner: Runner
  readonly due: JobLoop
  readonly clock: Clock
  /** Runs a definition until it has ended or waits. */
  run(first: AutomationNode, options?: { payload?: unknown; testing?: boolean; dedupe?: string }): Promise<string>
  /** Accepts a run and does not begin it, as a process does that dies then. */
  accept(
    first: AutomationNode,
    options?: { payload?: unknown; testing?: boolean; dedupe?: string },
  ): Promise<string | undefined>
  /** Runs a definition for a caller who waits for the result; undefined if the run must be stored first. */
  answer(first: AutomationNode, options?: { payload?: unknown; testing?: boolean; dedupe?: string }): AnsweredRun
  see(id: string): Promise<{ run: RunRow; steps: StepRow[]; outcome: string }>
  runs(): Promise<RunRow[]>
}

type AnsweredRun = ReturnType<Runner['runAndAnswer']>

let serial = 0

export async function bench(
  database: Connection,
  { extra, owner = `here:1:${++serial}`, isAlive = () => true, wall = Date.now, sleep, problems }: BenchOptions = {},
): Promise<Bench> {
  const clock = createClock(database, wall)
  await database.write('rows', (query) =>
    query
      .insertInto('account')
      .values({
        id: 1,
        name: 'One',
        email: 'one@account.example',
        kind: 'tenant',
        balance: 0,
        minute_rate: 0,
        payment_method: null,
        created_at: 0,
      })
      .onConflict((it) => it.doNothing())
      .execute(),
  )
  const log: string[] = problems ?? []
  const leases = new OwnLeases()
  const connection = leases.watch(database)
  const runner = new Runner({
    connection,
    owner,
    wall,
    now: () => clock.now(),
    machine: machine(extra),
    ports: {} as AutomationPorts,
    newId: async () => `run${++serial}-${owner.slice(-6).replaceAll(':', '-')}`,
    mayStoreLater: () => true,
    random: () => 0,
    sleep,
    log: (text) => log.push(text),
  })
  leases.setHolder('runner', ({ kind, subject }) => kind === runJobKind && runner.holds(subject))
  const due = createJobLoop({
    connection,
    clock,
    owner,
    leases,
    wall,
    // A process knows that it lives.
    isAlive: (it) => it === owner || isAlive(it),
    log: (text) => log.push(text),
    handlers: async () => ({
      [runJobKind]: {
        handleBatch: (rows) => runner.resume(rows.map((row) => ({ id: row.subject, account: row.account_id }))),
      },
    }),
    settle: (budget) => runner.settle(budget),
  })
  const version = async (first: AutomationNode): Promise<string> => {
    const id = `version${++serial}`
    const definition = JSON.stringify({ type: 'PIECE_TRIGGER', name: 'trigger', nextAction: first })
    const row = {
      id,
      account_id: 1,
      automation_id: 'flow',
      position: serial,
      definition,
      program: definition,
      hash: '',
      trigger_kind: 'webhook' as const,
    }
    await connection.write({ account: 1 }, (query) =>
      query
        .insertInto('automation_version')
        .values({
          ...row,
          event: null,
          assistant_id: null,
          connections: '[]',
          restored_from: null,
          created_at: 0,
          published_at: 0,
        })
        .execute(),
    )
    return definition
  }
  const request = async (
    first: AutomationNode,
    { payload = {}, testing = false, dedupe }: { payload?: unknown; testing?: boolean; dedupe?: string } = {},
  ) => {
    const definition = await version(first)
    return {
      automation: { id: 'flow', account_id: 1 },
      version: { id: `version${serial}`, account_id: 1, definition, program: definition },
      payload,
      testing,
      ...(dedupe && { dedupe }),
    }
  }
  const accept: (...wanted: Parameters<typeof request>) => ReturnType<Runner['accept']> = async (...wanted) => {
    const row = await request(...wanted)
    const now = await clock.now()
    return connection.write({ account: 1 }, (query) => runner.accept(query, row, now))
  }
  return {
    runner,
    due,
    clock,
    async accept(first, options) {
      return (await accept(first, options))?.row.id
    },
    answer: async (first, options) => runner.runAndAnswer(await request(first, options), hangMs),
    async run(first, options) {
      const accepted = await accept(first, options)
      if (!accepted) throw new Error('It was accepted before.')
      await runner.start(accepted)
      if (log.length > 0 && !problems) throw new Error(log.join('\n'))
      return accepted.row.id
    },
    async see(id) {
      const run = (await findRun(accountQuery(connection.read, 1), id)) as RunRow
      const rows = await listSteps(accountQuery(connection.read, 1), run.number)
      return {
        run,
        steps: rows,
        outcome: [
          run.status,
          ...rows.map((it) => `${it.path}:${it.status}${it.attempt > 1 ? `*${it.attempt}` : ''}`),
        ].join(' '),
      }
    },
    runs: () => listRuns(accountQuery(connection.read, 1), 'flow', 1000),
  }
}
