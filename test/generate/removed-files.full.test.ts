import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { generate } from '../../src/generate/generated-files.ts'
import { root } from '../support/sources.ts'

test('files of commands that were removed or renamed are reported, and deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-generated-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of [
    'package.json',
    'README.md',
    'docs',
    'man',
    'completions',
    'src/generated',
    'skills',
    'llms.txt',
    'test/golden',
  ])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  const gone = ['man/parley-gone.1', 'src/generated/help/gone.ts']
  for (const path of gone) writeFileSync(join(folder, path), '')
  expect(await generate(folder, true)).toEqual(gone)
  expect(await generate(folder, false)).toEqual(gone)
  expect(gone.filter((it) => existsSync(join(folder, it)))).toEqual([])
})
