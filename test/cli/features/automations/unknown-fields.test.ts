import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hook, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

/** A definition with credentials in branches of newer editors, and in unknown fields. */
const flow = (version: number) => ({
  trigger: hook,
  steps: [
    {
      name: 'step_1',
      type: 'CODE',
      settings: {
        sourceCode: { code: 'export const code = () => { throw new Error("boom") }', packageJson: '{}' },
        input: {},
        errorHandlingOptions: { continueOnFailure: { value: true } },
      },
      continueOnFailureBranches: {
        onSuccess: null,
        onFailure: {
          name: 'step_2',
          type: 'CODE',
          settings: {
            sourceCode: { code: 'export const code = (inputs) => inputs.note', packageJson: '{}' },
            input: { note: `${version}`, headers: { Authorization: `Bearer sk_branch_secret_${version}` } },
          },
        },
        onTimeout: { name: 'step_9', type: 'CODE', settings: { input: { apiKey: `sk_timeout_secret_${version}` } } },
      },
      fallback: { nested: [{ clientSecret: `sk_field_secret_${version}` }] },
    },
    { name: 'step_3', ...respond({ text: '{{step_1.error.message}}' }) },
  ],
})

const secretPattern = /sk_\w+_secret_\d/

/** Returns the content of every file below a folder. */
function contentsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => readFileSync(join(it.parentPath, it.name), 'latin1'))
    .join('\n')
}

test('no command shows or stores a credential in a field that is not known, and each version keeps its own', async () => {
  const by = operator()
  for (const version of [1, 2]) writeFileSync(join(by.cwd, `v${version}.json`), JSON.stringify(flow(version)))
  const created = await by.json(`automate create --name Leak --file v1.json --sample '{}' --confirm-side-effects`)
  expect(created.status).toBe('active')
  await by.json('automate update Leak --file v2.json --confirm-side-effects')
  const shown = await Promise.all(
    [
      'automate get Leak',
      'automate get Leak -o json',
      'automate get Leak -o yaml',
      'automate versions list Leak -o json',
      'automate versions get Leak --number 1 -o json',
      'automate diff Leak --json',
      'automate diff Leak --file v1.json --json',
      'automate restore Leak --dry-run -o json',
      'history list -o json',
      'automate runs list Leak -o json',
      'export --format json',
      'api automate.get --id Leak',
    ].map(async (line) => `${line}\n${JSON.stringify(await by.run(line))}`),
  )
  for (const text of shown) expect(text).not.toMatch(secretPattern)
  const [entry] = await by.json('history list -o json')
  expect(JSON.stringify(await by.run(`history get ${entry.entry} -o json`))).not.toMatch(secretPattern)
  expect(JSON.stringify(await by.run('pull --yes'))).not.toMatch(secretPattern)
  expect(contentsOf(by.dataDir)).not.toMatch(secretPattern)
  const pulled = contentsOf(by.cwd)
    .replaceAll(JSON.stringify(flow(1)), '')
    .replaceAll(JSON.stringify(flow(2)), '')
  expect(pulled).toContain('continueOnFailureBranches')
  expect(pulled).not.toMatch(secretPattern)

  const plain = JSON.stringify(await by.json('automate get Leak --unmask -o json'))
  for (const kind of ['branch', 'timeout', 'field']) expect(plain).toContain(`sk_${kind}_secret_2`)
  // What was read masked is sent back unchanged.
  const masked = await by.run('automate get Leak -o json')
  writeFileSync(join(by.cwd, 'read.json'), masked.stdout)
  expect((await by.run('automate update Leak --file read.json --confirm-side-effects')).exitCode).toBe(0)
  expect(JSON.stringify(await by.json('automate get Leak --unmask -o json'))).toContain('sk_timeout_secret_2')
  await by.json('automate restore Leak --to 1 --yes')
  expect(JSON.stringify(await by.json('automate get Leak --unmask -o json'))).toContain('sk_field_secret_1')
})

test('lint names each of these fields, and the tree shows the branches', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'v1.json'), JSON.stringify(flow(1)))
  const { stdout } = await by.run('automate lint --file v1.json --json')
  const findings = JSON.parse(stdout).map((it: { rule: string; path: string }) => `${it.rule} ${it.path}`)
  expect(findings).toEqual(
    expect.arrayContaining([
      'unknown-field continueOnFailureBranches.onTimeout',
      'unknown-field fallback',
      'inline-secret continueOnFailureBranches.onTimeout.settings.input.apiKey',
      'inline-secret fallback.nested[0].clientSecret',
      'inline-secret settings.input.headers.Authorization',
    ]),
  )
  await by.json(`automate create --name Leak --file v1.json --sample '{}' --confirm-side-effects`)
  expect((await by.run('automate get Leak')).stdout).toMatch(/step_1:.*\n\s+on failure:\n\s+step_2:/)
})

test('a live run continues after a failed step with its branch, and answers with the error', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'v1.json'), JSON.stringify(flow(1)))
  const created = await by.json(`automate create --name Leak --file v1.json --sample '{}' --confirm-side-effects`)
  expect(created.response).toEqual({ text: 'Error: boom (line 1)' })
  expect(created.test.steps.map((it: { name: string; status: string }) => `${it.name} ${it.status}`)).toEqual([
    'step_1 FAILED',
    'step_2 SUCCEEDED',
    'step_3 SUCCEEDED',
  ])
})
