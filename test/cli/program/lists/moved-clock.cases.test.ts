import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { longOnly } from '../../../support/case-count.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// Commands that speak of records of the platform count from its clock. The time of this computer changes nothing.

const day = 86_400_000
const table: RunOptions = { terminal: { stdout: true } }

const lines: readonly (readonly [line: string, options?: RunOptions])[] = [
  ['calls list', table],
  ['calls list --since 4h --json'],
  ['calls list --since yesterday --json'],
  ['calls list --filter created_at>4h --json'],
  ['calls get 3', table],
  ['conversations list', table],
  ['conversations list --since 27h --json'],
  ['conversations export --since 75h -o json'],
  ['conversations export --since 73h --until 1h -o json'],
  ['conversations search visit --since 75h --json'],
  ['billing usage --json'],
  ['billing usage --since 7d --json'],
  ['billing usage --since yesterday --by assistant --json'],
  ['billing summary', table],
  ['billing summary --json'],
  ['campaigns list --since 961h', table],
  ['campaigns get 1', table],
  ['numbers list', table],
  ['numbers list --since 361h --json'],
  ['keys list', table],
  ['automate runs list', table],
  ['automate runs list --since 3h --json'],
  ['automate runs list --until 3h --json'],
  ['automate runs get last', table],
  ['automate versions "Opening hours"', table],
  ['automate runs retry --failed --since 6h --dry-run'],
  ['automate runs retry --failed --since 4h --dry-run'],
  ['automate runs retry --failed --since yesterday --dry-run'],
  ['doctor --voice --json'],
  ['doctor --voice', table],
  ['server deliveries list', table],
  ['server deliveries list --since 5h --json'],
  ['server deliveries show 1', table],
  ['server accounts ledger 1 --since 75h', table],
  ['server purge --older-than 2h --dry-run'],
]

describe.each(['neutral', ...longOnly('public' as const)] as const)(
  'a platform whose clock was moved (%s)',
  (supports) => {
    test.each([30, -10])('by %i days shows the same as one that has the time of this computer', async (days) => {
      const by = operator({ supports })
      await by.run('server clock freeze')
      for (const [line, options] of lines) {
        const expected = await by.run(line, options)
        by.wait(-days * day)
        const found = await by.run(line, options)
        by.wait(days * day)
        expect
          .soft([line, found.exitCode, found.stdout, found.stderr])
          .toEqual([line, expected.exitCode, expected.stdout, expected.stderr])
        expect.soft([line, expected.exitCode, expected.stderr]).not.toEqual([line, 2, expected.stderr])
      }
    })
  },
)

/** An operator whose platform has another time than this computer. */
async function movedBy(days: number): Promise<Operator> {
  const by = operator({ supports: 'neutral' })
  await by.run('server clock freeze')
  by.wait(-days * day)
  return by
}

/** A platform that is not a Parley server, and that loses purchases and calls before or after it carries them out. */
const losing =
  (isDone: boolean): NonNullable<RunOptions['through']> =>
  async (handle, request) => {
    if (request.method !== 'POST') return notParleyServer(handle, request)
    if (isDone) await notParleyServer(handle, request)
    return { status: 502, headers: {}, body: '' }
  }
const plain: RunOptions = { through: notParleyServer }

describe.each([30, ...longOnly(-10)])('on a platform whose clock was moved by %i days', (days) => {
  test.each([
    [true, 'done'],
    [false, 'refused'],
  ])('a purchase whose answer was lost is found (carried out: %s)', async (isDone, state) => {
    const by = await movedBy(days)
    if (!isDone) await by.run('numbers buy +15005550006 --yes', plain)
    await by.run('server clock advance 1h --yes')
    const lost = await by.run('numbers buy +15005550006 --yes', { through: losing(isDone) })
    expect(lost.exitCode).toBe(12)
    by.wait(121_000)
    await by.run('server clock advance 121s --yes')
    await by.run('ops reconcile', plain)
    expect((await by.json('ops list'))[0].state).toBe(state)
  })

  test('a call whose answer was lost is found', async () => {
    const by = await movedBy(days)
    const line = 'calls start +15005550300 --assistant Recall --yes'
    expect((await by.run(line, { through: losing(true) })).exitCode).toBe(12)
    by.wait(121_000)
    await by.run('server clock advance 121s --yes')
    await by.run('ops reconcile', plain)
    expect((await by.json('ops list'))[0].state).toBe('done')
  })

  test('the journal, history and snapshots show the time of this computer', async () => {
    const by = await movedBy(days)
    await by.run('tools update 2 --tool-timeout 20')
    await by.run('numbers buy +15005550006 --yes', { through: losing(true) })
    await by.run('server snapshot save before')
    for (const line of [
      'history list',
      'history list --all-writes',
      'ops list',
      'ops reconcile',
      'server snapshot list',
    ])
      expect([line, (await by.run(line, table)).stdout]).toEqual([line, expect.stringContaining('just now')])
  })

  test('the summary of a platform without billing counts the operations of its month', async () => {
    const by = await movedBy(days)
    await by.run('numbers buy +15005550006 --yes', plain)
    const { journal } = await by.json('billing summary', plain)
    expect(journal).toEqual([{ endpoint: 'numbers.buy', done: 1, unknown: 0, amount_usd: 1.15 }])
  })

  test('the failed runs of the last hours are retried', async () => {
    const by = await movedBy(days)
    expect((await by.run('automate runs retry --failed --since 4h --yes')).stdout).toBe('')
    const retried = await by.json<object[]>('automate runs retry --failed --since 6h --yes').catch(() => [{}])
    expect(retried).toHaveLength(1)
  })

  test('a purge deletes deliveries by their time, and the journal by that of this computer', async () => {
    const by = await movedBy(days)
    await by.run('numbers buy +15005550006 --yes')
    expect(await by.json('server purge --older-than 2h --yes')).toMatchObject({ spends: 0, deliveries: 1, runs: 1 })
    by.wait(3 * 3_600_000)
    expect(await by.json('server purge --older-than 2h --yes')).toMatchObject({ spends: 1, deliveries: 0, runs: 0 })
  })
})

describe('the journal and the history, whose times are those of this computer', () => {
  const words = 'When is the time of this computer.'

  test.each(['ops list', 'history list', 'history list --all-writes'])(
    '%s says so on a terminal when the clock of the platform was moved, and only then',
    async (line) => {
      const by = operator({ supports: 'neutral' })
      await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
      await by.run('tools update 2 --tool-timeout 20')
      expect((await by.run(line, { terminal: true })).stderr).not.toContain(words)
      await by.run('server clock advance 12h')
      expect((await by.run(line, { terminal: true })).stderr).toContain(
        `${words} The clock of the platform is 12 h ahead.`,
      )
      for (const quiet of [`${line} -q`, `${line} --json`])
        expect((await by.run(quiet, { terminal: true })).stderr).not.toContain(words)
      const script = await by.run(line)
      expect(script.stderr).not.toContain(words)
      expect(script.requests).toEqual([])
      expect(
        (await by.run(`${line.split(' ').slice(0, 2).join(' ')} --help`)).stdout.replaceAll(/\s+/g, ' '),
      ).toContain('When is the time of this computer, which moving the clock of the platform does not change.')
    },
  )

  test('are listed although the platform cannot be opened', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
    const through = async () => ({ status: 503, headers: {}, body: '{"message":"down"}' })
    expect(await by.run('ops list --retries 0', { terminal: true, through })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('+14155550142'),
    })
  })
})
