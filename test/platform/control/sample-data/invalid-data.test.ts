import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../../src/platform.ts'

async function started(): Promise<TestPlatform> {
  const platform = await startPlatform({ empty: true })
  onTestFinished(() => platform.close())
  return platform
}

type Lists = Readonly<Record<string, unknown>>
const data = (lists: Lists, ...more: Lists[]): object => ({
  version: 1,
  accounts: [lists, ...more].map((it, n) => ({ name: `Account ${n + 1}`, ...it })),
})
const assistant = { name: 'Desk', type: 'outbound', mode: 'multimodal', voice_id: 43, language_id: 1, timezone: 'UTC' }
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
const hash = 'a1'.repeat(32)
const campaign = { name: 'Recall', assistant_id: 'Desk' }

function tool(name: string): object {
  return { name, description: 'A tool', endpoint: 'https://example.com', method: 'GET' }
}
const webhook = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}

test.each<readonly [what: string, given: object, path: string, message: string]>([
  ['no version', { accounts: [{ name: 'One' }] }, 'version', 'version: The version field is required.'],
  ['another version', { version: 2, accounts: [{ name: 'One' }] }, 'version', 'version: The version field must be 1.'],
  ['an unknown field at the top', { ...data({}), extra: 1 }, 'extra', 'extra: The extra field is not recognized.'],
  [
    'an unknown list',
    data({ asistants: [] }),
    'accounts.0.asistants',
    'accounts.0.asistants: The asistants field is not recognized.',
  ],
  ['a list that is none', data({ tools: {} }), 'accounts.0.tools', 'accounts.0.tools: Use a list of records.'],
  [
    'an unknown field of a record',
    data({ folders: [{ name: 'A' }, { name: 'B', colour: 'red' }] }),
    'accounts.0.folders.1.colour',
    'accounts.0.folders.1.colour: The colour field is not recognized.',
  ],
  [
    'a value of the wrong type',
    data({}, { folders: [{ name: 1 }] }),
    'accounts.1.folders.0.name',
    'accounts.1.folders.0.name: The name field must be a string.',
  ],
  [
    'a dangling reference',
    data({ assistants: [{ ...assistant, folder_id: 'Nowhere' }] }),
    'accounts.0.assistants.0.folder_id',
    'accounts.0.assistants.0.folder_id: "Nowhere" is not among the folders of this account.',
  ],
  [
    'an assistant with the UUID of another one',
    data({ assistants: [{ ...assistant, uuid }] }, { assistants: [{ ...assistant, uuid: uuid.toUpperCase() }] }),
    'accounts.1.assistants.0.uuid',
    'accounts.1.assistants.0.uuid: Another record of the file has this uuid. Omit the field to get a new one.',
  ],
  [
    'a key with the hash of another one',
    data({ keys: [{ name: 'A' }, { name: 'B', hash }, { name: 'C', hash }] }),
    'accounts.0.keys.2.hash',
    'accounts.0.keys.2.hash: Another record of the file has this hash. Omit the field to get a new one.',
  ],
  [
    'a reference to a record of another account',
    data({ folders: [{ name: 'A' }] }, { assistants: [{ ...assistant, folder_id: 'A' }] }),
    'accounts.1.assistants.0.folder_id',
    'accounts.1.assistants.0.folder_id: "A" is not among the folders of this account.',
  ],
  [
    'an id instead of a name',
    data({ assistants: [{ ...assistant, label_ids: [3] }] }),
    'accounts.0.assistants.0.label_ids.0',
    'accounts.0.assistants.0.label_ids.0: Use the name of one of the labels of this account.',
  ],
  [
    'a name of two records',
    data({ tools: [tool('a'), tool('a')], assistants: [{ ...assistant, tool_ids: ['a'] }] }),
    'accounts.0.assistants.0.tool_ids.0',
    'accounts.0.assistants.0.tool_ids.0: Several tools are named "a". Give one of them a ref.',
  ],
  [
    'a time that is none',
    data({ folders: [{ name: 'A', created_at: 'yesterday' }] }),
    'accounts.0.folders.0.created_at',
    'accounts.0.folders.0.created_at: Use an ISO 8601 time, an age such as "3d ago", or "in 3d".',
  ],
  [
    'a nested record',
    data({ assistants: [assistant], campaigns: [{ ...campaign, leads: [{ phone_number: '555' }] }] }),
    'accounts.0.campaigns.0.leads.0.phone_number',
    'accounts.0.campaigns.0.leads.0.phone_number: Use E.164, for example +14155550142.',
  ],
  [
    'an automation without steps',
    data({ automations: [{ name: 'Empty', flow: { trigger: webhook, steps: [] } }] }),
    'accounts.0.automations.0',
    'accounts.0.automations.0: The automation has a trigger but no steps.',
  ],
  [
    'what only the database shows',
    data({ folders: [{ name: 'A' }, { name: 'A' }] }),
    'accounts.0.folders.1.name',
    'accounts.0.folders.1.name: The name has already been taken.',
  ],
])('%s is an error that names the place, and nothing is loaded', async (_, given, path, message) => {
  const platform = await started()
  const error = await platform.control('POST', 'seed', { data: given }).catch((it: unknown) => it)
  expect(error).toMatchObject({ status: 422, errors: { [path]: [message] } })
  expect(await platform.control('GET', 'status')).toMatchObject({ accounts: 0 })
  expect(platform.key).toBe(null)
})

test('all problems are reported at once', async () => {
  const platform = await started()
  const given = data({ folders: [{ colour: 1 }], labels: [{ name: 'x', color: 'blau' }] })
  const { errors } = (await platform.control('POST', 'seed', { data: given }).catch((it: unknown) => it)) as {
    errors: object
  }
  expect(Object.keys(errors)).toEqual([
    'accounts.0.folders.0.name',
    'accounts.0.folders.0.colour',
    'accounts.0.labels.0.color',
  ])
})

test('startPlatform refuses files and objects that it cannot load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  await expect(startPlatform({ data: join(folder, 'none.yaml') })).rejects.toThrow(
    /none.yaml" of the option "data" could not be read/,
  )
  await expect(startPlatform({ data: file('a.yaml', 'a: [1') })).rejects.toThrow('is not valid YAML or JSON')
  await expect(startPlatform({ data: file('b.yaml', '- 1') })).rejects.toThrow('must contain an object with fields')
  await expect(startPlatform({ data: file('c.yaml', 'version: 1\naccounts: [{ nam: A }]') })).rejects.toThrow(
    'The option "data" of startPlatform is invalid:\naccounts.0.name: The name field is required.\naccounts.0.nam: The nam field is not recognized.',
  )
  await expect(startPlatform({ data: { version: 1, accounts: [] }, empty: true })).rejects.toThrow('cannot be combined')
})
