import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const isPost = (request: { readonly method: string }): boolean => request.method === 'POST'

/** Lets the platform do its work; something in between answers 502. */
const commitThen502: Through = async (handle, request) => {
  const answer = await handle(request)
  return isPost(request) && !request.headers['parley-recall']
    ? { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
    : answer
}

const both =
  (a: Through, b: Through): Through =>
  (handle, request) =>
    a((it) => b(handle, it), request)

const posts = ({ requests }: Run): number => requests.filter((it) => it.startsWith('POST')).length
const owned = async ({ json }: Operator): Promise<number> => (await json('numbers list')).length
const states = async ({ json }: Operator): Promise<string[]> =>
  (await json('ops list')).map((it: { state: string }) => it.state)

describe('an operation after an equal one with an unknown outcome', () => {
  test.each([
    [
      'a purchase by country',
      'numbers buy --country US --max-price 3 --yes',
      'numbers buy --country US --max-price 5 --yes',
    ],
    ['a purchase of a number', 'numbers buy +15005550006 --yes', 'numbers buy "+1 500 555 0006" --yes'],
    [
      'a message',
      'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var 2=Monday',
      'messaging send --sender 1 --template 1 --to "+1 (415) 555-0111" --var appointment_day=Monday --var first_name=Anna',
    ],
    ['the start of a campaign', 'campaigns start 1 --yes', 'campaigns start 1 --yes'],
  ])('is stopped with exit 12, and names the entry: %s', async (_, line, again) => {
    const by = operator()
    const before = await owned(by)
    expect((await by.run(line, { through: commitThen502 })).exitCode).toBe(12)
    const [{ id }] = await by.json('ops list --open')
    const stopped = await by.run(again)
    expect([stopped.exitCode, stopped.stdout, posts(stopped)]).toEqual([12, '', 0])
    expect(stopped.stderr).toContain(`(entry ${id.slice(0, 8)}, 2026-08-04 12:00 UTC). Nothing was sent.`)
    expect(stopped.stderr).toContain(`parley ops reconcile. To continue anyway: --ignore-open ${id.slice(0, 8)}`)
    expect(await by.json('ops list')).toHaveLength(1)
    if (line.startsWith('numbers')) expect(await owned(by)).toBe(before + 1)
    expect((await by.run('ops reconcile')).exitCode).toBe(0)
    expect((await by.run(again)).stderr).not.toContain('--ignore-open')
  })

  test('continues with --ignore-open and the entry, and only with that entry', async () => {
    const by = operator()
    const line = 'numbers buy --country US --max-price 3 --yes'
    await by.run(line, { through: commitThen502 })
    const [{ id }] = await by.json('ops list --open')
    expect(await by.run(`${line} --ignore-open 00000000`)).toMatchObject({ exitCode: 12 })
    expect(await by.run(`${line} --ignore-open ab`)).toMatchObject({ exitCode: 2, requests: [] })
    expect(await by.run(`${line} --ignore-open ${id.slice(0, 8)}`)).toMatchObject({ exitCode: 0 })
  })

  test('is not stopped if its choice, recipient, variable, text, platform or account differs', async () => {
    const by = operator()
    const send = 'messaging send --sender 1 --template opening_hours --to'
    await by.run('numbers buy --country US --max-price 3 --yes', { through: commitThen502 })
    await by.run(`${send} +14155550111`, { through: commitThen502 })
    expect((await by.run('numbers buy --country US --contains 415 --max-price 9 --yes')).stderr).not.toContain(
      '--ignore-open',
    )
    expect((await by.run('numbers buy +15005550006 --yes')).exitCode).toBe(0)
    expect((await by.run(`${send} +14155550112`)).exitCode).toBe(0)
    const second = (
      await by.run('server accounts create --name Second --payment-method pm_card_visa -o id -q')
    ).stdout.trim()
    expect(
      (await by.run('numbers buy --country US --max-price 3 --yes', { env: { PARLEY_API_KEY: second } })).exitCode,
    ).toBe(0)
  })

  test('is stopped after an entry that an interrupted process left open as well', async () => {
    const by = operator()
    const interrupt = new AbortController()
    const through: Through = async (handle, request) => {
      const answer = await handle(request)
      if (isPost(request)) throw new TransportError('reset', 'lost', true)
      return answer
    }
    await by.run('api numbers.buy --data "{phone_number: +15005550006}" --yes', { interrupt, through })
    expect(await by.run('numbers buy +15005550006 --yes')).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('--ignore-open'),
    })
  })
})

