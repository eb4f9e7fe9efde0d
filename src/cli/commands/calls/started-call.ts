import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type Call, calls } from '../../../contract/resources/calls.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import type { Context } from '../../context.ts'

/** Milliseconds between two reads of the list, and number of reads. Some platforms list a new call a moment later. */
const readIntervalMs = 500
const reads = 6

const outboundCalls = async (context: Context, number: string): Promise<readonly Call[]> =>
  (await context.call(calls.list, { phone_number: number, type: 'outbound', per_page: 5 })).data

/** Returns the highest id of the outbound calls to a number; 0 without any. */
export const newestCallId = async (context: Context, number: string): Promise<number> =>
  // An id beyond 2^53 is a `bigint`, with which `Math.max` fails.
  (await outboundCalls(context, number)).reduce((newest, { id }) => (id > newest ? id : newest), 0)

/**
 * Returns the first outbound call to a number after the call with the id `before`; undefined when the list does not
 * have it after a few seconds.
 */
async function findStartedCall(context: Context, number: string, before: number): Promise<Call | undefined> {
  for (let read = 1; read <= reads; read++) {
    const started = (await outboundCalls(context, number)).filter((it) => it.id > before)
    if (started.length > 0) return started.toSorted((a, b) => (a.id > b.id ? 1 : -1))[0]
    if (read < reads) await context.system.sleep(readIntervalMs, context.system.signal)
  }
  return undefined
}

/** Returns the id that some platforms answer with, beside or inside `data`. */
export function answeredId(answer: unknown): number | undefined {
  const fields = isObject(answer) ? [answer, answer.data] : []
  const id = fields.map((it) => (isObject(it) ? it.call_id : undefined)).find((it) => it !== undefined)
  return Number.isSafeInteger(id) || typeof id === 'bigint' ? (id as number) : undefined
}

/**
 * Reads a started call back: by the id in the answer, else the first new one in the list. `unreadable` if a read failed,
 * after a warning: the call was started, so the failure must not look like one of the call.
 */
export async function readStartedCall(
  context: Context,
  answer: unknown,
  number: string,
  before: number,
): Promise<Call | 'unreadable' | undefined> {
  const id = answeredId(answer)
  try {
    return await (id === undefined ? findStartedCall(context, number, before) : context.call(calls.get, { id }))
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    await context.notes.warn(
      `The platform accepted the call${id === undefined ? '' : ` ${id}`}, but it could not be read: ${error.message} Do not start it again. Check: parley calls list --phone-number ${number}`,
    )
    return 'unreadable'
  }
}
