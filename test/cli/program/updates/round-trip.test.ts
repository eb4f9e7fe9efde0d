import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { isNullable } from '../../../../src/contract/endpoint/coerce.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { code, hook } from '../../../support/flow-definitions.ts'
import { type Handle, operator } from '../../../support/operator.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly body?: string | undefined
}

/** A platform that refuses every field an update does not list, and every null where nothing can be cleared. */
function strict(method: string, words: string, seen: Record<string, unknown>[]) {
  const endpoint = endpoints.find((it) => it.name === words)
  const shape = (endpoint?.body?.shape ?? {}) as Record<string, z.ZodType>
  return async (handle: Handle, request: Sent & Parameters<Handle>[0]) => {
    if (request.method !== method || !request.body) return handle(request)
    const body = JSON.parse(request.body) as Record<string, unknown>
    seen.push(body)
    const wrong = Object.keys(body).filter(
      (name) => !Object.hasOwn(shape, name) || (body[name] === null && !isNullable(shape[name] as z.ZodType)),
    )
    if (wrong.length === 0) return handle(request)
    return {
      status: 422,
      headers: {},
      body: JSON.stringify({
        message: `Refused: ${wrong.join(', ')}`,
        errors: Object.fromEntries(wrong.map((it) => [it, ['The field is not allowed.']])),
      }),
    }
  }
}

const by = operator({ lasts: 'file' })
const write = (name: string, it: unknown): void => writeFileSync(join(by.cwd, name), JSON.stringify(it))
const first = async (line: string) => {
  const list = await by.json(line)
  return list[0]
}

const made = async (create: string, list: string) => {
  await by.json(create)
  return first(list)
}

/** What is read, by which command line, and what is edited in it. */
const resources: readonly (readonly [
  noun: string,
  endpoint: string,
  read: () => Promise<Record<string, unknown>>,
  edit: Record<string, unknown>,
])[] = [
  ['tools', 'tools.update', async () => by.json(`tools get ${(await first('tools list')).id}`), { timeout: 21 }],
  [
    'assistants',
    'assistants.update',
    async () => by.json(`assistants get ${(await first('assistants list')).id}`),
    { max_duration: 321 },
  ],
  ['numbers', 'numbers.update', () => first('numbers list'), { nickname: 'Edited' }],
  ['folders', 'folders.update', () => made('folders create --name Desks', 'folders list'), { name: 'Edited' }],
  ['labels', 'labels.update', () => made('labels create --name Desks', 'labels list'), { name: 'Edited' }],
  [
    'knowledge',
    'knowledge.update',
    () => made('knowledge create --name Prices', 'knowledge list'),
    { description: 'Edited' },
  ],
  ['leads', 'leads.update', () => first('leads list'), { variables: { name: 'Edited' } }],
  [
    'sip-trunks',
    'sipTrunks.update',
    async () => by.json(`sip-trunks get ${(await first('sip-trunks list')).id}`),
    { nickname: 'Edited trunk' },
  ],
  [
    'automate',
    'automate.update',
    async () => by.json(`automate get ${(await first('automate list')).id}`),
    { name: 'Edited' },
  ],
]

test.each(resources)(
  '%s: the output of get can be edited and sent back to a strict platform',
  async (noun, endpoint, read, edit) => {
    const record = await read()
    write('read.json', { ...record, ...edit })
    const seen: Record<string, unknown>[] = []
    const through = strict('PUT', endpoint, seen)
    const { exitCode, stderr } = await by.run(`${noun} update ${record.id} --file read.json -v`, { through })
    expect(exitCode, stderr).toBe(0)
    expect(seen.at(-1)).toMatchObject(edit)
    expect(stderr).toMatch(/Not sent, read-only: .*\bid\b/)
  },
)

test('a strict platform accepts a file of a deployment with unknown fields, and refuses an edited one by name', async () => {
  const record = await by.json(`tools get ${(await first('tools list')).id}`)
  const theirs = { ...record, owner_team: 'desk', plan: null }
  const more = (handle: Handle) => async (request: Parameters<Handle>[0]) => {
    const answer = await handle(request)
    return request.method === 'GET' && /\/tools\/\d+$/.test(request.url)
      ? { ...answer, body: JSON.stringify(theirs) }
      : answer
  }
  const seen: Record<string, unknown>[] = []
  const refusing = strict('PUT', 'tools.update', seen)
  const through = (handle: Handle, request: Parameters<Handle>[0]) => refusing(more(handle), request)
  write('theirs.json', { ...theirs, timeout: 22 })
  expect(await by.run(`tools update ${record.id} --file theirs.json`, { through })).toMatchObject({ exitCode: 0 })
  expect(seen.at(-1)).not.toHaveProperty('owner_team')
  write('theirs.json', { ...theirs, owner_team: 'other' })
  expect(await by.run(`tools update ${record.id} --file theirs.json`, { through })).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('owner_team'),
  })
})

test('the output of get can be used to create another resource', async () => {
  for (const noun of ['tools', 'assistants']) {
    const record = await by.json(`${noun} get ${(await first(`${noun} list`)).id}`)
    // A number answers for one assistant only.
    write('read.json', { ...record, name: 'another', phone_number_id: undefined })
    const seen: Record<string, unknown>[] = []
    const { exitCode, stderr } = await by.run(`${noun} create --file read.json`, {
      through: strict('POST', `${noun}.create`, seen),
    })
    expect(exitCode, stderr).toBe(0)
  }
})

test('the same applies to automations', async () => {
  write('flow.json', { name: 'Read back', flow: { trigger: hook, steps: [code('1', {})] } })
  const { automation_id: id } = await by.json('automate create --file flow.json')
  write('read.json', { ...(await by.json(`automate get ${id}`)), name: 'Another' })
  const seen: Record<string, unknown>[] = []
  const { exitCode, stderr } = await by.run('automate create --file read.json', {
    through: strict('POST', 'automate.create', seen),
  })
  expect(exitCode, stderr).toBe(0)
})
