import { Failure } from '../../../contract/errors/failures.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import {
  findWaitingContact,
  listWaitingContacts,
  updateWaitingContact,
  type WaitingContactFilters,
  type WaitingContactRow,
} from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { type JobRow, releaseJob } from '../../store/runtime/scheduled-jobs.ts'
import { payerOf, requireLiveKey } from '../billing/key-budget.ts'
import { callService } from '../calls/call-service.ts'
import { sendService } from '../messaging/send-service.ts'
import { smsService } from '../messaging/sms-service.ts'
import { waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'
import { recordIfRefused } from './contact-permission.ts'
import { notWaiting, WaitingFailure, waitingJobKind, waitingSubject } from './outside-hours.ts'

/** Starts what waits until the hours of its account are open, and lists it. */
export function waitingContactService(deps: Deps) {
  const { connection, clock } = deps
  const sends = sendService(deps)
  const sms = smsService(deps)
  const calls = callService(deps)

  /** Starts something that waits, and returns the id of what was started. @throws Failure */
  async function start(row: WaitingContactRow): Promise<number> {
    const read = accountQuery(connection.read, row.account_id)
    const owner = await findAccount(read, row.account_id)
    if (!owner) throw new Failure('accounts.not_found')
    const account = payerOf(owner, row.key_id)
    await requireLiveKey(read, account, await clock.now())
    const request = parseJson(row.request)
    // A repeated job finds by this key what an earlier one has started. The key of the request may name something else after a day.
    const key = `waiting-${row.id}-${row.created_at}`
    const outside = { waiting: row.id }
    if (request.template) return (await sends.template(account, request.template, key, outside)).id
    if (request.freeform) return (await sends.freeform(account, request.freeform, key, outside)).id
    if (request.sms) return (await sms.send(account, request.sms, key, outside)).id
    if (request.call) return (await calls.start(account, request.call, key, outside)).id
    throw new Error(`Waiting contact ${row.id} has no request.`)
  }

  return {
    /** Returns one page of what waits or waited, newest first, and the total. `page` counts from 1. */
    list: (
      account: number,
      filters: WaitingContactFilters,
      { page, perPage }: { readonly page: number; readonly perPage: number },
    ): Promise<{ items: WaitingContactRow[]; total: number }> =>
      listWaitingContacts(accountQuery(connection.read, account), filters, {
        offset: (page - 1) * perPage,
        limit: perPage,
      }),

    /** Cancels something that waits, and returns it; also what was cancelled before. @throws Failure 404, 409 if it does not wait */
    cancel: (account: number, id: number): Promise<WaitingContactRow> =>
      connection.write({ account }, async (query) => {
        const row = await findWaitingContact(query, id)
        if (!row || row.state === 'parked') throw new Failure('contacts.waiting_not_found')
        if (row.state === 'cancelled') return row
        if (row.state !== 'waiting') throw notWaiting(row.state)
        const change = { state: 'cancelled', updated_at: await clock.now(query) } as const
        await updateWaitingContact(query, id, change)
        await unscheduleJob(query, waitingJobKind, waitingSubject(account, id))
        return { ...row, ...change }
      }),

    /** Scheduled job: starts something that waits, lets it wait on, or reports that it cannot be sent any more. */
    async release(job: JobRow): Promise<void> {
      if (await waitsForResume(deps, job)) return
      const { account_id: account, subject } = job
      const id = Number(subject.split('.').at(-1))
      const row = await findWaitingContact(accountQuery(connection.read, account), id)
      let failure: Failure | undefined
      let startedId: number | null = null
      if (row?.state === 'waiting') {
        try {
          startedId = await start(row)
        } catch (error) {
          // Its job has another time now.
          if (error instanceof WaitingFailure) return
          if (!(error instanceof Failure)) throw error
          // It was stopped since: the job is repeated, and waits.
          if (error.kind === 'user.stopped')
            return connection.write({ rows: account }, (query) => releaseJob(query, job))
          failure = error
        }
      }
      await connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        if (row && failure) {
          const { kind, message: text, providerCode: code } = failure
          const stored = stringifyJson({ kind, text, ...(code !== undefined && { code }) })
          await updateWaitingContact(query, id, { state: 'failed', failure: stored, updated_at: now })
          const contact = { channel: row.channel, phone: row.phone_number, subject: `waiting ${id}` }
          if (kind === 'contacts.blocked') await recordIfRefused(query, contact, now)
        } else if (row)
          await updateWaitingContact(query, id, { state: 'started', started_id: startedId, updated_at: now })
        await unscheduleJob(query, job.kind, subject)
      })
    },
  }
}
