import { describe, expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { tool, write } from '../../features/as-code/code-folder.ts'
import { twoPlatforms } from '../../features/as-code/promotion/two-platforms.ts'

// A sentence about a write ends with the profile that it was made with, unless that is local.

/** A remote deployment that does every write. */
const connect: NonNullable<RunOptions['connect']> = async () => ({
  base: 'https://platform.example',
  close: async () => {},
  send: async ({ method }) => ({
    status: method === 'POST' ? 201 : 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      method === 'GET'
        ? []
        : { message: 'Label created successfully', data: { id: 7, name: 'late', color: null, assistants_count: 0 } },
    ),
  }),
})

async function withStaging() {
  const by = operator({ supports: 'neutral' })
  await by.run('profile set staging --url https://platform.example --api-key-stdin', { stdin: '1|secretsecret' })
  return by
}

test('a write with a remote profile names it at the end of its sentence', async () => {
  const { run } = await withStaging()
  const { exitCode, stdout, stderr } = await run('labels create --name late --profile staging', { connect })
  expect(exitCode, stderr).toBe(0)
  expect(stdout).toBe('Label created successfully. Id: 7 [staging]\n')
})

test.each(['-o id', '--json', '-o csv', '-o ndjson', '-o yaml'])('output for programs does not: %s', async (flags) => {
  const { run } = await withStaging()
  const { exitCode, stdout, stderr } = await run(`labels create --name late --profile staging ${flags}`, { connect })
  expect(exitCode, stderr).toBe(0)
  expect(stdout).not.toContain('staging')
})

test('the local platform, a bare address and the removal of a profile are not named', async () => {
  const { run } = await withStaging()
  expect((await run('labels create --name late')).stdout).not.toContain('[')
  expect((await run('profile remove staging --yes --profile staging')).stdout).toBe('Removed profile "staging".\n')
})

describe('a write that prints a table names the profile in a note at the end', () => {
  test('a push and a new key', async () => {
    const on = await twoPlatforms()
    const env = { PARLEY_PROFILE: 'staging' }
    expect(await on.run('pull', { env })).toMatchObject({ exitCode: 0 })
    write(on.by, 'tools/extra.yaml', tool('extra'))
    expect((await on.run('push --dry-run', { env })).stderr).not.toContain('[staging]')
    const pushed = await on.run('push', { env })
    expect([pushed.exitCode, pushed.stderr]).toEqual([0, expect.stringMatching(/Done\. \[staging\]\n$/)])
    expect((await on.run('push', { env })).stderr).not.toContain('[staging]')
    const key = await on.run('keys create --name ci', { env })
    expect([key.exitCode, key.stderr]).toEqual([0, expect.stringMatching(/Done\. \[staging\]\n$/)])
    const json = await on.run('keys create --name ci2 --json', { env })
    expect([json.exitCode, json.stdout + json.stderr]).toEqual([0, expect.not.stringContaining('[staging]')])
  })

  test('a promotion and its undo name the target', async () => {
    const on = await twoPlatforms()
    await on.run('--profile staging tools update 2 --tool-timeout 20')
    const promoted = await on.run('promote --only tools --from staging --to production --confirm production')
    expect([promoted.exitCode, promoted.stderr]).toEqual([
      0,
      expect.stringContaining('Promoted 1 resource. [production]\n'),
    ])
    const undone = await on.run('promote undo --to production --confirm production')
    expect([undone.exitCode, undone.stderr]).toEqual([
      0,
      expect.stringContaining('Undid the promotion. [production]\n'),
    ])
  })

  test('a run of an automation that is saved as a test', async () => {
    const on = await twoPlatforms()
    const env = { PARLEY_PROFILE: 'staging' }
    const { exitCode, stdout, stderr } = await on.run('automate runs save last', { env })
    expect([exitCode, stdout], stderr).toEqual([0, expect.stringMatching(/^Saved the run as .*\. \[staging\]\n/)])
  })
})
