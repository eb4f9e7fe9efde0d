import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isPermissive, thirdPartyLicences } from '../../scripts/licences.mjs'

const folder = mkdtempSync(join(tmpdir(), 'parley-licences-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A package in a node_modules of its own; the path of a module in it. */
function packaged(name: string, license: string, files: Record<string, string>): string {
  const home = join(folder, 'node_modules', name)
  mkdirSync(join(home, 'dist'), { recursive: true })
  const manifest = JSON.stringify({ name, version: '1.0.0', license })
  for (const [file, text] of Object.entries({
    'package.json': manifest,
    'dist/package.json': '{"type":"module"}',
    ...files,
  }))
    writeFileSync(join(home, file), text)
  return join(home, 'dist/index.js')
}

test('every bundled package is listed once with its license and text', () => {
  const text = thirdPartyLicences([
    packaged('one', 'MIT', { LICENSE: 'Copyright One' }),
    packaged('one', 'MIT', {}),
    packaged('two', 'ISC', { 'README.md': '# two\n\n## License\n\nCopyright Two' }),
  ])
  expect(text.match(/one 1\.0\.0 \(MIT\)/g)).toHaveLength(1)
  expect(text).toContain('Copyright One')
  expect(text).toMatch(/two 1\.0\.0 \(ISC\)[\s\S]*Copyright Two/)
})

test('a bundled package without a license text stops the build', () => {
  expect(() => thirdPartyLicences([packaged('bare', 'MIT', { 'README.md': '# bare' })])).toThrow(
    'bare 1.0.0: has no licence text',
  )
})

test('a bundled package whose license requires more than a notice stops the build', () => {
  expect(() => thirdPartyLicences([packaged('strict', 'GPL-3.0-only', { LICENSE: 'Copyright' })])).toThrow(
    'strict 1.0.0: licence "GPL-3.0-only"',
  )
})

test('our own sources need no notice', () => {
  expect(thirdPartyLicences([join(folder, 'src/main.ts')])).not.toMatch(/---/)
})

test.each([
  ['MIT', true],
  ['(MIT OR GPL-2.0)', true],
  ['MIT AND Apache-2.0', true],
  ['MIT AND GPL-2.0', false],
  ['UNLICENSED', false],
  [undefined, false],
])('%s is permissive: %s', (licence, expected) => {
  expect(isPermissive(licence)).toBe(expected)
})
