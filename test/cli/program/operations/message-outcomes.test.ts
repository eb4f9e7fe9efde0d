import { describe, expect, test } from 'vitest'
import { TransportError, type TransportReason } from '../../../../src/client/transport/transport.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const line = 'messaging send --sender 1 --template 2 --to +14155550111'
type Through = NonNullable<RunOptions['through']>

const states = async ({ json }: Operator): Promise<string[]> =>
  (await json('ops list')).map((it: { state: string }) => it.state)
const paid = async ({ json }: Operator): Promise<number[]> =>
  (await json('server accounts ledger 1'))
    .filter(({ reference }: { reference: string }) => !/(^|-)seed$/.test(reference))
    .map((it: { amount: number }) => it.amount)

/** Lets the platform do its work and loses the answer. */
const commitThen =
  (reason: TransportReason): Through =>
  async (handle, request) => {
    const answer = await handle(request)
    if (request.method === 'POST') throw new TransportError(reason, 'socket hang up', true)
    return answer
  }

/** Loses the request before the platform has it. */
const lose: Through = async (handle, request) => {
  if (request.method === 'POST') throw new TransportError('reset', 'lost', true)
  return handle(request)
}

describe('a message', () => {
  test.each(['reset', 'timeout'] as const)(
    'whose response is lost (%s) is sent once, is reported as unknown, and is found by reconcile',
    async (reason) => {
      const by = operator()
      const lost = await by.run(`${line} --json`, { through: commitThen(reason) })
      expect(lost).toMatchObject({ exitCode: 12, stdout: '' })
      expect(lost.requests.filter((it) => it.startsWith('POST'))).toHaveLength(1)
      expect(JSON.parse(lost.stderr).error).toMatchObject({
        code: 'outcome_unknown',
        next: ['parley ops list', 'parley ops reconcile'],
      })
      expect([await states(by), await paid(by)]).toEqual([['unknown'], [-0.008]])
      expect((await by.run('ops list')).stdout).toContain('+14155550111')
      const found = await by.run('ops reconcile --json')
      expect(found).toMatchObject({ exitCode: 0 })
      expect(JSON.parse(found.stdout)).toMatchObject([
        {
          state: 'done',
          detail: { reconciled: 'The message was carried out.', conversation_id: 7, message_sid: expect.any(String) },
        },
      ])
      expect([await states(by), await paid(by)]).toEqual([['done'], [-0.008]])
      expect(await by.run('ops reconcile')).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: 'Nothing to reconcile.\n',
      })
    },
  )

  test('without a template is found as well', async () => {
    const by = operator()
    expect(
      await by.run('messaging send --sender 1 --to +14155550142 --text Hi', { through: commitThen('reset') }),
    ).toMatchObject({ exitCode: 12 })
    expect(await by.run('ops reconcile')).toMatchObject({ exitCode: 0 })
    expect([await states(by), await paid(by)]).toEqual([['done'], [-0.004]])
  })

  test('that was refused with a lost response is resolved as refused', async () => {
    const by = operator()
    expect(await by.run(line.replace('+14155550111', '+15005550101'), { through: commitThen('reset') })).toMatchObject({
      exitCode: 12,
    })
    const found = await by.run('ops reconcile --json')
    expect(found).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(found.stdout)).toMatchObject([
      { state: 'refused', detail: { reconciled: 'The platform refused the message.', code: 'PROVIDER_ERROR_63024' } },
    ])
    expect(await paid(by)).toEqual([-0.008, 0.008])
  })

  test('that never arrived stays unknown for a while, and is then resolved as not sent, without sending it', async () => {
    const by = operator()
    expect(await by.run(line, { through: lose })).toMatchObject({ exitCode: 12 })
    expect(await by.run('ops reconcile')).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('Run this command again in two minutes.'),
    })
    by.wait(121_000)
    const found = await by.run('ops reconcile --json')
    expect(found).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(found.stdout)).toMatchObject([
      { state: 'refused', detail: { reconciled: 'The platform has no such message.' } },
    ])
    expect(await paid(by)).toEqual([])
  })

  test('sent days ago is still found', async () => {
    const by = operator()
    await by.run(line, { through: commitThen('reset') })
    by.wait(3 * 86_400_000)
    expect(await by.run('ops reconcile')).toMatchObject({ exitCode: 0 })
    expect([await states(by), await paid(by)]).toEqual([['done'], [-0.008]])
  })

  test('on another platform is never sent again: the evidence is shown, and it stays unknown', async () => {
    const by = operator()
    const requests: string[] = []
    const connect: RunOptions['connect'] = async () => ({
      base: 'https://platform.example',
      close: async () => {},
      send: async (request) => {
        requests.push(`${request.method} ${request.url}`)
        if (request.method === 'POST') throw new TransportError('reset', 'reset', true)
        const session = {
          success: true,
          has_conversation: true,
          conversation_id: 12,
          session_status: {
            is_open: true,
            can_send_freeform: true,
            requires_template: false,
            message: 'Open',
            expires_at: '2026-08-05T11:00:00Z',
          },
        }
        return {
          status: 200,
          headers: {},
          body: JSON.stringify(
            request.url.includes('session') ? session : { name: 'A', email: 'a@b.example', total_balance: 1 },
          ),
        }
      },
    })
    await by.run('profile set staging --url https://platform.example --api-key-stdin', {
      stdin: '1|abcdefghijklmnopqrstuvwxyz',
    })
    expect(await by.run(`${line} -p staging`, { connect })).toMatchObject({ exitCode: 12 })
    requests.length = 0
    by.wait(600_000)
    const looked = await by.run('ops reconcile -p staging', { connect })
    expect(looked).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('conversation 12 and a window that closes 2026-08-05T11:00:00Z'),
    })
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect((await by.json('ops list'))[0]).toMatchObject({
      state: 'unknown',
      detail: { evidence: { has_conversation: true, conversation_id: 12, is_open: true } },
    })
  })
})

describe('the limit of five messages per second', () => {
  test('delays no longer than necessary, and reports the reason', async () => {
    const by = operator({ clock: 'real' })
    await by.run('keys list')
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, n) => by.run(`messaging send --sender 1 --template 2 --to +1415555${2000 + n}`)),
    )
    expect(runs.map((it) => it.exitCode)).toEqual(Array(12).fill(0))
    expect(runs.some((it) => it.stderr.includes('The platform returned 429. Retrying in'))).toBe(true)
  })

  test('exits with 7 if the clock is frozen or waiting is disabled', async () => {
    const by = operator()
    await by.run('server clock freeze')
    for (let n = 0; n < 5; n++) expect((await by.run(line)).exitCode).toBe(0)
    const frozen = await by.run(line)
    expect(frozen).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('parley server clock advance') })
    expect(frozen.requests.filter((it) => it.startsWith('POST'))).toHaveLength(1)
    await by.run('server clock resume')
    by.wait(2000)
    for (let n = 0; n < 5; n++) await by.run(line)
    const hasty = await by.run(`${line} --retries 0`)
    expect(hasty).toMatchObject({ exitCode: 7 })
    expect(hasty.requests.filter((it) => it.startsWith('POST'))).toHaveLength(1)
    expect(await states(by)).toEqual(['refused', ...Array(5).fill('done'), 'refused', ...Array(5).fill('done')])
  })
})
