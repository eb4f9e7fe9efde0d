import { Failure } from '../../../contract/errors/failures.ts'
import {
  type ApprovalState,
  type Plan,
  PlanHeading,
  type RequestOutcome,
  type RunEnd,
} from '../../../contract/resources/approvals.ts'
import { day, type Micros, minute } from '../../../contract/values/micros.ts'
import { canonicalJson, hashJson } from '../../../node/canonical-json.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import {
  type ApprovalRow,
  deleteApprovalsBefore,
  findApproval,
  insertApproval,
  type ListedApprovalRow,
  listApprovals,
  listCurrentApprovals,
  updateApproval,
} from '../../store/accounts/approvals.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import type { Deps } from './deps.ts'
import { deterministicUuid } from './deterministic-uuid.ts'

/** Time until an operation expires. */
const lifetime = 60 * minute
/** Time for which operations are listed. */
const retention = 30 * day
/** Operations of an account that may wait for a decision, so that a program in a loop does not bury those of others. */
const maxWaiting = 100
/** Operations in a list. */
const maxListed = 200

/** The state of an operation now. One that was not carried out in time has expired. */
export function approvalState({ state, expires_at }: ListedApprovalRow, now: Micros): ApprovalState {
  const canExpire = state === 'pending' || state === 'approved' || state === 'interrupted'
  return canExpire && now >= expires_at ? 'expired' : state
}

/** Why an action is not possible, for other clients. The command line reads the state and has its own sentences (client/approvals/pending-operations.ts). */
const reasons: Readonly<Record<ApprovalState, string>> = {
  pending: 'it waits for a decision',
  approved: 'it was approved already',
  declined: 'it was declined',
  expired: 'it has expired',
  running: 'a process is running it',
  interrupted: 'it was started already',
  done: 'it was carried out already',
  changed: 'what it would have done has changed since it was approved',
}

function throwNotPossible(state: ApprovalState, action: string): never {
  throw new Failure('approvals.not_possible', {
    text: `This operation cannot be ${action}: ${reasons[state]}.`,
    extra: { state },
  })
}

/** State of an operation after a run. What was not sent can be run again. */
const stateAfter = {
  done: 'done',
  changed: 'changed',
  not_sent: 'approved',
  resumable: 'interrupted',
} as const satisfies Record<RunEnd, ApprovalState>

/** A request of an account about one of its operations. */
interface Target {
  readonly account: number
  readonly id: string
}

/**
 * Stores operations that wait for the approval of a person. Every change holds the lock of the account, so that one decision
 * and one run at a time count, on all servers.
 */
export function approvalService({ connection, clock, secret }: Pick<Deps, 'connection' | 'clock' | 'secret'>) {
  const change = <T>(
    { account, id }: Target,
    apply: (query: AccountQuery, row: ApprovalRow, state: ApprovalState, now: Micros) => Promise<T>,
  ): Promise<T> =>
    connection.write({ account }, async (query) => {
      const now = await clock.now(query)
      const row = await findApproval(query, id)
      if (!row) throw new Failure('approvals.not_found')
      return apply(query, row, approvalState(row, now), now)
    })

  const requireRunner = (row: ApprovalRow, state: ApprovalState, runner: string): void => {
    if (state !== 'running' || row.runner !== runner) throwNotPossible(state, 'continued by this process')
  }

  return {
    /** Returns the newest operations of an account. */
    list: (account: number): Promise<ListedApprovalRow[]> =>
      listApprovals(accountQuery(connection.read, account), maxListed),

    /** @throws Failure `approvals.not_found` */
    async get({ account, id }: Target): Promise<ApprovalRow> {
      const row = await findApproval(accountQuery(connection.read, account), id)
      if (!row) throw new Failure('approvals.not_found')
      return row
    },

    /**
     * Stores a plan, or returns the operation with the same plan that still waits or is approved. `key` is the id of the key
     * that asks. @throws Failure `approvals.too_many`
     */
    create: (account: number, key: number, plan: Plan, askedBy: string | null): Promise<ApprovalRow> =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const hash = hashJson(plan)
        const current = await listCurrentApprovals(query, now)
        const same = current.find((it) => it.hash === hash && it.key_id === key)
        const found = same && (await findApproval(query, same.uuid))
        if (found) return found
        if (current.filter((it) => it.state === 'pending').length >= maxWaiting) throw new Failure('approvals.too_many')
        await deleteApprovalsBefore(query, now - retention)
        const stored = await insertApproval(query, {
          account_id: account,
          uuid: '',
          key_id: key,
          asked_by: askedBy,
          heading: stringifyJson(PlanHeading.parse(plan)),
          plan: canonicalJson(plan),
          hash,
          state: 'pending',
          created_at: now,
          expires_at: now + lifetime,
          decided_at: null,
          decided_by: null,
          reason: null,
          runner: null,
          outcomes: '{}',
        })
        return updateApproval(query, stored.id, { uuid: deterministicUuid(secret(`approval ${stored.id}`, 40)) })
      }),

    /**
     * Approves or declines an operation. `key` is that of the person: a key that decides cannot ask. `hash` is that of the plan
     * that the person read. The first decision counts. @throws Failure `approvals.not_possible`
     */
    decide: (
      target: Target,
      key: number,
      {
        decision,
        hash,
        reason,
      }: { decision: 'approved' | 'declined'; hash: string; reason?: string | null | undefined },
    ): Promise<ApprovalRow> =>
      change(target, async (query, row, state, now) => {
        if (state !== 'pending') throwNotPossible(state, decision)
        if (row.hash !== hash)
          throw new Failure('approvals.not_possible', {
            text: 'This is not the plan that was stored.',
            extra: { state },
          })
        return updateApproval(query, row.id, {
          state: decision,
          decided_at: now,
          decided_by: key,
          reason: reason ?? null,
        })
      }),

    /**
     * Claims an approved operation for one process, or one that was interrupted. `replaces` names a process that was running
     * it and has ended. @throws Failure `approvals.not_possible`
     */
    start: (
      target: Target,
      { runner, replaces }: { runner: string; replaces?: string | null | undefined },
    ): Promise<ApprovalRow> =>
      change(target, async (query, row, state, now) => {
        const hasEnded = state === 'running' && row.runner !== null && row.runner === replaces && now < row.expires_at
        if (state !== 'approved' && state !== 'interrupted' && !hasEnded) throwNotPossible(state, 'run')
        return updateApproval(query, row.id, { state: 'running', runner })
      }),

    /** Records that a request is sent, or its outcome. @throws Failure `approvals.not_possible` for another process */
    recordRequest: (
      target: Target,
      { runner, number, outcome }: { runner: string; number: number; outcome: RequestOutcome },
    ): Promise<void> =>
      change(target, async (query, row, state) => {
        requireRunner(row, state, runner)
        const outcomes = { ...parseJson(row.outcomes), [number]: outcome }
        await updateApproval(query, row.id, { outcomes: stringifyJson(outcomes) })
      }),

    /** Records how a run ended. @throws Failure `approvals.not_possible` for another process */
    end: (target: Target, { runner, end }: { runner: string; end: RunEnd }): Promise<void> =>
      change(target, async (query, row, state) => {
        requireRunner(row, state, runner)
        await updateApproval(query, row.id, { state: stateAfter[end] })
      }),
  }
}
