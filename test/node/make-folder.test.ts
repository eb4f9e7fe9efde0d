import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../src/node/make-folder.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a folder is created with its parents, readable by its owner only', () => {
  const at = newFolder()
  makeFolder(join(at, 'a/b/c/'))
  expect(['a', 'a/b', 'a/b/c'].map((it) => statSync(join(at, it)).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
})

test('an existing folder is not changed, also behind a link', () => {
  const at = newFolder()
  mkdirSync(join(at, 'shared'))
  chmodSync(join(at, 'shared'), 0o755)
  symlinkSync(join(at, 'shared'), join(at, 'link'))
  makeFolder(join(at, 'shared'))
  makeFolder(join(at, 'link'))
  expect(statSync(join(at, 'shared')).mode & 0o777).toBe(0o755)
})

test('a file or a broken link in its place is reported and not changed', () => {
  const at = newFolder()
  writeFileSync(join(at, 'file'), '')
  symlinkSync(join(at, 'nothing'), join(at, 'link'))
  expect(() => makeFolder(join(at, 'file'))).toThrow(`${join(at, 'file')} is a file`)
  expect(() => makeFolder(join(at, 'file/deep'))).toThrow(`${join(at, 'file')} is a file`)
  expect(() => makeFolder(join(at, 'link'))).toThrow(`${join(at, 'link')} is a file`)
  expect(statSync(join(at, 'file')).isFile()).toBe(true)
})
