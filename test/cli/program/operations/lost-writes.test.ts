import { expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

test('a write that was carried out and is answered with 408 is unknown: its history entry remains', async () => {
  const by = operator()
  const through: Through = async (handle, request) => {
    const answer = await handle(request)
    return request.method === 'GET'
      ? answer
      : { status: 408, headers: { 'content-type': 'text/html' }, body: 'Timeout' }
  }
  const run = await by.run('tools update 1 --tool-timeout 9', { through })
  expect([run.exitCode, run.stderr]).toEqual([
    8,
    expect.stringContaining('The request may have succeeded. Check before you repeat it: parley tools list.'),
  ])
  const [entry] = await by.json('history list')
  expect(entry).toMatchObject({ noun: 'tools', action: 'update' })
  expect(await by.json('history list --all-writes')).toMatchObject([
    { outcome: 'unknown', status: 408, entry: entry.entry },
  ])
})

test.each([
  [true, 'hint: The request may have succeeded. Check before you repeat it: parley tools list.'],
  [false, ''],
])('Ctrl-C during a write names how to check it if it was sent (%s)', async (isSent, text) => {
  const by = operator()
  const interrupt = new AbortController()
  const through: Through = async (handle, request) => {
    if (request.method === 'GET') return handle(request)
    if (isSent) await handle(request)
    interrupt.abort(130)
    throw new TransportError('aborted', 'interrupted', isSent)
  }
  const run = await by.run('tools update 1 --tool-timeout 9', { through, interrupt })
  expect([run.exitCode, run.stdout]).toEqual([130, ''])
  if (isSent) expect(run.stderr).toContain(text)
  else expect(run.stderr).toBe('')
})
