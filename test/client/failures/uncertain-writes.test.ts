import { expect, test } from 'vitest'
import { ClientFailure } from '../../../src/client/failures/client-failure.ts'
import { isOutcomeUncertain, isRefusedWrite } from '../../../src/client/failures/uncertain-writes.ts'

test.each([408, 502, 503, 504])('after status %i a write may have been carried out', (status) => {
  expect(isOutcomeUncertain(status)).toBe(true)
  expect(isRefusedWrite(new ClientFailure({ exit: 'platform', code: 'x', message: 'No.', status, sent: true }))).toBe(
    false,
  )
})

test.each([400, 401, 402, 403, 404, 409, 422, 429])('after status %i a write has changed nothing', (status) => {
  expect(isOutcomeUncertain(status)).toBe(false)
  expect(isRefusedWrite(new ClientFailure({ exit: 'rejected', code: 'x', message: 'No.', status, sent: true }))).toBe(
    true,
  )
})
