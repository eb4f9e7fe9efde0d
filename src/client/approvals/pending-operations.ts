// Operations that wait for a person's approval, as lines of the journal that are only appended. An approval is for the hash of a
// plan, so that a plan that was edited afterwards is not run. The hash finds mistakes, not attackers: a program that can write the file
// can also write an approval.

import { createHash } from 'node:crypto'
import { isObject } from '../../contract/values/json-object.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { identify, isRunning, type ProcessIdentity, type ProcessOwner } from '../../node/process-identity.ts'
import { ClientFailure } from '../failures/client-failure.ts'
import { appendToJournal, journalLines, writeJournal } from '../journal/journal.ts'
import { canonicalJson, type OperationOutcome } from '../journal/open-operations.ts'
import { commandLine } from '../requests/shell-quote.ts'

/** A request with the exact text that is sent. */
export interface PlannedRequest {
  /** Name of the endpoint: `numbers.buy`. */
  readonly endpoint: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The exact body; null without one. */
  readonly body: string | null
}

/** Several requests of one command, some of which depend on the answers to others. */
export interface PlannedSteps {
  /** What the command computed that it will do. It must be equal when the plan runs. */
  readonly content: unknown
  /** How often each endpoint that needs approval may be called, by its name. */
  readonly allows: Readonly<Record<string, number>>
}

/** What a person approves: a command, everything that it sends, and the most that it can cost. */
export interface Plan {
  /** One sentence for the person. */
  readonly summary: string
  /** The words after `parley`. */
  readonly command: readonly string[]
  /** The folder in which the command runs. */
  readonly folder: string
  /** Text that it read from standard input. */
  readonly stdin?: string
  readonly profile: string
  /** `embedded:` or the base URL. */
  readonly platform: string
  /** Prefix of the API key, which identifies the account. */
  readonly keyMark?: string
  /** Requests that each may be sent once, byte for byte. */
  readonly requests: readonly PlannedRequest[]
  readonly steps?: PlannedSteps
  /** The most that it costs in USD: null if that is not known, absent if it spends nothing. */
  readonly maximumUsd?: number | null
}

/**
 * `approved` is not started yet. `interrupted` was started and did not end: it can be resumed. `changed` was stopped, because
 * what it would have done was no longer what was approved. `damaged` is a plan or decision that was edited.
 */
export const pendingStates = [
  'pending',
  'approved',
  'declined',
  'expired',
  'running',
  'interrupted',
  'done',
  'changed',
  'damaged',
] as const

/** State of a pending operation. */
export type PendingState = (typeof pendingStates)[number]

/** An operation that waits for a decision, or that was decided. */
export interface PendingOperation {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  readonly expiresAt: string
  /** The coding agent that asked; null if it was not one. */
  readonly askedBy: string | null
  readonly plan: Plan
  readonly state: PendingState
  readonly decidedAt: string | null
  readonly reason: string | null
  /** The last outcome of each request that was sent, by its number in the plan; `open` if it had none. */
  readonly outcomes: ReadonlyMap<number, OperationOutcome | 'open'>
}

/** Milliseconds until a pending operation expires. */
const lifetimeMs = 60 * 60_000
/** Milliseconds by which the clock of this computer may have been set back since an operation was stored. */
const toleranceMs = 60_000

/** Returns the hash of a plan, which an approval is for. */
export const hashPlan = (plan: Plan): string => createHash('sha256').update(canonicalJson(plan)).digest('hex')

/** How an attempt to run a plan ended. `resumable` if something of it may have been sent and is not settled. */
export type RunEnd = 'done' | 'changed' | 'not_sent' | 'resumable'

/** The pending operations of this machine. */
export interface PendingOperations {
  /** Stores a plan, or returns the operation with the same plan that still waits or is approved. It is on disk then. */
  submit(plan: Plan, askedBy: string | null): PendingOperation
  /** Returns all, oldest first. */
  list(): PendingOperation[]
  /**
   * Approves or declines an operation that was read before. The first decision counts. @throws ClientFailure `conflict` unless
   * it waits with the same plan
   */
  decide(shown: Pick<PendingOperation, 'id' | 'plan'>, isApproved: boolean, reason: string | null): void
  /** Claims an approved operation for this process. @throws ClientFailure `conflict` unless it may run */
  start(id: string): PendingOperation
  /** Records that a request of a plan is sent, or its outcome. `number` is its position; -1 for one of several steps. */
  recordRequest(id: string, number: number, endpoint: string, outcome: OperationOutcome | 'open'): void
  end(id: string, end: RunEnd): void
}

interface Options {
  readonly file: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly owner: ProcessOwner
}

/** Opens the pending operations in the file of the journal. */
export function openPendingOperations({ file, now, newId, owner }: Options): PendingOperations {
  const list = (): PendingOperation[] => readOperations(journalLines(file), now(), owner)
  const note = (id: string, event: string, detail: object = {}): void =>
    appendToJournal(file, { approval: id, event, at: new Date(now()).toISOString(), ...detail })
  const find = (id: string): PendingOperation => {
    const found = list().find((it) => it.id === id)
    if (!found) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `No operation ${id}.` })
    return found
  }
  return {
    list,
    submit(plan, askedBy) {
      const hash = hashPlan(plan)
      return writeJournal(file, () => {
        const same = list().find((it) => ['pending', 'approved'].includes(it.state) && hashPlan(it.plan) === hash)
        if (same) return same
        const id = newId()
        note(id, 'asked', { expiresAt: new Date(now() + lifetimeMs).toISOString(), askedBy, hash, plan })
        return find(id)
      })
    },
    decide: ({ id, plan }, isApproved, reason) =>
      writeJournal(file, () => {
        const hash = hashPlan(plan)
        const found = find(id)
        // The file may have been edited while a person read the plan.
        const operation = hashPlan(found.plan) === hash ? found : { ...found, state: 'damaged' as const }
        if (operation.state !== 'pending') throw notPossible(operation, isApproved ? 'approved' : 'declined')
        note(id, isApproved ? 'approved' : 'declined', {
          hash,
          ...(reason !== null && { reason }),
        })
      }),
    start: (id) =>
      writeJournal(file, () => {
        const operation = find(id)
        if (operation.state !== 'approved' && operation.state !== 'interrupted') throw notPossible(operation, 'run')
        note(id, 'started', { by: identify(owner.pid) })
        return operation
      }),
    recordRequest: (id, number, endpoint, outcome) =>
      writeJournal(file, () => note(id, 'request', { number, endpoint, outcome })),
    end: (id, end) => writeJournal(file, () => note(id, 'ended', { end })),
  }
}

