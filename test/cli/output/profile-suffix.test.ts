import { expect, test } from 'vitest'
import { operator, type RunOptions } from '../../support/operator.ts'

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
