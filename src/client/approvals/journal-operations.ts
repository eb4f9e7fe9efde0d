// Operations that wait for a person's approval, as lines of the journal that are only appended. An approval is for the hash
// of a plan, so that a plan that was edited afterwards is not run. The hash finds mistakes, not attackers: a program that can
// write the file can also write an approval. Other versions read these lines: the first field is `approval`, by which they
// are found, purge-journal.ts reads it and `expiresAt`, and fields are added, not renamed.

import type { Plan, RequestOutcome } from '../../contract/resources/approvals.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { hashJson } from '../../node/canonical-json.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { identify, isRunning, type ProcessIdentity, type ProcessOwner } from '../../node/process-identity.ts'
import { ClientFailure } from '../failures/client-failure.ts'
import { appendToJournal, journalLines, writeJournal } from '../journal/journal.ts'
import { notPossible, type PendingOperation, type PendingOperations, type PendingState } from './pending-operations.ts'

/** Milliseconds until a pending operation expires, as on a Parley server (`lifetime` in services/runtime/approvals.ts). */
const lifetimeMs = 60 * 60_000
/** Milliseconds by which the clock of this computer may have been set back since an operation was stored. */
const toleranceMs = 60_000

interface Options {
  readonly file: string
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly owner: ProcessOwner
}

/** Opens the pending operations in the file of the journal. */
export function openJournalOperations({ file, now, newId, owner }: Options): PendingOperations {
  const list = (): PendingOperation[] => readOperations(journalLines(file), now(), owner)
  const note = (id: string, event: string, detail: object = {}): void =>
    appendToJournal(file, { approval: id, event, at: new Date(now()).toISOString(), ...detail })
  const find = (id: string): PendingOperation => {
    const found = list().find((it) => it.id === id)
    if (!found) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `No operation ${id}.` })
    return found
  }
  return {
    place: 'journal',
    list: async () => list().toReversed(),
    read: async (id) => find(id),
    async submit(plan, askedBy) {
      const hash = hashJson(plan)
      return writeJournal(file, () => {
        const same = list().find((it) => ['pending', 'approved'].includes(it.state) && hashJson(it.plan) === hash)
        if (same) return same
        const id = newId()
        note(id, 'asked', { expiresAt: new Date(now() + lifetimeMs).toISOString(), askedBy, hash, plan })
        return find(id)
      })
    },
    decide: async ({ id, plan }, { isApproved, reason }) =>
      writeJournal(file, () => {
        const hash = hashJson(plan)
        const found = find(id)
        // The file may have been edited while a person read the plan.
        const operation = hashJson(found.plan) === hash ? found : { ...found, state: 'damaged' as const }
        if (operation.state !== 'pending') throw notPossible(operation, isApproved ? 'approved' : 'declined', 'journal')
        note(id, isApproved ? 'approved' : 'declined', {
          hash,
          ...(reason !== null && { reason }),
        })
      }),
    start: async (id) =>
      writeJournal(file, () => {
        const operation = find(id)
        if (operation.state !== 'approved' && operation.state !== 'interrupted')
          throw notPossible(operation, 'run', 'journal')
        note(id, 'started', { by: identify(owner.pid) })
        return operation
      }),
    recordRequest: async (id, number, outcome) => writeJournal(file, () => note(id, 'request', { number, outcome })),
    end: async (id, end) => writeJournal(file, () => note(id, 'ended', { end })),
  }
}

interface Draft {
  readonly operation: Omit<PendingOperation, 'state' | 'decidedAt' | 'reason'>
  readonly isIntact: boolean
  readonly hash: string
  readonly outcomes: Record<string, RequestOutcome>
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
      const hash = isObject(plan) ? hashJson(plan) : ''
      const outcomes: Draft['outcomes'] = {}
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
      draft.outcomes[String(record.number)] = record.outcome as RequestOutcome
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
