import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { change, path, pulled } from '../../features/as-code/code-folder.ts'

/** A deployment that omits fields without a value. */
const omitsNulls: NonNullable<RunOptions['through']> = async (handle, request) => {
  const response = await handle(request)
  if (typeof response.body !== 'string' || !/^[[{]/.test(response.body)) return response
  const body = JSON.parse(response.body, (_, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
      : value,
  )
  return { ...response, body: JSON.stringify(body) }
}
const recall = 'assistants/recall.yaml'

describe('an undo removes values that were not set before', () => {
  test('a push', async () => {
    const by = await pulled()
    change(by, recall, /\n$/, '\nwebhook_url: https://x.example/after-call\n')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect(await by.json('assistants get Recall')).toMatchObject({ webhook_url: 'https://x.example/after-call' })
    expect(await by.run('history undo 1')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored assistant/),
    })
    expect(await by.json('assistants get Recall')).toMatchObject({ webhook_url: null })
  })

  test('a push that also sets a field with a separate endpoint', async () => {
    const by = await pulled()
    const before = await by.json('assistants get Recall')
    change(by, recall, /\n$/, '\ninbound_webhook_url: https://x.example/inbound\n')
    change(by, recall, /max_duration: \d+/, 'max_duration: 301')
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    expect(await by.json('history list')).toMatchObject([
      { fields: ['inbound_webhook_url'] },
      { fields: ['max_duration'] },
    ])
    expect(await by.run('history undo 2')).toMatchObject({ exitCode: 0 })
    expect(await by.json('assistants get Recall')).toMatchObject({ inbound_webhook_url: null, max_duration: 301 })
    expect(await by.run('history undo 1')).toMatchObject({ exitCode: 0 })
    expect(await by.json('assistants get Recall')).toMatchObject({ max_duration: before.max_duration })
  })

  test.each([
    ['numbers update 4 --nickname Desk', 'numbers list', 'nickname'],
    ['folders update 1 --folder-color pink', 'folders list', 'color'],
    ['knowledge documents update 1 --knowledge 1 --description New', 'knowledge documents list 1', 'description'],
  ])('%s on a deployment that omits them', async (line, list, field) => {
    const by = operator()
    const id = Number(line.replace(/^\D+(\d+).*$/, '$1'))
    const seen = async () => (await by.json(list)).find((it: { id: number }) => it.id === id)[field]
    await by.run(line.replace(/(--[a-z-]+) \S+$/, '$1 null'))
    const entry = (await by.json('history list'))[0]?.entry ?? 0
    expect(await seen()).toBe(null)
    expect(await by.run(line, { through: omitsNulls })).toMatchObject({ exitCode: 0 })
    expect(await seen()).not.toBe(null)
    expect(await by.run(`history undo ${entry + 1}`, { through: omitsNulls })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Restored /),
    })
    expect(await seen()).toBe(null)
  })
})

test('an undo of a changed secret that the platform never shows says that it is not saved', async () => {
  const by = operator()
  await by.run('sip-trunks update 5 --sip-password other-password')
  expect(await by.run('history undo 1')).toMatchObject({
    exitCode: 5,
    stdout: '',
    stderr: expect.stringContaining('which the history does not save: sip_password. Nothing was restored.'),
  })
})

test('a deletion by a push records what referenced the resource', async () => {
  const by = await pulled()
  rmSync(path(by, 'tools/lookup-patient.yaml'))
  expect(await by.run('push --prune --yes --confirm lookup_patient')).toMatchObject({ exitCode: 20 })
  const undone = await by.run('history undo 1')
  expect(undone).toMatchObject({ exitCode: 0 })
  expect(undone.stderr).toContain('Update these references to the old id: assistants 1 "Front desk" (tool_ids)')
})

describe('the refused undo of a rotated secret has the command that sets it', () => {
  test.each([
    [
      'a header of a tool',
      ['tools update 1 --header "Accept: text/plain" --header "Authorization: Bearer first-token"'],
      'tools update 1 --header "Authorization: Bearer second-token"',
      "parley tools update 1 --header 'Authorization: ...'",
    ],
    [
      'two headers',
      ['tools update 1 --header "X-Api-Key: first-key-123" --header "Authorization: Bearer first-token"'],
      'tools update 1 --header "X-Api-Key: second-key-123" --header "Authorization: Bearer second-token"',
      "parley tools update 1 --header 'X-Api-Key: ...' --header 'Authorization: ...'",
    ],
    [
      'a static field of a tool',
      [`tools update 2 --static-fields '[{"key":"api_key","value":"first-key-123"},{"key":"lang","value":"en"}]'`],
      `tools update 2 --static-fields '[{"key":"api_key","value":"second-key-123"},{"key":"lang","value":"en"}]'`,
      `parley tools update 2 --static-fields '[{"key":"api_key","value":"..."},{"key":"lang","value":"en"}]'`,
    ],
    [
      'an address with a token',
      ['tools update 2 --endpoint "https://example.com/book?token=first-key-123"'],
      'tools update 2 --endpoint "https://example.com/book?token=second-key-123"',
      "parley tools update 2 --endpoint 'https://example.com/book?token=...'",
    ],
    [
      'a password of a SIP trunk',
      [],
      'sip-trunks update 1 --sip-password second-password',
      'parley sip-trunks update 1 --sip-password ...',
    ],
    [
      'the address of a webhook with a token',
      ['assistants enable-webhook 1 --event inbound --webhook-url "https://example.com/in?token=first-key-123"'],
      'assistants enable-webhook 1 --event inbound --webhook-url "https://example.com/in?token=second-key-123"',
      "parley assistants enable-webhook 1 --event inbound --webhook-url 'https://example.com/in?token=...'",
    ],
  ])('%s', async (_, before, rotation, command) => {
    const by = operator()
    for (const line of [...before, rotation]) expect(await by.run(line)).toMatchObject({ exitCode: 0 })
    const { exitCode, stderr } = await by.run(`history undo ${before.length + 1} --yes`)
    expect(exitCode).toBe(5)
    expect(stderr).toContain(`hint: Set their previous values: ${command}\n`)
  })
})
