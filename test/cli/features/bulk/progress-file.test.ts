import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openProgressFile, type ProgressFile } from '../../../../src/cli/features/bulk/progress-file.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'parley-progress-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const open = (file: string, anew = false): ProgressFile =>
  openProgressFile({
    file,
    head: {
      nonce: anew ? 'second' : 'first',
      endpoint: 'leads.create',
      target: 'campaign 1',
      file: 'a.csv',
      rows: 6,
      at: '2026-08-04T12:00:00Z',
    },
    reset: anew,
    durable: false,
  })

const states = (it: ProgressFile): string => [0, 1, 2, 3, 4, 5].map((row) => it.stateOf(row)).join(' ')

test('a progress file records the outcome of each row, readable by its owner only', () => {
  const file = join(folder(), 'bulk', 'a.ledger')
  const first = open(file)
  first.begin(0, 3)
  first.end(0, 'done')
  first.end(1, 'failed')
  first.end(2, 'already')
  first.close()
  const second = open(file)
  expect(states(second)).toBe('done failed already started none none')
  expect([second.run, second.runOf(3), second.head.nonce, second.count('started')]).toEqual([2, 1, 'first', 1])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('wherever its last line was cut off, the lines before it count, and lines can be appended', () => {
  const file = join(folder(), 'a.ledger')
  const first = open(file)
  first.begin(0, 0)
  first.end(0, 'done')
  first.flush()
  const saved = readFileSync(file).length
  first.begin(1, 1)
  first.end(1, 'done')
  first.close()
  const whole = readFileSync(file)
  for (let length = saved; length <= whole.length; length++) {
    writeFileSync(file, whole)
    truncateSync(file, length)
    const torn = open(file)
    expect(torn.stateOf(0), `${length} bytes`).toBe('done')
    torn.begin(4, 4)
    torn.end(4, 'done')
    torn.close()
    expect(open(file).stateOf(4), `${length} bytes`).toBe('done')
  }
})

test('a line that is not valid is skipped', () => {
  const file = join(folder(), 'a.ledger')
  const first = open(file)
  first.begin(0, 0)
  first.end(0, 'done')
  first.close()
  appendFileSync(file, '\nnull\n[1]\n{"done":[99999999]}\n{"done":"x"}\n\u0000\n')
  expect(states(open(file))).toBe('done none none none none none')
})

test('when reset, forgets the earlier run at its first write', () => {
  const file = join(folder(), 'a.ledger')
  const first = open(file)
  first.begin(0, 0)
  first.end(0, 'done')
  first.close()
  open(file, true).close()
  expect(states(open(file))).toMatch(/^done/)
  const second = open(file, true)
  second.begin(5, 5)
  second.close()
  expect([states(open(file)), open(file).head.nonce]).toEqual(['none none none none none started', 'second'])
})

test('a row keeps the idempotency key of its first run, however often the run was restarted', () => {
  const file = join(folder(), 'a.ledger')
  const runs = (act: (progress: ProgressFile) => void): number => {
    const progress = open(file)
    act(progress)
    progress.close()
    return open(file).runOf(2)
  }
  expect(runs((it) => it.beginAs(2, it.run))).toBe(1)
  // Asked again under the same key, and then, as it never left, under one of its own.
  expect(runs((it) => it.beginAs(2, it.runOf(2)))).toBe(1)
  expect(runs((it) => it.beginAs(2, it.run))).toBe(3)
  // Rows in a batch keep the run that began them: it tells that they may be there.
  expect(runs((it) => it.begin(0, 5))).toBe(3)
})
