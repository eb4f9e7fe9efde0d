import { Failure } from '../../../contract/errors/failures.ts'
import { findClosed, zonesOfRecipient } from '../../../contract/values/contact-hours.ts'
import { messagePriceOf } from '../../../contract/values/message-prices.ts'
import { loadZonesOfNumbers } from '../../../contract/values/number-zones.ts'
import type { MicroUsd } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { requireValue } from '../../../node/require-value.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import { findContactHours } from '../../store/contacts/contact-hours.ts'
import type { WaitingRequest } from '../../store/contacts/tables.ts'
import {
  findWaitingContact,
  listWaitingContacts,
  updateWaitingContact,
  type WaitingContactFilters,
  type WaitingContactRow,
} from '../../store/contacts/waiting-contacts.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findTemplate } from '../../store/messaging/message-templates.ts'
import { findSender } from '../../store/messaging/senders.ts'
import { type JobRow, releaseJob } from '../../store/runtime/scheduled-jobs.ts'
import { callCost } from '../billing/call-prices.ts'
import { payerOf, requireLiveKey } from '../billing/key-budget.ts'
import { callService } from '../calls/call-service.ts'
import { fillTemplate } from '../messaging/send-rules.ts'
import { sendService } from '../messaging/send-service.ts'
import { smsCost, smsService } from '../messaging/sms-service.ts'
import { waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'
import { recordIfRefused } from './contact-permission.ts'
import { notWaiting, WaitingFailure, waitingJobKind, waitingSubject } from './outside-hours.ts'

/** What people see of something that waits or waited. */
export interface DescribedWaiting {
  readonly row: WaitingContactRow
  readonly content: string | null
  /** Most that it costs; null if it is not known. */
  readonly maxCost: MicroUsd | null
  readonly zones: readonly string[]
  readonly source: 'number' | 'account'
  readonly closed: ReturnType<typeof findClosed>
}

/** Returns a function that reads each value once. Much of what waits has the same template or assistant. */
function readOnce<T>(read: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const known = new Map<number, Promise<T>>()
  return (id) => {
    const found = known.get(id) ?? read(id)
    known.set(id, found)
    return found
  }
}

/** Returns a function that reads what a request sends, and the most that it costs. What was deleted since is null. */
function contentReader(query: AccountQuery) {
  const assistantOf = readOnce((id) => findAssistant(query, id))
  const templatesOf = readOnce(async (id) => {
    const sender = await findSender(query, id)
    return readOnce(async (template) => sender && findTemplate(query, sender, template))
  })
  return async ({
    template,
    freeform,
    sms,
    call,
  }: WaitingRequest): Promise<Pick<DescribedWaiting, 'content' | 'maxCost'>> => {
    if (sms) return { content: sms.body, maxCost: smsCost(sms.body) }
    if (freeform) return { content: freeform.message ?? freeform.mediaUrl ?? null, maxCost: messagePriceOf('freeform') }
    if (call) {
      const assistant = await assistantOf(call.assistantId)
      const maxSeconds = assistant && parseJson(assistant.settings).max_duration
      return { content: assistant?.name ?? null, maxCost: typeof maxSeconds === 'number' ? callCost(maxSeconds) : null }
    }
    const found = template && (await (await templatesOf(template.senderId))(template.templateId))
    if (!found) return { content: null, maxCost: null }
    return {
      content: filledText(found.body_text, parseJson(found.variables), template.variables),
      maxCost: messagePriceOf(found.category),
    }
  }
}

/** Returns the text of a template with its values; without them if they do not fit any more. */
function filledText(text: string, names: readonly string[], given: Readonly<Record<string, string>>): string {
  try {
    return fillTemplate(text, names, given).body
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return text
  }
}

/** Starts what waits until the hours of its account are open, and lists it. */
export function waitingContactService(deps: Deps) {
  const { connection, clock } = deps
  const sends = sendService(deps)
  const sms = smsService(deps)
  const calls = callService(deps)

  /** Starts something that waits, and returns the id of what was started. @throws Failure */
  async function start(row: WaitingContactRow, isNow = false): Promise<number> {
    const read = accountQuery(connection.read, row.account_id)
    const owner = await findAccount(read, row.account_id)
    if (!owner) throw new Failure('accounts.not_found')
    const account = payerOf(owner, row.key_id)
    await requireLiveKey(read, account, await clock.now())
    const request = parseJson(row.request)
    // A repeated job finds by this key what an earlier one has started, so it never changes. The key of the request may name something
    // else after a day.
    const key = `waiting-${row.id}-${row.created_at}`
    const outside = { waiting: row.id, isNow }
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

    /** Returns what people see of something that waits or waited. */
    async describe(account: number, rows: readonly WaitingContactRow[]): Promise<DescribedWaiting[]> {
      const read = accountQuery(connection.read, account)
      const [hours, zonesOf, now] = await Promise.all([findContactHours(read), loadZonesOfNumbers(), clock.now()])
      const contentOf = contentReader(read)
      const found: DescribedWaiting[] = []
      for (const row of rows) {
        const { zones, source } = zonesOfRecipient(zonesOf, row.phone_number, hours?.timezone)
        const closed = row.state === 'waiting' && hours ? findClosed([{ hours, zones }], now) : undefined
        found.push({ row, ...(await contentOf(parseJson(row.request))), zones, source, closed })
      }
      return found
    },

    /**
     * Starts something that waits at once, and returns it; also what was started before. Its send and its end of waiting are one
     * transaction, so that a repeated request, or its job, starts nothing more. What is refused waits on.
     * @throws Failure 404, 409 if it does not wait, and those of its send
     */
    async sendNow(account: number, id: number): Promise<WaitingContactRow> {
      const read = accountQuery(connection.read, account)
      const row = await findWaitingContact(read, id)
      if (!row || row.state === 'parked') throw new Failure('contacts.waiting_not_found')
      if (row.state === 'started') return row
      if (row.state !== 'waiting') throw notWaiting(row.state)
      await start(row, true)
      return connection.write({ account }, async (query) => {
        await unscheduleJob(query, waitingJobKind, waitingSubject(account, id))
        return requireValue(await findWaitingContact(query, id))
      })
    },

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