const reasons: Readonly<Record<PendingState, string>> = {
  pending: 'it was not approved yet',
  approved: 'it was approved already',
  declined: 'it was declined',
  expired: 'it has expired',
  running: 'another process is running it',
  interrupted: 'it was started already',
  done: 'it was carried out already',
  changed: 'what it would have done has changed since it was approved',
  damaged: 'it was edited after it was stored',
}

/** Returns the failure of an operation whose state does not allow an action: exit `conflict`, or `consent` if it waits. */
export function notPossible({ id, state, plan }: PendingOperation, action: string): ClientFailure {
  const short = id.slice(0, 8)
  if (state === 'pending' && action === 'run') return approvalPending({ id, plan })
  return new ClientFailure({
    exit: 'conflict',
    code: `approval_${state}`,
    message: `Operation ${short} cannot be ${action}: ${reasons[state]}. Nothing was sent.`,
    hint: ['expired', 'changed', 'declined', 'damaged'].includes(state)
      ? `To ask again, run the command again: ${commandLine(plan.command)}`
      : `Show it: parley ops get ${short}.`,
    sent: false,
  })
}

/** Returns the failure of an operation that waits for approval: exit `consent`. */
export function approvalPending({ id, plan }: Pick<PendingOperation, 'id' | 'plan'>): ClientFailure {
  const short = id.slice(0, 8)
  return new ClientFailure({
    exit: 'consent',
    code: 'approval_pending',
    message: `${plan.summary}\nA person must approve this. It waits as operation ${short}. Nothing was sent.`,
    hint: `Ask a person to decide on a terminal: parley ops approve ${short}. Then: parley ops run ${short}.`,
    sent: false,
    next: [`parley ops wait ${short}`, `parley ops run ${short}`],
    operation: id,
  })
}

interface Draft {
  readonly operation: Omit<PendingOperation, 'state' | 'decidedAt' | 'reason'>
  readonly isIntact: boolean
  readonly hash: string
  readonly outcomes: Map<number, OperationOutcome | 'open'>
  state: PendingState
  decidedAt: string | null
  reason: string | null
  runner: ProcessIdentity | undefined
}

function readOperations(lines: Iterable<string>, now: number, owner: ProcessOwner): PendingOperation[] {
  const drafts = new Map<string, Draft>()
  for (const line of lines) {
    if (!line.startsWith('{"approval":"')) continue
    const record = parseJsonLine(line)
    if (!record) continue
    const id = String(record.approval)
    if (record.event === 'asked') {
      const plan = record.plan as Plan
      const hash = isObject(plan) ? hashPlan(plan) : ''
      const outcomes: Draft['outcomes'] = new Map()
      drafts.set(id, {
        operation: {
          id,
          at: String(record.at),
          expiresAt: String(record.expiresAt),
          askedBy: typeof record.askedBy === 'string' ? record.askedBy : null,
          plan,
          outcomes,
        },
        isIntact: hash === record.hash,
        hash,
        outcomes,
        state: 'pending',
        decidedAt: null,
        reason: null,
        runner: undefined,
      })
      continue
    }
    const draft = drafts.get(id)
    if (draft) applyEvent(draft, record)
  }
  return [...drafts.values()].map((draft) => ({
    ...draft.operation,
    state: stateAt(draft, now, owner),
    decidedAt: draft.decidedAt,
    reason: draft.reason,
  }))
}

function applyEvent(draft: Draft, record: Readonly<Record<string, unknown>>): void {
  switch (record.event) {
    case 'approved':
    case 'declined':
      // The first decision counts, and an approval only for this plan.
      if (draft.state !== 'pending') return
      draft.state = record.event === 'approved' && record.hash !== draft.hash ? 'damaged' : record.event
      draft.decidedAt = String(record.at)
      draft.reason = typeof record.reason === 'string' ? record.reason : null
      return
    case 'started':
      if (draft.state !== 'approved' && draft.state !== 'interrupted') return
      draft.state = 'running'
      draft.runner = record.by as ProcessIdentity
      return
    case 'request':
      draft.outcomes.set(Number(record.number), record.outcome as OperationOutcome | 'open')
      return
    case 'ended':
      if (draft.state !== 'running') return
      draft.state =
        record.end === 'done'
          ? 'done'
          : record.end === 'changed'
            ? 'changed'
            : record.end === 'not_sent'
              ? 'approved'
              : 'interrupted'
      return
  }
}

function stateAt({ operation, isIntact, state, runner }: Draft, now: number, owner: ProcessOwner): PendingState {
  if (!isIntact) return 'damaged'
  const current = state === 'running' && (!runner || isRunning(runner, owner) === false) ? 'interrupted' : state
  const isCurrent = now < Date.parse(operation.expiresAt) && now > Date.parse(operation.at) - toleranceMs
  return !isCurrent && ['pending', 'approved', 'interrupted'].includes(current) ? 'expired' : current
}
