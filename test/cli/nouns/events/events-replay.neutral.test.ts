import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { type Operator, operator, type RunOptions, today } from '../../../support/operator.ts'
import { verify } from '../../../support/platform/webhook-receiver.ts'

const target = 'http://127.0.0.1:3000/hooks'

/** Saves events as `events listen --record` does. */
function record(by: Operator, ...kinds: readonly string[]): void {
  mkdirSync(join(by.cwd, 'events'))
  for (const [n, kind] of kinds.entries())
    writeFileSync(
      join(by.cwd, 'events', `00000${n + 1}-${kind}-msg_${n + 1}.json`),
      JSON.stringify({ id: `msg_${n + 1}`, kind, payload: { id: n + 1 } }),
    )
}

/** Receiver whose responses have the given statuses, in order; null means that there is none. Later ones are 200. */
function receiving(...statuses: (number | null)[]) {
  const received: { readonly headers: Readonly<Record<string, string>>; readonly text: string }[] = []
  const connect: RunOptions['connect'] = async (base) => ({
    base,
    async send({ headers, body }) {
      const status = statuses.length > 0 ? (statuses.shift() as number | null) : 200
      if (status === null) throw new TransportError('refused', 'ECONNREFUSED', false)
      received.push({ headers, text: String(body) })
      return { status, headers: {}, body: '' }
    },
    close: async () => {},
  })
  return { received, connect, ids: () => received.map(({ headers }) => headers['webhook-id']) }
}

const outcomes = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .filter((it) => it.startsWith('{'))
    .map((it) => JSON.parse(it).outcome)

test('recorded events reach a URL in order, signed, with their ids, and another replay sends them again', async () => {
  const by = operator()
  record(by, 'call.ended', 'conversation.ended')
  const { received, connect, ids } = receiving()
  const line = `events replay events --forward-to ${target} -o ndjson`
  const first = await by.run(line, { connect })
  expect([first.exitCode, outcomes(first.stdout)]).toEqual([0, ['sent', 'sent']])
  expect(first.stderr).toContain(`2 sent to ${target}, 0 refused, 0 skipped.`)
  const { secret } = await by.json('server webhooks secret')
  expect(received.map((it) => verify(secret, it, today))).toEqual([{ id: 1 }, { id: 2 }])
  await by.run(line, { connect })
  expect(ids()).toEqual(['msg_1', 'msg_2', 'msg_1', 'msg_2'])
})

test('a replay to a receiver that cannot be reached exits with 9, and continues with the next event', async () => {
  const by = operator()
  record(by, 'call.ended', 'call.ended', 'call.ended')
  const { connect, ids } = receiving(200, null)
  const line = `events replay events --forward-to ${target} -o ndjson`
  const cut = await by.run(line, { connect })
  expect([cut.exitCode, outcomes(cut.stdout)]).toEqual([9, ['sent', 'unreachable']])
  expect(cut.stderr).toContain('2 remaining. Run the same command to continue.')
  const rest = await by.run(line, { connect })
  expect([rest.exitCode, rest.stderr]).toEqual([0, expect.stringContaining('Resuming an interrupted replay.')])
  expect(ids()).toEqual(['msg_1', 'msg_2', 'msg_3'])
})

test('a receiver that refuses an event is named by exit code 20, and the others are sent', async () => {
  const by = operator()
  record(by, 'call.ended', 'call.ended')
  const { connect } = receiving(500)
  const { exitCode, stdout } = await by.run(`events replay events --forward-to ${target} -o ndjson`, { connect })
  expect([exitCode, outcomes(stdout)]).toEqual([20, ['refused', 'sent']])
})

test('the local platform triggers recorded events of an assistant, and skips those that no assistant has', async () => {
  const by = operator()
  record(by, 'conversation.ended', 'number.purchased')
  const planned = await by.run('events replay events --assistant Recall --dry-run -o ndjson')
  expect(outcomes(planned.stdout)).toEqual(['planned', 'skipped'])
  await by.run('assistants enable-webhook Recall --event conversation-ended --webhook-url https://hooks.example/ended')
  const { exitCode, stdout, stderr } = await by.run('events replay events --assistant Recall -o ndjson')
  expect([exitCode, outcomes(stdout), stderr]).toEqual([
    0,
    ['sent', 'skipped'],
    expect.stringContaining('1 sent to assistant'),
  ])
})

test('an event that the assistant has no receiver for is named, and the same command sends it once there is one', async () => {
  const by = operator()
  record(by, 'call.ended')
  const line = 'events replay events --assistant 1 -o ndjson'
  const unreceived = await by.run(line)
  expect([unreceived.exitCode, outcomes(unreceived.stdout)]).toEqual([20, ['no_receiver']])
  expect(unreceived.stderr).toContain('1 without a receiver')
  expect(unreceived.stderr).toContain('parley assistants enable-webhook')
  await by.run('assistants enable-webhook 1 --event post-call --webhook-url https://hooks.example/calls')
  const received = await by.run(line)
  expect([received.exitCode, outcomes(received.stdout)]).toEqual([0, ['sent']])
})

test('a folder without events, a damaged file and missing flags are refused before anything is sent', async () => {
  const by = operator()
  const { connect, received } = receiving()
  const replay = async (flags: string) => {
    const { exitCode, stderr } = await by.run(`events replay ${flags}`, { connect })
    return [exitCode, stderr]
  }
  expect(await replay(`none --forward-to ${target}`)).toEqual([2, expect.stringMatching(/Folder .*none not found\./)])
  record(by, 'call.ended')
  expect(await replay('events')).toEqual([2, expect.stringContaining('Missing --forward-to or --assistant.')])
  expect(await replay(`events --assistant 1 --forward-to ${target}`)).toEqual([2, expect.stringContaining('Only one')])
  expect(await replay('events --forward-to 127.0.0.1')).toEqual([2, expect.stringContaining('Invalid --forward-to')])
  writeFileSync(join(by.cwd, 'events', '000002-call.ended-msg_2.json'), '{"id":')
  expect(await replay(`events --forward-to ${target}`)).toEqual([2, expect.stringContaining('is not a recorded event')])
  expect(received).toEqual([])
})
