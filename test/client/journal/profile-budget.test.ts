import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { rolldown } from 'rolldown'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../../src/client/journal/journal.ts'
import type { Journal, OperationIntent } from '../../../src/client/journal/open-operations.ts'
import { createBudgetCheck, type ProfileBudget, readBudgetUse } from '../../../src/client/journal/profile-budget.ts'
import { purgeJournal } from '../../../src/client/journal/purge-journal.ts'

const intent: OperationIntent = {
  endpoint: 'sms.send',
  input: { to: '+14155550142' },
  idempotencyKey: '',
  profile: 'live',
  baseUrl: 'https://platform.test',
  keyMark: '7',
}
const budget: ProfileBudget = { amount: 1_000_000, period: 'month', profile: 'live' }
const refused = expect.objectContaining({ exit: 'payment', code: 'profile_budget_exceeded', sent: false })

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'parley-budget-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Opens a journal with a budget of 1 USD a month, and a clock that `at.now` sets. */
function open(more: Partial<ProfileBudget> = {}) {
  const at = { now: Date.parse('2026-01-31T09:00:00Z'), file: join(folder(), 'spends.ndjson') }
  let ids = 0
  const journal = openJournal({
    file: at.file,
    now: () => at.now,
    newId: () => `j-${++ids}`,
  })
  const requireBudget = createBudgetCheck(at.file, { ...budget, ...more })
  const spend = (priceUsd: number | undefined, other: Partial<OperationIntent> = {}): string =>
    journal.recordIntent({ ...intent, ...(priceUsd !== undefined && { priceUsd }), ...other }, undefined, requireBudget)
  const use = (spender = intent) => readBudgetUse(journal, { ...budget, ...more }, spender, at.now)
  return { journal, spend, use, at }
}

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('a budget of a profile', () => {
  test('refuses what is more than is left, to the micro-USD, and writes nothing', () => {
    const { journal, spend, use } = open()
    spend(0.6)
    expect(thrownBy(() => spend(0.400001))).toEqual(refused)
    expect(journal.list()).toHaveLength(1)
    spend(0.4)
    expect(thrownBy(() => spend(0.000001))).toEqual(refused)
    expect(use()).toEqual({
      amount: 1,
      period: 'month',
      spent: 1,
      reserved: 0,
      left: 0,
      renews_at: '2026-02-01T00:00:00.000Z',
      unpriced: 0,
    })
  })

  test('says what is left, when it renews, and what can be done', () => {
    const { spend } = open()
    spend(0.75)
    expect(thrownBy(() => spend(0.5))).toMatchObject({
      message:
        'The budget of profile "live" is 1.00 USD a month, and 0.25 USD are left until 2026-02-01 00:00 UTC. This can cost 0.50 USD. Nothing was sent.',
      hint: expect.stringContaining('parley profile set live --budget'),
    })
  })

  test.each([
    ['was refused', 'refused', undefined, 0],
    ['was cancelled', 'cancelled', undefined, 0],
    ['has an unknown outcome', 'unknown', undefined, 0.8],
    ['was done without a known cost', 'done', {}, 0.8],
    ['cost less than its maximum', 'done', { costUsd: 0.1 }, 0.1],
    ['was answered as done before', 'done', { costUsd: 0, replayed: true }, 0],
    ['cost more than its maximum', 'done', { costUsd: 0.95 }, 0.95],
    ['reports a cost below zero', 'done', { costUsd: -5 }, 0],
  ] as const)('counts what %s as it should', (_, outcome, detail, spent) => {
    const { journal, spend, use } = open()
    const id = spend(undefined, { maxPriceUsd: 0.8 })
    expect(use()).toMatchObject({ spent: 0.8 })
    expect(thrownBy(() => spend(0.3))).toEqual(refused)
    journal.recordOutcome(id, outcome, detail)
    expect(use()).toMatchObject({ spent })
    expect(thrownBy(() => spend(1.000001 - spent))).toEqual(refused)
    spend(1 - spent)
  })

  test('reserves what waits, which counts once when it is started here', () => {
    const { journal, spend, use } = open()
    journal.recordOutcome(spend(0.6), 'done', { status: 202, waitingId: 7 })
    expect(use()).toMatchObject({ spent: 0.6, reserved: 0.6, left: 0.4 })
    const startOf = (waiting_id: number) => ({ endpoint: 'contacts.sendWaiting', input: { waiting_id } })
    expect(thrownBy(() => spend(0.6, startOf(8)))).toEqual(refused)
    expect(thrownBy(() => spend(0.6, { ...startOf(7), keyMark: '8' }))).toEqual(refused)
    const started = spend(0.6, startOf(7))
    expect(use()).toMatchObject({ spent: 0.6, reserved: 0, left: 0.4 })
    expect(thrownBy(() => spend(0.6, startOf(7)))).toEqual(refused)
    journal.recordOutcome(started, 'refused')
    expect(use()).toMatchObject({ spent: 0.6, reserved: 0.6, left: 0.4 })
    journal.recordOutcome(spend(0.6, startOf(7)), 'done', { status: 200 })
    expect(use()).toMatchObject({ spent: 0.6, reserved: 0 })
  })

  test('refuses what has no known price, but not what is free', () => {
    const { spend } = open()
    expect(thrownBy(() => spend(undefined))).toEqual(refused)
    expect(thrownBy(() => spend(Number.POSITIVE_INFINITY))).toEqual(refused)
    spend(1)
    spend(0)
    spend(undefined, { endpoint: 'automate.update' })
  })

  test('renews with the UTC month, or the UTC day', () => {
    for (const [period, later] of [
      ['month', '2026-02-01T00:00:00Z'],
      ['day', '2026-02-01T00:00:00Z'],
    ] as const) {
      const { spend, at, use } = open({ period })
      at.now = Date.parse('2026-01-31T23:59:59.999Z')
      spend(1)
      expect(thrownBy(() => spend(0.1))).toEqual(refused)
      at.now = Date.parse(later)
      spend(0.9)
      expect(use()).toMatchObject({ spent: 0.9 })
    }
  })

  test('counts the same account under another profile, and no other account or platform', () => {
    const { spend, use, at } = open({ isSameAccount: (a, b) => [a, b].sort().join() === '7,8' })
    let ids = 0
    const others = openJournal({ file: at.file, now: () => at.now, newId: () => `o-${++ids}` })
    const other = (more: Partial<OperationIntent>) => others.recordIntent({ ...intent, priceUsd: 0.1, ...more })
    other({ profile: 'other' })
    other({ profile: 'other', keyMark: '8' })
    other({ profile: 'other', keyMark: '9' })
    other({ profile: 'another', baseUrl: 'https://elsewhere.test' })
    expect(use()).toMatchObject({ spent: 0.2 })
    expect(thrownBy(() => spend(0.9))).toEqual(refused)
  })

  test('names what counts as free because its price is not known', () => {
    const { use, at } = open()
    openJournal({ file: at.file, now: () => at.now, newId: () => 'earlier' }).recordIntent(intent)
    expect(use()).toMatchObject({ spent: 0, unpriced: 1 })
  })

  test('sees what other processes write, also after they purged the journal', () => {
    const { journal, spend, at } = open()
    const other: Journal = openJournal({ file: at.file, now: () => at.now, newId: () => 'other' })
    spend(0.5)
    other.recordOutcome(other.recordIntent({ ...intent, priceUsd: 0.4 }), 'done')
    expect(thrownBy(() => spend(0.2))).toEqual(refused)
    journal.recordOutcome('j-1', 'refused')
    purgeJournal(at.file, at.now + 1, Date.parse('2026-01-01T00:00:00Z'))
    expect(thrownBy(() => spend(0.7))).toEqual(refused)
    spend(0.6)
  })

  test('keeps what counts when the journal is purged', () => {
    const { journal, spend, at, use } = open()
    journal.recordOutcome(spend(0.9), 'done')
    expect(purgeJournal(at.file, at.now + 1, Date.parse('2026-01-01T00:00:00Z'))).toBe(0)
    expect(use()).toMatchObject({ spent: 0.9 })
    expect(purgeJournal(at.file, at.now + 1)).toBe(1)
  })
})

test('several processes at once spend a budget exactly, and never more', async () => {
  const home = folder()
  const program = join(home, 'writer.mjs')
  const bundle = await rolldown({
    input: fileURLToPath(new URL('budget-writer.ts', import.meta.url)),
    platform: 'node',
  })
  await bundle.write({ file: program, format: 'esm' })
  const file = join(home, 'spends.ndjson')
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map((name) => execa('node', [program, file, name, '6100000'])))
  expect(ended.map(({ stdout }) => stdout.split(' ')[1])).toEqual(Array(4).fill('profile_budget_exceeded'))
  // 20 times 0.30 USD are 6.00 of 6.10 USD.
  expect(ended.map(({ stdout }) => Number(stdout.split(' ')[0])).reduce((a, b) => a + b)).toBe(20)
  expect(openJournal({ file, now: Date.now, newId: () => '' }).list()).toHaveLength(20)
})
