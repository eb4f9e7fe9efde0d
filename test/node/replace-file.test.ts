import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFile, replaceFile } from '../../src/node/replace-file.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-replace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (file: string): number => statSync(file).mode & 0o777

test('a file is replaced by another one, so that a reader of the old one still reads all of it', () => {
  const folder = newFolder()
  const [file, reader] = [join(folder, 'a'), join(folder, 'reader')]
  replaceFile(file, 'old')
  linkSync(file, reader)
  replaceFile(file, 'new')
  expect([readFileSync(reader, 'utf8'), readFileSync(file, 'utf8')]).toEqual(['old', 'new'])
  expect(readdirSync(folder).sort()).toEqual(['a', 'reader'])
})

test('is readable by its owner only, unless another mode is set or retained', () => {
  const folder = newFolder()
  const file = join(folder, 'a')
  writeFileSync(file, '')
  chmodSync(file, 0o664)
  replaceFile(file, 'x', { mode: 'keep' })
  expect(modeOf(file)).toBe(0o664)
  replaceFile(file, 'x', { mode: 0o640 })
  expect(modeOf(file)).toBe(0o640)
  replaceFile(file, 'x')
  expect(modeOf(file)).toBe(0o600)
  replaceFile(join(folder, 'b'), 'x', { mode: 'keep' })
  expect(modeOf(join(folder, 'b'))).toBe(0o666 & ~process.umask())
})

test('a failure leaves no temporary file, and the old text in place', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'a'))
  expect(() => replaceFile(join(folder, 'a'), 'x')).toThrow()
  expect(() => createFile(join(folder, 'missing', 'a'), 'x')).toThrow('ENOENT')
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a file is created once and completely', () => {
  const folder = newFolder()
  const file = join(folder, 'a')
  expect([createFile(file, 'first'), createFile(file, 'second')]).toEqual([true, false])
  expect(readFileSync(file, 'utf8')).toBe('first')
  expect([readdirSync(folder), modeOf(file)]).toEqual([['a'], 0o600])
})
