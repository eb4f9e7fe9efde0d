import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { appendLines, parseJsonLine, readLines } from '../../src/node/ndjson.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-ndjson-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const read = (file: string, offset?: number): unknown[] =>
  [...readLines(file, offset)].flatMap((line) => parseJsonLine(line) ?? [])

test('appended lines are read again, and the file is readable by its owner only', () => {
  const file = join(folder, 'a.ndjson')
  expect(read(file)).toEqual([])
  appendLines(file, [{ a: 1 }, { a: 'zwölf\n' }], { isDurable: true })
  appendLines(file, [{ a: 3 }])
  expect(read(file)).toEqual([{ a: 1 }, { a: 'zwölf\n' }, { a: 3 }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a line that a crash cut off is skipped, and no other line is lost', () => {
  const file = join(folder, 'a.ndjson')
  appendLines(file, [{ a: 1 }])
  appendFileSync(file, '{"a":2,"tex')
  expect(read(file)).toEqual([{ a: 1 }])
  appendLines(file, [{ a: 3 }])
  expect(read(file)).toEqual([{ a: 1 }, { a: 3 }])
})

test('lines longer than a chunk are read completely, also from an offset', () => {
  const file = join(folder, 'a.ndjson')
  appendLines(file, [{ a: 'ü'.repeat(400_000) }])
  const { size } = statSync(file)
  appendLines(file, [{ a: 2 }])
  expect(read(file)).toEqual([{ a: 'ü'.repeat(400_000) }, { a: 2 }])
  expect(read(file, size)).toEqual([{ a: 2 }])
})

test('a full file is rotated once', () => {
  const [file, olderFile] = [join(folder, 'a.ndjson'), join(folder, 'a.1.ndjson')]
  const rotation = { maxBytes: 20, olderFile }
  appendLines(file, [{ a: 1 }], { rotation })
  expect(existsSync(olderFile)).toBe(false)
  appendLines(file, [{ a: 2 }, { a: 3 }], { rotation })
  appendLines(file, [{ a: 4 }], { rotation })
  expect([read(olderFile), read(file)]).toEqual([[{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 4 }]])
  expect(readFileSync(file, 'utf8')).toBe('\n{"a":4}\n')
})
