import { type Call, calls } from '../../../contract/resources/calls.ts'
import type { Context } from '../../context.ts'

/** Milliseconds between two reads of the list, and number of reads. Some platforms list a new call a moment later. */
const readIntervalMs = 500
const reads = 6

const outboundCalls = async (context: Context, number: string): Promise<readonly Call[]> =>
  (await context.call(calls.list, { phone_number: number, type: 'outbound', per_page: 5 })).data

/** Returns the highest id of the outbound calls to a number; 0 without any. */
export const newestCallId = async (context: Context, number: string): Promise<number> =>
  Math.max(0, ...(await outboundCalls(context, number)).map((it) => it.id))

/**
 * Returns the first outbound call to a number after the call with the id `before`; undefined when the list does not
 * have it after a few seconds. No endpoint returns the id of a started call.
 */
export async function findStartedCall(context: Context, number: string, before: number): Promise<Call | undefined> {
  for (let read = 1; read <= reads; read++) {
    const started = (await outboundCalls(context, number)).filter((it) => it.id > before)
    if (started.length > 0) return started.toSorted((a, b) => a.id - b.id)[0]
    if (read < reads) await context.system.sleep(readIntervalMs, context.system.signal)
  }
  return undefined
}
