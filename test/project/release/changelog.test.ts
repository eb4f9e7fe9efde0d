import { expect, test } from 'vitest'
import { notesOf, releasedVersions, releaseSection, withRelease } from '../../../scripts/release/changelog.ts'
import type { Fragment } from '../../../scripts/release/fragments.ts'
import {
  nextVersion,
  requireVersion,
  withLockVersion,
  withManifestVersion,
  withTarballVersion,
} from '../../../scripts/release/version.ts'
import { read } from '../../support/sources.ts'

const fragment = (kind: Fragment['kind'], about: string, text: string): Fragment => ({
  path: `changes/${text}.md`,
  kind,
  about,
  text,
})

test('the section of a release groups changes by noun, what breaks first', () => {
  const section = releaseSection('0.2.0', '2026-11-29', [
    fragment('fixed', 'numbers', 'c'),
    fragment('added', 'assistants', 'a'),
    fragment('breaking', 'numbers', 'd'),
    fragment('added', 'numbers', 'b'),
  ])
  expect(section).toBe(
    '## [0.2.0] - 2026-11-29\n\n### assistants\n\n- a\n\n### numbers\n\n- **Breaking:** d\n- b\n- Fixed: c\n',
  )
})

test('a release is put before the last one, once', () => {
  const section = releaseSection('0.2.0', '2026-11-29', [fragment('added', 'numbers', 'b')])
  const changelog = withRelease('# Changelog\n\n## [0.1.0]\n\n- First\n', '0.2.0', section)
  expect(changelog).toBe(`# Changelog\n\n${section}\n## [0.1.0]\n\n- First\n`)
  expect(releasedVersions(changelog)).toEqual(['0.2.0', '0.1.0'])
  expect(notesOf(changelog, '0.2.0')).toBe('### numbers\n\n- b')
  expect(notesOf(changelog, '0.1.0')).toBe('- First')
  expect(notesOf(changelog, '9.9.9')).toBe('')
  expect(() => withRelease(changelog, '0.2.0', section)).toThrow('CHANGELOG.md has 0.2.0 already')
  expect(withRelease('# Changelog\n', '0.2.0', section)).toBe(`# Changelog\n\n${section}`)
})

test.each([
  ['0.1.0', ['fixed'], '0.1.1'],
  ['0.1.1', ['security', 'fixed'], '0.1.2'],
  ['0.1.1', ['added', 'fixed'], '0.2.0'],
  ['0.1.1', ['breaking'], '0.2.0'],
  ['1.4.2', ['changed'], '1.5.0'],
  ['1.4.2', ['breaking', 'fixed'], '2.0.0'],
] as const)('after %s, the changes %j make %s', (current, changed, next) => {
  expect(
    nextVersion(
      current,
      changed.map((kind) => ({ kind })),
    ),
  ).toBe(next)
})

test.each(['1', '01.0.0', 'v0.2.0', '0.2.0-beta', ''])('the version "%s" is refused', (version) => {
  expect(() => requireVersion(version)).toThrow(`Invalid version "${version}"`)
})

test('a new version changes only the version of manifest and lockfile', () => {
  const { version, ...manifest } = JSON.parse(withManifestVersion(read('package.json'), '9.8.7'))
  expect([version, { version: JSON.parse(read('package.json')).version, ...manifest }]).toEqual([
    '9.8.7',
    JSON.parse(read('package.json')),
  ])
  const lock = read('package-lock.json')
  const changed = withLockVersion(lock, '9.8.7').split('\n')
  expect(changed).toHaveLength(lock.split('\n').length)
  expect(lock.split('\n').filter((line, n) => line !== changed[n])).toHaveLength(2)
})

test('pages name the tarball of the new version', () => {
  expect(withTarballVersion('npm install ./parley-cli-0.1.0.tgz ./other-0.1.0.tgz', 'parley-cli', '0.2.0')).toBe(
    'npm install ./parley-cli-0.2.0.tgz ./other-0.1.0.tgz',
  )
})
