import { expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { capabilitiesHeader } from '../../../../src/contract/endpoint/capabilities.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

/** Carries out the first request with a method, and loses its answer. */
function loses(method: string, more: { readonly isParley?: boolean } = {}): Required<Pick<RunOptions, 'through'>> {
  let isLost = false
  return {
    async through(handle, request) {
      const { headers, ...answer } = await handle(request)
      if (request.method === method && !isLost) {
        isLost = true
        throw new TransportError('reset', 'gone', true)
      }
      const { [capabilitiesHeader]: _, ...plain } = headers
      return { ...answer, headers: more.isParley === false ? plain : headers }
    },
  }
}

const sent = (requests: readonly string[], method: string) => requests.filter((it) => it.startsWith(`${method} `))

test('an update whose answer was lost is repeated under its key and done', async () => {
  const by = operator()
  const { exitCode, requests, stderr } = await by.run('tools update 1 --description "New text."', loses('PUT'))
  expect([exitCode, stderr]).toEqual([0, expect.any(String)])
  expect(sent(requests, 'PUT')).toHaveLength(2)
  expect(await by.json('tools get 1')).toMatchObject({ description: 'New text.' })
})

test('a deletion whose answer was lost is repeated under its key and done', async () => {
  const by = operator()
  const { exitCode, stdout, requests, stderr } = await by.run(
    'tools delete 1 --confirm lookup_patient',
    loses('DELETE'),
  )
  expect([exitCode, stderr]).toEqual([0, expect.any(String)])
  expect(stdout).toContain('deleted')
  expect(sent(requests, 'DELETE')).toHaveLength(2)
})

test('without idempotency, a deletion that finds nothing the second time was done by an earlier attempt', async () => {
  const by = operator()
  const { exitCode, stdout, stderr } = await by.run(
    'tools delete 1 --confirm lookup_patient',
    loses('DELETE', { isParley: false }),
  )
  expect([exitCode, stderr]).toEqual([0, expect.any(String)])
  expect(stdout).toMatch(/deleted by an earlier attempt/)
})

test('without idempotency, an update is not repeated', async () => {
  const by = operator()
  const line = 'tools update 1 --description "New text."'
  const { exitCode, requests, stderr } = await by.run(line, loses('PUT', { isParley: false }))
  expect(exitCode).not.toBe(0)
  expect(stderr).toMatch(/may have succeeded/)
  expect(sent(requests, 'PUT')).toHaveLength(1)
})
