import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { property } from '../../../client/response-body.ts'
import { unwrap } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { containsMasked } from './undo-plan.ts'

/** Fields that every write sets. */
const timeFields = new Set(['updated_at', 'modified_at'])

interface WriteComparison {
  /** The resource before and after the write, without secrets. */
  readonly before: ResourceRecord
  readonly after: ResourceRecord
  /** The sent fields, without secrets. */
  readonly sent: ResourceRecord
}

/**
 * Returns whether an update certainly changed nothing. Sent fields that the response does not show, and secrets, may
 * have changed. recorder.ts then removes the history entry: a change that is overlooked here could not be undone.
 */
export function isUnchanged({ before, after, sent }: WriteComparison): boolean {
  if (containsMasked(sent) || Object.keys(sent).some((name) => !Object.hasOwn(after, name))) return false
  return Object.entries(after).every(
    ([name, value]) =>
      timeFields.has(name) ||
      (Object.hasOwn(before, name)
        ? isDeepStrictEqual(before[name] ?? null, value ?? null)
        : !Object.hasOwn(sent, name)),
  )
}

/** Returns whether the response of an automation says that its name and state were not changed. */
export const saysUnchanged = (data: unknown, sent: ResourceRecord): boolean =>
  property(data, 'updated') === false && sent.flow === undefined

const unchangedAnswers = new WeakSet<object>()

/** Marks the answer to an update that changed nothing. */
export function markUnchanged(answer: unknown): void {
  if (typeof answer === 'object' && answer !== null) unchangedAnswers.add(answer)
}

/** Returns whether an answer belongs to an update that changed nothing. */
export const isUnchangedAnswer = (answer: object): boolean => unchangedAnswers.has(answer)

/** Returns the answer of an update that was not sent, because the live record has all of its values already. */
export function unchangedAnswer({ output, record }: Endpoint, live: ResourceRecord): object {
  const message = 'No changes'
  const shown = record === undefined ? undefined : unwrap((output as z.ZodObject).shape[record] as z.ZodType).base
  const names = Object.keys((shown as z.ZodObject | undefined)?.shape ?? {})
  const picked = Object.fromEntries(names.filter((name) => Object.hasOwn(live, name)).map((name) => [name, live[name]]))
  const answer = record === undefined ? { message } : { message, [record]: picked }
  markUnchanged(answer)
  return answer
}
