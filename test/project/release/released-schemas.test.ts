import { expect, test } from 'vitest'
import { releasedVersions } from '../../../scripts/release/changelog.ts'
import { withReleasedSchema } from '../../../scripts/release/version.ts'
import { migrations } from '../../../src/platform/store/migrations/all.ts'
import { releases } from '../../../src/platform/store/migrations/releases.ts'
import { read } from '../../support/sources.ts'

const folder = 'src/platform/store/migrations'

test('every release of the changelog has the version of its schema, none newer than the steps', () => {
  expect(releases.map(({ version }) => version)).toEqual(releasedVersions(read('CHANGELOG.md')).toReversed())
  expect(releases.map(({ schema }) => schema)).toEqual(releases.map(({ schema }) => schema).toSorted((a, b) => a - b))
  expect(releases.at(-1)?.schema).toBeLessThanOrEqual(migrations.length)
})

test('a release adds the schema that its migrations make, once', () => {
  const [list, steps] = [read(`${folder}/releases.ts`), read(`${folder}/index.ts`)]
  const added = withReleasedSchema(list, '99.0.0', steps)
  expect(added.replace(`  { version: '99.0.0', schema: ${migrations.length} },\n`, '')).toBe(list)
  expect(added).not.toBe(list)
  expect(withReleasedSchema(added, '99.0.0', steps)).toBe(added)
})
