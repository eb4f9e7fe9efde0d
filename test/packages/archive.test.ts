import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { arch, execPath, platform, versions } from 'node:process'
import { afterAll, expect, test } from 'vitest'
import { NODE_LICENCE, nodeLicence } from '../../scripts/node-licence.mjs'
import { buildArchive, isOfOtherMachine, writeSums } from '../../scripts/release/archive.ts'
import { bundledPackages } from '../../scripts/release/artefacts.ts'
import { root } from '../support/sources.ts'

// What a release has for each system: the executable with man pages, completions and licences, and its bill of materials.

const folder = mkdtempSync(join(tmpdir(), 'parley-archive-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = `parley-${manifest.version}-${platform}-${arch}`

// Windows has no sha256sum and runs no scripts of sh.
test.skipIf(platform === 'win32')(
  'the archive of an executable has everything that belongs to it, and its bill of materials lists Node',
  () => {
    const binary = join(folder, 'parley')
    writeFileSync(binary, '#!/bin/sh\necho "$@"\n', { mode: 0o755 })
    writeFileSync(join(folder, NODE_LICENCE), nodeLicence(execPath))
    const out = join(folder, 'out')
    const files = buildArchive({ root, binary, out })
    writeSums(files)
    expect(readdirSync(out).sort()).toEqual([`${name}.cdx.json`, `${name}.sha256`, `${name}.tar.gz`])
    expect(execFileSync('sha256sum', ['--check', `${name}.sha256`], { cwd: out, encoding: 'utf8' })).toContain('OK')

    execFileSync('tar', ['--extract', '--file', files[0], '--directory', folder])
    const at = join(folder, name)
    expect(execFileSync(join(at, 'bin/parley'), ['works'], { encoding: 'utf8' })).toBe('works\n')
    const pages = (manifest.man as string[]).map((it) => basename(it))
    expect(readdirSync(join(at, 'share/man/man1')).sort()).toEqual(pages.sort())
    for (const [path, text] of [
      ['share/bash-completion/completions/parley', 'complete '],
      ['share/zsh/site-functions/_parley', '#compdef parley'],
      ['share/fish/vendor_completions.d/parley.fish', 'complete '],
      ['share/powershell/parley.ps1', 'parley'],
      ['LICENSE', 'MIT'],
      [NODE_LICENCE, 'Node.js is licensed for use'],
      ['THIRD-PARTY-LICENSES.txt', 'commander '],
    ] as const)
      expect(readFileSync(join(at, path), 'utf8'), path).toContain(text)

    const { components } = JSON.parse(readFileSync(files[1], 'utf8'))
    expect(components).toContainEqual(
      expect.objectContaining({
        type: 'platform',
        name: 'node',
        version: versions.node,
        purl: `pkg:github/nodejs/node@v${versions.node}`,
        licenses: [{ license: expect.objectContaining({ id: 'MIT' }) }],
      }),
    )
    const bundled = bundledPackages(readFileSync(join(at, 'THIRD-PARTY-LICENSES.txt'), 'utf8'))
    expect(components).toHaveLength(bundled.length + 1)
  },
)

test('an executable of a Node without its licence is not built', () => {
  const node = join(folder, 'node')
  writeFileSync(node, '')
  expect(() => nodeLicence(node)).toThrow('has no licence beside it. Use a Node from nodejs.org or npm')
})

test('artefacts of other machines are distinguished from those of this one', () => {
  expect(isOfOtherMachine(`${name}.tar.gz`, manifest.version)).toBe(false)
  expect(isOfOtherMachine(`parley-${manifest.version}-other-x64.tar.gz`, manifest.version)).toBe(true)
  expect(isOfOtherMachine(`parley-cli-${manifest.version}.tgz`, manifest.version)).toBe(false)
})
