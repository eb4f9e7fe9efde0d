import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openOperationFailure } from '../../../../src/client/journal/open-operations.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { identify } from '../../../../src/node/process-identity.ts'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const writes = ({ requests }: Run): number => requests.filter((it) => !it.startsWith('GET')).length

/** Runs a second command a second after the first request of another one that changes something is on its way. */
async function runBoth(by: Operator, line: string, other: string, elsewhere?: Through): Promise<readonly [Run, Run]> {
  const inner: Through = elsewhere ?? ((handle, request) => handle(request))
  let second: Run | undefined
  const through: Through = async (handle, request) => {
    if (request.method !== 'GET' && !second) {
      by.wait(1000)
      second = await by.run(other, { through: inner })
    }
    return inner(handle, request)
  }
  const first = await by.run(line, { through })
  return [first, second as Run]
}

const message =
  'messaging send --sender 1 --template appointment_reminder --to +14155550111 --var 1=Anna --var 2=Monday'

describe('a command that spends, while another process does the same', () => {
  test.each([
    ['numbers buy +15005550006 --yes', 'buying this number'],
    ['numbers buy --country US --max-price 3 --yes', 'buying this number'],
    [message, 'sending this message'],
    ['calls start +14155550142 --assistant Recall --yes', 'starting this call'],
    ['campaigns start 1 --yes', 'changing the status of this campaign'],
    ['sms send --from 4 --to +14155550142 --body Hello', 'sending this SMS'],
  ])('is refused with exit 5, and says since when: %s', async (line, activity) => {
    const by = operator()
    const [first, second] = await runBoth(by, line, line)
    expect([first.exitCode, first.stderr]).toEqual([0, expect.any(String)])
    expect([second.exitCode, second.stdout, writes(second)]).toEqual([5, '', 0])
    expect(second.stderr).toContain(`Another process is ${activity} (started 1 s ago). Nothing was sent.`)
    const [{ id }] = await by.json('ops list')
    expect(second.stderr).toContain(`Wait for it, then see its outcome: parley ops get ${id.slice(0, 8)}.`)
    expect(await by.json('ops list')).toHaveLength(1)
  })

  test('is refused on a platform without idempotency as well', async () => {
    const by = operator()
    const [first, second] = await runBoth(by, message, message, notParleyServer)
    expect([first.exitCode, second.exitCode, writes(second)]).toEqual([0, 5, 0])
  })

  test('is not recorded as unknown by ops reconcile, at any age', async () => {
    const by = operator()
    const before = (await by.json('numbers list')).length
    const [first, second] = await runBoth(
      by,
      'numbers buy +15005550006 --yes',
      'ops reconcile',
      async (handle, request) => {
        if (request.method === 'GET') by.wait(200_000)
        return handle(request)
      },
    )
    expect([first.exitCode, second.exitCode]).toEqual([0, 12])
    expect(second.stderr).toMatch(/Entry \S+ \(numbers.buy\) is in progress: Process \d+ is waiting for the response/)
    expect(second.stderr).not.toContain('ops close')
    expect(await by.json('ops list')).toMatchObject([{ state: 'done' }])
    expect(await by.json('numbers list')).toHaveLength(before + 1)
  })

  test('exits with 12 when the process of the first one has ended without an outcome', async () => {
    const by = operator()
    await by.run(message)
    const file = join(by.dataDir, 'spends.ndjson')
    const intent = readFileSync(file, 'utf8')
      .split('\n')
      .find((line) => line.startsWith('{"intent"')) as string
    writeFileSync(file, `${intent.replace(/"pid":\d+/, '"pid":4194304')}\n`)
    const again = await by.run(message)
    expect([again.exitCode, writes(again)]).toEqual([12, 0])
    expect(again.stderr).toContain('parley ops reconcile')
  })
})

describe('a file whose messages another process sends', () => {
  const write = (by: Operator, name: string, ...rows: readonly string[]): void =>
    writeFileSync(join(by.cwd, name), `${['phone,1,2', ...rows].join('\n')}\n`)
  const send = (name: string): string =>
    `messaging send --sender 1 --template appointment_reminder --file ${name} --yes`
  const [anna, bob] = ['+14155550111,Anna,Monday', '+14155550112,Bob,Tuesday']

  test('is refused with exit 5 when no other row is left', async () => {
    const by = operator()
    write(by, 'one.csv', anna)
    for (const first of [message, send('two.csv')]) {
      write(by, 'two.csv', bob, anna)
      const [, second] = await runBoth(by, message, send('one.csv'))
      expect([first, second.exitCode, writes(second)]).toEqual([first, 5, 0])
      expect(second.stderr).toContain('Another process is sending 1 message with the same content. Nothing was sent.')
      expect(second.stderr).not.toContain('reconcile')
      by.wait(8 * 86_400_000)
    }
  })

  test('sends the other rows, and says to wait instead of to reconcile', async () => {
    const by = operator()
    write(by, 'two.csv', bob, anna)
    const [, second] = await runBoth(by, message, send('two.csv'))
    expect([second.exitCode, writes(second)]).toEqual([11, 1])
    expect(second.stderr).toContain(
      'Another process is sending 1 message with the same content, so it was not sent again.',
    )
    expect(second.stderr).not.toContain('reconcile')
  })

  test('stops a single message to one of its recipients', async () => {
    const by = operator()
    write(by, 'one.csv', anna)
    const [first, second] = await runBoth(by, send('one.csv'), message)
    expect([first.exitCode, second.exitCode, writes(second)]).toEqual([0, 5, 0])
  })
})

test('two purchases by price and of one number at the same time buy one number', async () => {
  const by = operator()
  const before = (await by.json('numbers list')).length
  const [{ phone_number: cheapest }] = await by.json('numbers search --country US --sort price')
  const [first, second] = await runBoth(
    by,
    `numbers buy ${cheapest} --yes`,
    'numbers buy --country US --max-price 3 --yes',
  )
  expect([first.exitCode, second.exitCode]).toEqual([0, 5])
  expect(await by.json('numbers list')).toHaveLength(before + 1)
})

test('every endpoint that spends has a text for its operation in progress', () => {
  const spending = endpoints.filter((it) => it.risk === 'spends')
  expect(spending.length).toBeGreaterThan(6)
  const owner = { pid: process.pid, isAlive: () => true }
  const at = '2026-01-31T09:00:00.000Z'
  for (const { name: endpoint } of spending) {
    const intent = { endpoint, input: {}, idempotencyKey: '', profile: '', baseUrl: '' }
    const entry = { ...intent, id: 'a', at, state: 'open', sender: identify(process.pid) } as const
    const { message } = openOperationFailure(entry, Date.parse(at), owner)
    expect(message).toMatch(/^Another process is .* this .* \(started 0 s ago\)/)
  }
})
