import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { formula } from '../../scripts/packages/formula.mjs'
import { read } from '../support/sources.ts'

const manifest = JSON.parse(read('package.json'))
const bytes = Buffer.from('a tarball')
const tarball = `${manifest.name}-${manifest.version}.tgz`
const text = formula(read('deploy/parley.rb'), manifest, `/somewhere/${tarball}`, bytes)
const fieldOf = (name: string): string | undefined => new RegExp(`^  ${name} "([^"]*)"$`, 'm').exec(text)?.[1]

test('the formula names the tarball of the release and its checksum', () => {
  expect(fieldOf('url')).toBe(`https://code.parley.example/parley/releases/download/v${manifest.version}/${tarball}`)
  expect(fieldOf('sha256')).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(fieldOf('license')).toBe(manifest.license)
  expect(fieldOf('homepage')).toBe('https://code.parley.example/parley')
})

test('its description has the form that Homebrew asks for', () => {
  const description = fieldOf('desc') ?? ''
  expect(description).not.toMatch(/^(?:A|An|The) |\.$/)
  expect(text).not.toContain('{{')
})

test('it installs files that the package has', () => {
  const paths = [...text.matchAll(/"((?:completions|dist)\/[^"*]*)/g)].map((found) => found[1] as string)
  expect(paths).toHaveLength(4)
  for (const path of paths) expect(manifest.files).toContain(path.split('/')[0])
})

const ruby = spawnSync('ruby', ['--version']).status === 0
if (!ruby) console.warn('NOT RUN: ruby is not installed, so the syntax of the Homebrew formula is not checked.')

test.skipIf(!ruby)('Ruby reads it', () => {
  const { stdout, stderr } = spawnSync('ruby', ['-c'], { input: text, encoding: 'utf8' })
  expect(stdout + stderr).toBe('Syntax OK\n')
})
