import { expect, test } from 'vitest'
import { manifestFields, releaseSettings } from '../../../scripts/release/settings.ts'
import { filesIn, read } from '../../support/sources.ts'

test('package.json has the name, the addresses and the way of publishing of the release settings', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject(manifestFields(releaseSettings))
})

test('the lockfile has the published name', () => {
  const lock = JSON.parse(read('package-lock.json'))
  expect([lock.name, lock.packages[''].name]).toEqual([releaseSettings.package.name, releaseSettings.package.name])
})

test.skipIf(releaseSettings.package.owned)('the README installs a tarball while the name is not owned', () => {
  const installs = read('README.md')
    .split('\n')
    .filter((line) => /^npm install /.test(line))
  expect(installs.length).toBeGreaterThan(0)
  expect(
    installs.filter((line) => !line.includes(`${releaseSettings.package.name}-`) || !line.includes('.tgz')),
  ).toEqual([])
})

test('texts and examples import the package by its published name', () => {
  const entries = Object.keys(JSON.parse(read('package.json')).exports)
    .map((entry) => entry.slice(2))
    .filter((entry) => !entry.includes('.'))
  const imported = new RegExp(`['"](?:npm:)?([\\w@-]+)/(?:${entries.join('|')})['"]`, 'g')
  const names = [...filesIn('docs').filter((path) => path.endsWith('.md')), ...filesIn('test/runners')].flatMap(
    (path) => [...read(path).matchAll(imported)].map((found) => found[1]),
  )
  expect([...new Set(names)]).toEqual([releaseSettings.package.name])
})
