import { expect, test } from 'vitest'
import { failureFromResponse } from '../../../src/client/failures/failure-from-response.ts'
import { failureFromTransport } from '../../../src/client/failures/failure-from-transport.ts'
import type { TransportReason } from '../../../src/client/transport/transport.ts'
import { Failure, type FailureName, failures, toEnvelope } from '../../../src/contract/errors/failures.ts'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { answer, lost } from '../../support/scripted-client.ts'

const base = 'https://platform.test'
const reasons: readonly TransportReason[] = ['refused', 'dns', 'tls', 'timeout', 'reset', 'truncated', 'proxy', 'other']
const names = Object.keys(failures) as FailureName[]
const statuses = [200, 301, 400, 401, 403, 404, 405, 407, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504]

/** Advice to check what happened, and advice that repeats the request without a check. */
const says = (hint: string) => ({
  check: /check .*before you repeat|check the live version first/i.test(hint),
  repeat: /try again|run the command again|increase the timeout|\brepeat the (?:command|request)\b/i.test(hint),
})

test.each(endpoints.map((it) => [it.name, it] as const))('%s: every hint has one direction', (_, endpoint) => {
  const without = reasons.flatMap((reason) =>
    [true, false].map((sent) => {
      const { hint = '', exit } = failureFromTransport(lost(reason, sent), endpoint, { base, timeoutMs: 30_000 })
      return {
        case: `${reason}, ${sent ? 'sent' : 'not sent'}`,
        hint,
        exit,
        mayBeDone: sent && endpoint.risk !== 'read',
      }
    }),
  )
  const responses = [
    ...names.map((name) => [name, answer(failures[name].status, toEnvelope(new Failure(name)))] as const),
    ...statuses.flatMap((status) => [
      [`${status} page`, answer(status, '<html><title>Bad gateway</title></html>')] as const,
      [`${status} wait`, answer(status, { message: 'No.' }, { 'retry-after': '30' })] as const,
    ]),
  ]
  const answered = responses.map(([name, response]) => {
    const { hint = '', exit } = failureFromResponse(endpoint, response, { base, now: 0 })
    return { case: name, hint, exit, mayBeDone: exit === 'unknown' }
  })
  for (const failure of [...without, ...answered]) {
    const { check, repeat } = says(failure.hint)
    expect(check && repeat, `${failure.case}: ${failure.hint}`).toBe(false)
    if (failure.mayBeDone) expect(check, `${failure.case}: ${failure.hint}`).toBe(true)
  }
})
