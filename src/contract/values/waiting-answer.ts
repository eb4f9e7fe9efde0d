import { isObject } from './json-object.ts'

/**
 * What waits for the contact hours, as the answer to its request names it. The platform makes it in `waitingFailure`
 * (platform/services/contacts/outside-hours.ts).
 */
export interface WaitingAnswer {
  readonly id: number
  readonly channel: string
  readonly phone_number: string
  /** When the hours open next. */
  readonly opens_at: string
}

/**
 * Returns what waits, if an answer says that nothing was sent yet. Such an answer has the status 202, and neither the id nor the
 * `success` of something that was sent.
 */
export function waitingOf(answer: unknown): WaitingAnswer | undefined {
  if (!isObject(answer) || answer.success !== false || !isObject(answer.waiting)) return undefined
  const { id, channel, phone_number, opens_at } = answer.waiting
  return typeof id === 'number' &&
    typeof channel === 'string' &&
    typeof phone_number === 'string' &&
    typeof opens_at === 'string'
    ? { id, channel, phone_number, opens_at }
    : undefined
}
