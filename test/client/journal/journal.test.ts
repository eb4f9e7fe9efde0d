import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../../src/client/journal/journal.ts'
import type { Journal } from '../../../src/client/journal/open-operations.ts'
import { numbers } from '../../../src/contract/resources/numbers.ts'
import { answer, failureOf, lost, playing } from '../../support/scripted-client.ts'

const intent = {
  endpoint: 'numbers.buy',
  input: { phone_number: '+14155550123' },
  idempotencyKey: 'k-1',
  profile: 'live',
  baseUrl: 'https://platform.test',
}

function folder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function open(file = join(folder(), 'deep', 'spends.ndjson')): Journal {
  let ids = 0
  return openJournal({ file, now: () => Date.parse('2026-01-31T09:00:00Z'), newId: () => `j-${++ids}` })
}

describe('the operations journal', () => {
  test('records the request and its outcome', () => {
    const journal = open()
    expect(journal.list()).toEqual([])
    const [a, b, c, d] = [
      journal.recordIntent(intent),
      journal.recordIntent(intent),
      journal.recordIntent(intent),
      journal.recordIntent(intent),
    ] as [string, string, string, string]
    journal.recordOutcome(a, 'done', { status: 201 })
    journal.recordOutcome(b, 'refused')
    journal.recordOutcome(c, 'unknown')
    expect(journal.list().map((it) => [it.id, it.state])).toEqual([
      [a, 'done'],
      [b, 'refused'],
      [c, 'unknown'],
      [d, 'open'],
    ])
    expect(journal.list({ open: true }).map((it) => it.id)).toEqual([c, d])
    expect(journal.list()[0]).toEqual({
      ...intent,
      id: a,
      at: '2026-01-31T09:00:00.000Z',
      state: 'done',
      settledAt: '2026-01-31T09:00:00.000Z',
      detail: { status: 201 },
    })
  })

  test('a later outcome replaces an earlier one', () => {
    const journal = open()
    const id = journal.recordIntent(intent)
    journal.recordOutcome(id, 'unknown')
    journal.recordOutcome(id, 'done', { found: 5 })
    expect(journal.list()).toMatchObject([{ state: 'done', detail: { found: 5 } }])
    expect(journal.list({ open: true })).toEqual([])
  })

  test('is readable by its owner only, and contains no secrets', () => {
    const journal = open()
    journal.recordIntent({
      ...intent,
      input: { variables: { '1': 'hi' }, password: 'hunter2', note: 'Bearer abcdefgh' },
    })
    expect(statSync(journal.file).mode & 0o777).toBe(0o600)
    const text = readFileSync(journal.file, 'utf8')
    expect(text).not.toMatch(/hunter2|abcdefgh/)
    expect(text).toContain('"1":"hi"')
  })

  test('survives a line that a crash cut off: only that line is lost', () => {
    const journal = open()
    const first = journal.recordIntent(intent)
    appendFileSync(journal.file, '{"intent":"torn","at":"2026-01')
    const next = journal.recordIntent(intent)
    appendFileSync(journal.file, '\nnull\n[1]\n{"outcome":"of nobody","state":"done"}\n')
    journal.recordOutcome(next, 'done')
    expect(journal.list().map((it) => [it.id, it.state])).toEqual([
      [first, 'open'],
      [next, 'done'],
    ])
  })

  test.skipIf(process.getuid?.() !== 0)('that root starts in the folder of another user belongs to that user', () => {
    const owned = folder()
    chownSync(owned, 65_534, 65_534)
    const journal = open(join(owned, 'spends.ndjson'))
    journal.recordIntent(intent)
    expect(statSync(journal.file)).toMatchObject({ uid: 65_534, gid: 65_534 })
    chownSync(journal.file, 0, 0)
    journal.recordIntent(intent)
    expect(statSync(journal.file).uid).toBe(0)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'that belongs to another user than its folder causes an error with the command that fixes it',
    () => {
      const owned = folder()
      chownSync(owned, 65_534, 65_534)
      mkdirSync(join(owned, 'spends.ndjson'))
      chownSync(join(owned, 'spends.ndjson'), 0, 0)
      expect(() => open(join(owned, 'spends.ndjson')).recordIntent(intent)).toThrow(
        expect.objectContaining({
          code: 'journal_unwritable',
          hint: expect.stringContaining(`chown 65534 ${join(owned, 'spends.ndjson')}`),
        }),
      )
    },
  )

  test('that cannot be written causes a usage error that names the file', () => {
    const blocked = join(folder(), 'file')
    writeFileSync(blocked, '')
    const journal = open(join(blocked, 'spends.ndjson'))
    expect(() => journal.recordIntent(intent)).toThrow(
      expect.objectContaining({
        name: 'ClientFailure',
        exit: 'usage',
        code: 'journal_unwritable',
        message: expect.stringContaining(journal.file),
      }),
    )
  })
})

describe('a spend', () => {
  const bought = answer(201, { message: 'ok', data: { id: 5, phone_number: '+14155550123' } })
  const buy = async (step: Parameters<typeof playing>[0][number], journal = open()) => {
    const states: string[] = []
    const watched =
      typeof step === 'function' || step instanceof Error
        ? step
        : () => {
            states.push(journal.list()[0]?.state ?? 'nothing')
            return step
          }
    const { call, requests } = playing([watched], { journal: async () => journal, profile: 'live', retries: 0 })
    const failure = await failureOf(call(numbers.buy, { phone_number: '+14155550123' })).catch(() => undefined)
    return { journal, requests, failure, states }
  }

  test('is in the journal before it is sent, and done after', async () => {
    const { journal, states, requests } = await buy(bought)
    expect(states).toEqual(['open'])
    expect(journal.list()).toMatchObject([
      {
        state: 'done',
        endpoint: 'numbers.buy',
        input: { phone_number: '+14155550123' },
        profile: 'live',
        baseUrl: 'https://platform.test',
        detail: { status: 201 },
      },
    ])
    expect(journal.list()[0]?.idempotencyKey).toBe(requests[0]?.headers['idempotency-key'])
  })

  test.each([
    ['was refused', answer(402, { error: 'Payment failed. Please update your payment method.' }), 'refused'],
    ['never left', lost('refused', false), 'refused'],
    ['got no answer', lost('reset', true), 'unknown'],
    ['got an answer that does not say', answer(502, '<h1>Bad gateway</h1>'), 'unknown'],
    ['was interrupted in flight', lost('aborted', true), 'unknown'],
    ['was interrupted before it left', lost('aborted', false), 'cancelled'],
    [
      'ended by a fault of ours',
      () => {
        throw new Error('bug')
      },
      'unknown',
    ],
  ] as const)('that %s is settled as such', async (_, step, state) => {
    expect((await buy(step)).journal.list()).toMatchObject([{ state }])
  })

  test('is not sent if the journal cannot be written', async () => {
    const blocked = join(folder(), 'file')
    writeFileSync(blocked, '')
    const { failure, requests } = await buy(bought, open(join(blocked, 'spends.ndjson')))
    expect(failure).toMatchObject({ exit: 'usage', code: 'journal_unwritable' })
    expect(requests).toEqual([])
  })

  test('that was carried out stays so if its outcome cannot be written', async () => {
    const journal = {
      ...open(),
      recordOutcome: () => {
        throw new Error('disk full')
      },
    }
    const { call } = playing([bought], { journal: async () => journal })
    expect(await call(numbers.buy, { phone_number: '+14155550123' })).toMatchObject({ data: { id: 5 } })
  })
})

describe('many processes', () => {
  let [program, purger] = ['', '']
  let home: string
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'parley-journal-'))
    ;[program, purger] = (await Promise.all(['journal-writer', 'journal-purger'].map(bundled))) as [string, string]
  })

  async function bundled(name: string): Promise<string> {
    const input = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
    const bundle = await rolldown({ input, platform: 'node' })
    await bundle.write({ file: join(home, `${name}.mjs`), format: 'esm' })
    return join(home, `${name}.mjs`)
  }
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('can write at the same time without mixing their lines', async () => {
    const file = join(folder(), 'spends.ndjson')
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => execa('node', [program, file, name, '50'])))
    const entries = open(file).list()
    expect(entries).toHaveLength(200)
    expect(entries.every((it) => it.state === 'done')).toBe(true)
  })

  test('lose no entry while another one purges the journal', async () => {
    const file = join(folder(), 'spends.ndjson')
    const purging = execa('node', [purger, file], { reject: false })
    await Promise.all(['a', 'b'].map((name) => execa('node', [program, file, name, '40', 'unknown'])))
    purging.kill('SIGKILL')
    await purging
    // The purger, which was killed, may leave an entry of its own.
    const ids = open(file)
      .list({ open: true })
      .map((it) => it.id)
      .filter((id) => /^[ab]-\d+$/.test(id))
    expect(new Set(ids).size).toBe(80)
    expect(ids).toHaveLength(80)
  })

  test('killed with -9 keep everything that was acknowledged', async () => {
    const file = join(folder(), 'spends.ndjson')
    const said: string[] = []
    const writers = ['a', 'b'].map((name) =>
      execa('node', [program, file, name, '100000'], { reject: false, buffer: false }),
    )
    for (const writer of writers) writer.stdout?.on('data', (chunk: Buffer) => said.push(chunk.toString()))
    await expect.poll(() => said.join('').split('\n').length).toBeGreaterThan(50)
    for (const writer of writers) writer.kill('SIGKILL')
    await Promise.all(writers)
    const acknowledged = said
      .join('')
      .split('\n')
      .filter((it) => /^[ab]-\d+!$/.test(it))
      .map((it) => it.slice(0, -1))
    const saved = new Set(
      open(file)
        .list()
        .map((it) => it.id),
    )
    expect(acknowledged.length).toBeGreaterThan(40)
    expect(acknowledged.filter((it) => !saved.has(it))).toEqual([])
    const next = open(file)
    next.recordOutcome(next.recordIntent(intent), 'done')
    expect(next.list().at(-1)).toMatchObject({ state: 'done', endpoint: 'numbers.buy' })
  })
})

test('an unreadable journal is an error', () => {
  const file = folder()
  expect(() => open(file).list()).toThrow(
    expect.objectContaining({ exit: 'usage', code: 'journal_unreadable', message: expect.stringContaining(file) }),
  )
})