describe('--idempotency-key', () => {
  const pick = 'numbers buy --country US --max-price 3 --yes --idempotency-key job-7'

  test('makes a purchase by country happen once, even if the retry runs on a machine without the journal', async () => {
    const by = operator()
    const before = await owned(by)
    for (const isElsewhere of [true, false]) {
      expect((await by.run(pick, isElsewhere ? { through: commitThen502 } : {})).exitCode).toBe(isElsewhere ? 12 : 0)
      // Another machine has the platform, and neither the journal nor the file that knows of it.
      if (isElsewhere) for (const name of ['spends.ndjson', 'folder.json']) rmSync(join(by.dataDir, name))
      expect((await by.run(`${pick} -o id`)).exitCode).toBe(0)
    }
    expect(await owned(by)).toBe(before + 1)
  })

  test('settles the open entry of a purchase that is found under it', async () => {
    const by = operator()
    await by.run(pick, { through: commitThen502 })
    expect((await by.run(pick)).exitCode).toBe(0)
    expect(await states(by)).toEqual(['done'])
  })

  test('tries the next number under the next key if another buyer took one, and still finds the purchase', async () => {
    const by = operator()
    const before = await owned(by)
    let taken = 0
    const through: Through = async (handle, request) => {
      if (isPost(request) && request.headers['parley-recall'] === undefined && taken++ === 0)
        return handle({ ...request, body: JSON.stringify({ phone_number: '+15005550000' }) })
      return handle(request)
    }
    const bought = await by.run(`${pick} --json`, { through })
    expect(bought.exitCode).toBe(0)
    const again = await by.run(`${pick} --json`)
    expect(JSON.parse(again.stdout)).toEqual(JSON.parse(bought.stdout))
    expect(await owned(by)).toBe(before + 1)
  })

  test('sends a message once, however often it is repeated', async () => {
    const by = operator()
    const line = 'messaging send --sender 1 --template opening_hours --to +14155550111 --idempotency-key note-1 --json'
    const [a, b] = [await by.run(line), await by.run(line)]
    expect([a.exitCode, JSON.parse(b.stdout)]).toEqual([0, JSON.parse(a.stdout)])
  })

  test('on a platform without idempotency is refused for a purchase by country, with a fix', async () => {
    const by = operator()
    const { exitCode, stderr, requests } = await by.run(pick, { through: notParleyServer })
    expect([exitCode, requests.filter((it) => it.startsWith('POST'))]).toEqual([2, []])
    expect(stderr).toContain('Buy a specific number: parley numbers search')
  })

  test('on a platform without idempotency causes a warning, and cannot be used twice on this machine', async () => {
    const by = operator()
    const line = 'messaging send --sender 1 --template opening_hours --to +14155550111 --idempotency-key note-1'
    const first = await by.run(line, { through: notParleyServer })
    expect([first.exitCode, first.stderr]).toEqual([0, expect.stringContaining('does not advertise idempotency')])
    const second = await by.run(line, { through: notParleyServer })
    expect([second.exitCode, posts(second), second.stderr]).toEqual([
      5,
      0,
      expect.stringContaining('"note-1" was used by a messaging.send that was carried out'),
    ])
    expect(
      (
        await by.run('numbers buy +15005550006 --yes --idempotency-key n', {
          through: both(notParleyServer, commitThen502),
        })
      ).exitCode,
    ).toBe(12)
  })

  test('allows the same operation again under its key where the platform supports it, and resolves the open entry', async () => {
    const by = operator()
    const line = 'numbers buy +15005550006 --yes --idempotency-key job-8'
    expect((await by.run(line, { through: commitThen502 })).exitCode).toBe(12)
    expect((await by.run(line)).exitCode).toBe(0)
    expect(await states(by)).toEqual(['replayed', 'done'])
  })
})
