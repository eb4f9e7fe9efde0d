import type { CallMore, Reply } from '../../../client/create-client.ts'
import type { BudgetCheck } from '../../../client/journal/open-operations.ts'
import { detailsFull, detailsHeader } from '../../../contract/automations/automation-headers.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { Context, PlatformCall, PlatformCallOptions, RecordedReply } from '../context.ts'
import { evictDeleted } from '../lists/update-completion-cache.ts'
import { runWithKey } from '../operations/run-with-key.ts'
import type { ConfirmedReply } from '../updates/write-tracker.ts'
import { requireCapability } from './require-capability.ts'

const loadBudget = () => import('../operations/budget.ts')

const fullDetails = { [detailsHeader]: detailsFull }

/** Whether a read may ask for fields that the specification does not list. */
const requestsDetails = ({ risk, headers }: Endpoint, given: CallMore | undefined): boolean =>
  risk === 'read' && given?.acceptsAnyStatus !== true && headers !== undefined && Object.hasOwn(headers, detailsHeader)

/**
 * Whether an endpoint reads or changes blocked contacts, or contacts somebody. A new endpoint that contacts somebody must
 * match, or a block that only this computer knows does not stop it.
 */
const isAboutContacts = ({ name }: Endpoint): boolean =>
  /^contacts\.|^messaging\.send|^sms\.send$|^calls\.start$/.test(name)

/**
 * Creates the call of a command. The order of its steps matters: what refuses a request (blocks, capabilities, a stop,
 * budgets) comes before the value to undo is saved and before the key is used, and nothing comes between these and the request.
 *
 * The client is made at the first use; a deleted resource leaves the completion cache. */
export function createPlatformCall(of: () => Context): PlatformCall {
  /** Remembers what it has read of the journal, for commands that send many rows. */
  let requireBudget: BudgetCheck | undefined
  const send = async (
    endpoint: Endpoint,
    input: unknown,
    { history, ...given }: PlatformCallOptions = {},
  ): Promise<RecordedReply<unknown>> => {
    const context = of()
    const { call: client } = await context.connection()
    if (isAboutContacts(endpoint) && !given.isOutcomeQuery) {
      const local = await import('../contacts/local-contacts.ts')
      const output = await local.answerFromLocalContacts(context, endpoint, input)
      if (output !== undefined) return { output, status: endpoint.status, headers: {}, requestId: '', attempts: 0 }
      await local.requireNotBlockedLocally(context, endpoint, input)
    }
    if (given.acceptsAnyStatus !== true) await requireCapability(context, endpoint, input as object)
    let more =
      requestsDetails(endpoint, given) && (await context.supports('details'))
        ? { ...given, headers: { ...given.headers, ...fullDetails } }
        : given
    const exchange = async (): Promise<Reply<unknown>> => {
      const reply = await client.raw(endpoint, input, more)
      if (endpoint.name === 'user.me' && !more.acceptsAnyStatus)
        await (await import('./account-id.ts')).cacheAccountId(context, reply.output)
      return reply
    }
    if (endpoint.risk === 'read' || endpoint.auth === 'control' || more.acceptsAnyStatus || more.isOutcomeQuery)
      return exchange()
    const write = async (previous: Record<string, unknown> | undefined): Promise<ConfirmedReply<unknown>> => {
      if (endpoint.risk === 'spends') return exchange()
      const { confirmWrite, searchAfterRejection } = await import('../updates/confirm-write.ts')
      const request = {
        endpoint,
        input: input as Record<string, unknown>,
        previous,
        sentAt: context.system.now(),
        isRow: more.isTracked === true,
      }
      const findCreated = searchAfterRejection(context, request)
      more = {
        ...more,
        acceptsIncomplete: true,
        ...(previous && { wasSeen: true }),
        ...(findCreated && { findCreated }),
      }
      return confirmWrite(context, request, await exchange())
    }
    if (endpoint.risk === 'spends')
      await (await import('../operations/stopped-here.ts')).requireNotStoppedHere(context, endpoint, input)
    const { budgetUsd } = context.writeSettings
    // Bulk commands compare the sum of all rows before the first one.
    if (endpoint.risk === 'spends' && budgetUsd !== undefined && !more.isTracked)
      more = { ...more, priceUsd: await (await loadBudget()).requireBudget(context, endpoint, input, more) }
    if (endpoint.risk === 'spends' && (await context.settings()).profile.budget !== undefined) {
      const { openBudgetCheck, readHighestPrice } = await loadBudget()
      requireBudget ??= await openBudgetCheck(context)
      more = { ...more, maxPriceUsd: await readHighestPrice(context, endpoint, input, more), requireBudget }
    }
    const record = async (): Promise<RecordedReply<unknown>> =>
      (await import('../history/recorder.ts')).recordWrite(
        context,
        endpoint,
        input as Record<string, unknown>,
        write,
        history,
      )
    if (endpoint.risk !== 'spends' || context.writeSettings.idempotencyKey === undefined || more.isTracked)
      return record()
    return runWithKey(context, more.idempotencyKey ?? context.writeSettings.idempotencyKey, record)
  }
  const raw = async (
    endpoint: Endpoint,
    input: unknown,
    options?: PlatformCallOptions,
  ): Promise<RecordedReply<unknown>> => {
    const reply = await send(endpoint, input, options)
    if (endpoint.risk === 'destructive' && !options?.acceptsAnyStatus)
      await evictDeleted(of(), endpoint, input as Record<string, unknown>)
    return reply
  }
  const call = async (endpoint: Endpoint, input: unknown, options?: PlatformCallOptions): Promise<unknown> =>
    (await raw(endpoint, input, options)).output
  return Object.assign(call, { raw }) as PlatformCall
}
