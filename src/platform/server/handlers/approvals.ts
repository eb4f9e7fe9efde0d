import { type Approval, approvals, type ListedApproval } from '../../../contract/resources/approvals.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { approvalService, approvalState } from '../../services/runtime/approvals.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { ApprovalRow, ListedApprovalRow } from '../../store/accounts/approvals.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const approvalResource = (deps: Deps): LoadedResource => loadedResource(approvals, approvalHandlers(deps))

/** Creates the handlers of operations that wait for the approval of a person. */
function approvalHandlers(deps: Deps): HandlersOf<typeof approvals> {
  const service = approvalService(deps)
  const toWire = async (row: ListedApprovalRow): Promise<Omit<Approval, 'plan'>> => ({
    id: row.uuid,
    created_at: toIsoMicros(row.created_at),
    expires_at: toIsoMicros(row.expires_at),
    asked_by: row.asked_by,
    state: approvalState(row, await deps.clock.now()),
    hash: row.hash,
    decided_at: row.decided_at === null ? null : toIsoMicros(row.decided_at),
    reason: row.reason,
    runner: row.runner,
    outcomes: parseJson(row.outcomes),
  })
  const listed = async (row: ListedApprovalRow): Promise<ListedApproval> => ({
    ...(await toWire(row)),
    plan: parseJson(row.heading),
  })
  const whole = async (row: ApprovalRow): Promise<{ data: Approval }> => ({
    data: { ...(await toWire(row)), plan: parseJson(row.plan) },
  })
  return {
    list: async (_, { account }) => ({ data: await Promise.all((await service.list(account.id)).map(listed)) }),
    get: async ({ id }, { account }) => whole(await service.get({ account: account.id, id })),
    create: async ({ plan, asked_by }, { account, keyId }) =>
      whole(await service.create(account.id, keyId, plan, asked_by)),
    decide: async ({ id, ...decision }, { account, keyId }) =>
      whole(await service.decide({ account: account.id, id }, keyId, decision)),
    start: async ({ id, ...run }, { account }) => whole(await service.start({ account: account.id, id }, run)),
    async recordRequest({ id, ...request }, { account }) {
      await service.recordRequest({ account: account.id, id }, request)
      return { message: 'Recorded.' }
    },
    async end({ id, ...run }, { account }) {
      await service.end({ account: account.id, id }, run)
      return { message: 'Recorded.' }
    },
  }
}
