import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fieldFlags } from '../../../../src/cli/program/commandline/field-flags.ts'
import { requireCapability } from '../../../../src/cli/program/connection/require-capability.ts'
import type { Context } from '../../../../src/cli/program/context.ts'
import { capabilityOf } from '../../../../src/contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { assumed } from '../../../../src/contract/endpoint/field-schemas.ts'
import { capabilities, endpoints } from '../../../../src/contract/resources/index.ts'
import * as z from '../../../../src/contract/schema/schema.ts'
import { exampleInput } from '../../../../src/generate/example-input.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { extensionOf, notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const extensions = endpoints.filter((it) => it.capability !== undefined)
const through = notParleyServer
const isExtension = (line: string): boolean => {
  const [method = '', url = ''] = line.split(' ')
  return extensionOf(method, url) !== undefined
}

test.each(extensions)(
  '$name is refused without a request if the platform does not list its capability',
  async (extension) => {
    const { run } = operator({ supports: 'neutral' })
    const input = JSON.stringify(exampleInput(extension, {}) ?? {})
    const { exitCode, stdout, stderr, requests } = await run(
      ['api', extension.name, '--data', input, '--yes', '--json'],
      {
        through,
      },
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_offered',
      message: `The local platform does not have the capability "${extension.capability}", which "parley api" requires.`,
      hint: 'Use a Parley server, such as the local platform: --profile local.',
    })
    expect(requests.filter(isExtension)).toEqual([])
  },
)

const commands = (await allCommands()).filter(([, command]) => command.endpoint?.capability !== undefined)

test.each(commands)('parley %s requests no endpoint that the platform does not have', async (words, { examples }) => {
  const { run, cwd } = operator({ supports: 'neutral' })
  // It does without the capability, and reads its file.
  writeFileSync(join(cwd, 'blocked.csv'), 'phone\n')
  const { exitCode, stderr, requests } = await run(`${words} ${examples[0] ?? ''}`, { through })
  expect(requests.filter(isExtension)).toEqual([])
  if (exitCode === 2) expect(stderr).toMatch(/does not have the capability ".+", which "parley .+" requires/)
})

/** A deployment that refuses the read of capabilities and lists none. */
const refusing: NonNullable<Parameters<ReturnType<typeof operator>['run']>[1]>['through'] = async (handle, request) => {
  const answer = await handle(request)
  const { 'parley-capabilities': _, ...headers } = { ...answer.headers } as Record<string, string>
  return request.url.startsWith('/api/user/api-keys')
    ? { status: 403, body: '{"message":"Forbidden."}', headers: {} }
    : { ...answer, headers }
}

test('a refused read of the capabilities ends a command that needs one, with exit 3', async () => {
  const { run } = operator()
  const { exitCode, stderr, requests } = await run('messaging sessions -o json', { through: refusing })
  expect([exitCode, requests.filter(isExtension)], stderr).toEqual([3, []])
  expect(JSON.parse(stderr).error.code).not.toBe('not_offered')
})

test('and is a warning, once and also with -q, where the command continues without', async () => {
  const { run } = operator()
  for (const line of ['automate runs list --all', 'automate runs list --all -q']) {
    const { exitCode, stdout, stderr } = await run(`${line} -o json`, { through: refusing })
    expect(exitCode, stderr).toBe(0)
    expect(JSON.parse(stdout)).toBeInstanceOf(Array)
    expect(stderr.match(/did not show its capabilities: GET \/api\/user\/api-keys returned 403/g)).toHaveLength(1)
  }
})

test('every capability of a field is declared', () => {
  const fields = endpoints.flatMap((it) => Object.values({ ...it.query?.shape, ...it.body?.shape }) as z.ZodType[])
  const named = fields.map(capabilityOf).filter((it) => it !== undefined)
  expect(named).toContain('when-tested')
  expect(Object.keys(capabilities)).toEqual(expect.arrayContaining(named))
})

const filteredList = {
  ...(endpoints.find((it) => it.name === 'labels.list') as Endpoint),
  query: z.object({
    only_ours: assumed(z.string().describe('Owner'), 'only on a Parley server', 'details').default('a').optional(),
    usual: assumed(z.string().optional().describe('Name')),
  }),
}

test('help says of a flag with a capability that only a Parley server has it', () => {
  expect(fieldFlags({ endpoint: filteredList }).map((it) => it.describe)).toEqual([
    'Owner; only on a Parley server',
    'Name',
  ])
})

test.each([
  ['given', { only_ours: 'b', usual: 'c' }, false, 'not_offered'],
  ['given on a Parley server', { only_ours: 'b' }, true, undefined],
  ['absent', { only_ours: undefined, usual: 'c' }, false, undefined],
])('a flag with a capability that is %s', async (_, input, isOffered, code) => {
  const context = {
    command: { endpoint: filteredList },
    commandName: 'labels list',
    supports: async () => isOffered,
    settings: async () => ({ baseUrl: { value: 'https://example.com', from: 'flag' } }),
  } as unknown as Context
  const failure = await requireCapability(context, filteredList, input).catch((error: unknown) => error)
  expect((failure as { code?: string } | undefined)?.code).toBe(code)
  if (code !== undefined)
    expect(failure).toMatchObject({
      message: expect.stringMatching(/capability "details", which --only-ours of "parley labels list" requires/),
      hint: 'Remove --only-ours, or use a Parley server, such as the local platform: --profile local.',
    })
})
