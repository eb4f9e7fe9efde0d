import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callWebhook } from '../../../support/call-webhook.ts'
import { delay, hook } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

type Row = { readonly id: number | string; readonly name: string; readonly status: string; readonly result: string }

async function running(by: ReturnType<typeof operator>, name: string): Promise<number> {
  const { id } = await by.json(
    `campaigns create --name "${name}" --assistant 2 --timezone UTC --allowed-days '["monday"]'`,
  )
  await by.run(`leads create --campaign ${id} --phone-number +14155550199`)
  await by.run(`campaigns start ${id} --yes`)
  return id
}

test('campaigns stop --filter stops what matches with one question, and one undo starts it again', async () => {
  const by = operator()
  const [one, two, other] = [await running(by, 'Spring A'), await running(by, 'Spring B'), await running(by, 'Autumn')]
  expect(await by.run('campaigns stop --filter name~spring')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(/2 campaigns: campaign "Spring A" \(\d+\), campaign "Spring B"/),
  })
  expect(await by.json('campaigns stop --filter name~spring --dry-run')).toMatchObject([
    { id: one, result: 'planned' },
    { id: two, result: 'planned' },
  ])
  const asked = await by.run('campaigns stop --filter name~spring', { answers: [[/\?/, true]] })
  expect([asked.exitCode, asked.asked.length]).toEqual([0, 1])
  const statuses = async (): Promise<string[]> =>
    Promise.all([one, two, other].map(async (id) => (await by.json(`campaigns get ${id}`)).status))
  expect(await statuses()).toEqual(['paused', 'paused', 'in-progress'])
  const [entry] = await by.json('history list')
  expect(entry).toMatchObject({ action: 'group', command: 'campaigns stop', name: '2 campaigns' })
  expect((await by.run(`history undo ${entry.entry} --yes`)).exitCode).toBe(0)
  expect(await statuses()).toEqual(['in-progress', 'in-progress', 'in-progress'])
})

test('nothing happens when nothing matches, and a wrong condition or an argument beside it is refused', async () => {
  const by = operator()
  expect(await by.json('campaigns stop --filter name~unknown --yes')).toEqual([])
  expect(await by.run('campaigns stop --filter colour=red --yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Unknown field "colour"'),
  })
  expect(await by.run('campaigns stop 1 --filter name~a --yes')).toMatchObject({ exitCode: 2 })
  expect(await by.json('history list')).toEqual([])
})

test('automate disable --filter disables what matches, and one undo enables it again', async () => {
  const by = operator()
  const before: Row[] = (await by.json('automate list')).filter((it: Row) => it.status === 'enabled')
  const rows: Row[] = await by.json('automate disable --filter status=enabled --yes')
  expect(rows.map((it) => [it.id, it.result])).toEqual(before.map((it) => [it.id, 'done']))
  expect((await by.json('automate list')).filter((it: Row) => it.status === 'enabled')).toEqual([])
  const [entry] = await by.json('history list')
  expect(entry.fields.toSorted()).toEqual(before.map((it) => `automate/${it.name}`).toSorted())
  const listed = await by.run('history list', { terminal: true })
  expect(listed.stderr).toContain(
    'A group is what one command changed in several resources: its undo reverts all of it.',
  )
  expect((await by.run(`history get ${entry.entry}`)).stderr).toContain(
    `Undo all of it: parley history undo ${entry.entry}`,
  )
  expect(await by.json(`history undo ${entry.entry}`)).toMatchObject({ done: 'restored' })
  const after: Row[] = (await by.json('automate list')).filter((it: Row) => it.status === 'enabled')
  expect(after.map((it) => it.id).toSorted()).toEqual(before.map((it) => it.id).toSorted())
})

test('assistants update --filter sets fields of all that match, continues after a failure, and one undo restores them', async () => {
  const by = operator()
  const before = await by.json('assistants list')
  expect(await by.run('assistants update --filter status=active --yes')).toMatchObject({ exitCode: 2 })
  const active = before.filter((it: Row) => it.status === 'active')
  const done = await by.run('assistants update --filter status=active --max-duration 321 --yes --json', {
    through: (handle, request) =>
      request.method === 'PUT' && request.url.endsWith(`/${active[0].id}`)
        ? Promise.resolve({ status: 422, headers: {}, body: '{"message":"No."}' })
        : handle(request),
  })
  expect(done.exitCode).toBe(11)
  const rows: Row[] = JSON.parse(done.stdout)
  expect(rows.map((it) => it.result)).toEqual(active.map((_: Row, n: number) => (n === 0 ? 'failed' : 'done')))
  const durations = async (): Promise<unknown[]> =>
    (await by.json('assistants list')).map((it: { max_duration: unknown }) => it.max_duration)
  expect((await durations()).filter((it) => it === 321)).toHaveLength(active.length - 1)
  const [entry] = await by.json('history list')
  await by.run(`history undo ${entry.entry}`)
  expect(await durations()).toEqual(before.map((it: { max_duration: unknown }) => it.max_duration))
})

test('assistants update --filter sends nothing to one that has the value, and a dry run of an undo says what is left', async () => {
  const by = operator()
  const update = 'assistants update --filter status=active --max-duration 321'
  const first = (await by.json('assistants list')).find((it: Row) => it.status === 'active')
  await by.run(`assistants update ${first.id} --max-duration 321`)
  const planned = await by.json(`${update} --dry-run`)
  expect(planned.find((it: Row) => it.id === first.id).changes).toEqual([])
  const done = await by.run(`${update} --yes`, { terminal: true })
  expect(done.exitCode, done.stderr).toBe(0)
  expect(done.requests.filter((it) => it.startsWith('PUT'))).toHaveLength(planned.length - 1)
  expect(done.stdout).toContain('unchanged')
  expect(done.stderr).toMatch(/\d assistants? updated\. Without a change: 1\./)
  const [{ entry }] = await by.json('history list')
  expect((await by.run(`history undo ${entry} --dry-run`)).stderr).toMatch(/Would restore assistant [^.]*\. Dry run/)
  await by.run(`history undo ${entry}`)
  expect((await by.run(`history undo ${entry} --dry-run`)).stderr).toMatch(
    /Would restore nothing\. Nothing to undo: assistant .*\. Dry run/,
  )
})

test('an argument beside conditions is refused in a sentence', async () => {
  const { stderr } = await operator().run('assistants update 1 --filter status=active --max-duration 300')
  expect(stderr).toContain('Pass one assistant or conditions, not both.')
})

test('assistants update --filter refuses an invalid value before it asks, and says what it changes', async () => {
  const by = operator()
  const update = 'assistants update --filter status=active'
  const refused = async (fields: string, text: string): Promise<void> => {
    const run = await by.run(`${update} ${fields}`, { terminal: true })
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(text), requests: [] })
  }
  await refused('--max-duration 999999', 'max_duration: The max duration field must be')
  await refused('--set max_duration=300', 'max_duration: The max duration field must be an integer. Nothing was sent.')
  await refused('--set max_duration=300', '--set-json')
  await refused('--max-duration 999999 --dry-run', 'max_duration: The max duration field must be')
  const active: { id: number; max_duration: number }[] = (await by.json('assistants list')).filter(
    (it: Row) => it.status === 'active',
  )
  const [first] = active
  await by.run(`assistants update ${first?.id} --max-duration 321`)
  const planned = await by.json(`${update} --max-duration 321 --dry-run`)
  expect(planned.map((it: { id: number; changes: unknown }) => [it.id, it.changes])).toEqual(
    active.map(({ id, max_duration: before }) => [
      id,
      id === first?.id ? [] : [{ field: 'max_duration', before, after: 321 }],
    ]),
  )
  const shown = await by.run(`${update} --max-duration 321 --dry-run`, { terminal: true, columns: 200 })
  expect(shown.stdout).toContain('no change')
  expect(shown.stdout).toContain(`max_duration: ${active[1]?.max_duration} -> 321`)
  const asked = await by.run(`${update} --max-duration 321 --name "Front Desk"`, { answers: [[/\?/, false]] })
  expect(asked.asked[0]).toContain(
    `Set name="Front Desk", max_duration=321 for ${active.length} assistants: assistant `,
  )
  expect((await by.run(`${update} --name "Front Desk"`)).stderr).toContain('set name="Front Desk" for')
})

test('tools list --unused and tools delete --unused name what nothing uses, and leave the rest', async () => {
  const by = operator()
  const all: Row[] = await by.json('tools list')
  const { id } = await by.json(
    'tools create --name old_lookup --description Old --method GET --endpoint https://old.example/x',
  )
  const unused: Row[] = await by.json('tools list --unused')
  expect(unused.map((it) => it.id)).toContain(id)
  for (const tool of all) {
    const uses = await by.json(`refs tools ${tool.id}`)
    const isUsed = uses.some((one: { direction: string }) => one.direction === 'used_by')
    expect(unused.some((one) => one.id === tool.id)).toBe(!isUsed)
  }
  expect(await by.run('tools delete --filter name~old --yes')).toMatchObject({ exitCode: 2 })
  const asked = await by.run('tools delete --unused --filter name~old', { answers: [[/\?/, true]] })
  expect(asked.asked[0]).toContain('without their credentials')
  expect((await by.json('tools list')).map((it: Row) => it.id)).toEqual(all.map((it) => it.id))
  if (unused.length === 1) expect((await by.run('tools list --unused')).stderr).toContain('No matching records.')
  const [entry] = await by.json('history list')
  expect((await by.run(`history undo ${entry.entry}`)).exitCode).toBe(0)
  expect((await by.json('tools list')).map((it: Row) => it.name)).toContain('old_lookup')
})

test('automate runs cancel --filter cancels the runs that match, which no undo restores', async () => {
  const by = operator()
  writeFileSync(
    join(by.cwd, 'waits.json'),
    JSON.stringify({ trigger: hook, steps: [delay({ unit: 'hours', delayFor: 5 })] }),
  )
  await by.run('automate create --name Waits --file waits.json')
  const { id } = (await by.json('automate list')).find((it: Row) => it.name === 'Waits')
  await callWebhook(by, id, {}, '')
  const listed = async (): Promise<Row[]> => by.json(`automate runs list ${id} --live`)
  const waiting = (await listed()).filter((it) => it.status === 'PAUSED' || it.status === 'RUNNING')
  if (waiting.length === 0) throw new Error('No run waits.')
  const rows: Row[] = await by.json('automate runs cancel --filter automation_name=Waits --yes')
  expect(rows.map((it) => [it.id, it.result])).toEqual(waiting.map((it) => [it.id, 'done']))
  expect((await listed())[0]?.status).toBe('CANCELLED')
  expect((await by.json('history list')).filter((it: { action: string }) => it.action === 'group')).toEqual([])
})

describe('history undo of several deleted tools', () => {
  const tool = (name: string, more = ''): string =>
    `tools create --name ${name} --description Old --method GET --endpoint https://${name}.example/x ${more}`
  const secret = (of: string): string => `--headers '[{"name":"Authorization","value":"Bearer ${of}"}]'`
  const named = async (by: ReturnType<typeof operator>): Promise<Row[]> =>
    (await by.json('tools list')).filter((it: Row) => /^old_/.test(it.name))

  test('restores them once: again, it changes nothing and says so', async () => {
    const by = operator()
    for (const name of ['old_a', 'old_b']) await by.run(tool(name))
    await by.run('tools delete --unused --filter name~old_ --yes')
    const [{ entry }] = await by.json('history list')
    expect(await by.run(`history undo ${entry}`)).toMatchObject({ exitCode: 0 })
    const restored = await named(by)
    const again = await by.run(`history undo ${entry}`)
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('was recreated with id') })
    expect(await named(by)).toEqual(restored)
    expect(restored).toHaveLength(2)
  })

  test('restores the rest with its secret, and never sends the secret of one to another', async () => {
    const by = operator()
    await by.run(tool('old_plain'))
    for (const name of ['old_crm', 'old_bill']) await by.run(tool(name, secret(name)))
    const ids = Object.fromEntries((await named(by)).map((it) => [it.name, it.id]))
    await by.run('tools delete --unused --filter name~old_ --yes')
    const [{ entry }] = await by.json('history list')
    const first = await by.run(`history undo ${entry}`)
    expect(first.exitCode, first.stderr).toBe(11)
    expect(first.stderr).toContain(`--set tools/${ids.old_crm}:headers.0.value=<value>`)
    expect((await named(by)).map((it) => it.name)).toEqual(['old_plain'])
    expect(await by.run(`history undo ${entry} --set "headers.0.value=Bearer x"`)).toMatchObject({ exitCode: 2 })
    expect(await by.run(`history undo ${entry} --set "tools/999:headers.0.value=Bearer x"`)).toMatchObject({
      exitCode: 2,
    })
    const second = await by.run(
      `history undo ${entry} --set "tools/${ids.old_crm}:headers.0.value=Bearer crm" --set "tools/${ids.old_bill}:headers.0.value=Bearer bill"`,
    )
    expect(second.exitCode, second.stderr).toBe(0)
    const headers = Object.fromEntries(
      (await by.json('tools list --unmask')).map((it: { name: string; headers: unknown }) => [it.name, it.headers]),
    )
    expect(headers.old_crm).toMatchObject([{ value: 'Bearer crm' }])
    expect(headers.old_bill).toMatchObject([{ value: 'Bearer bill' }])
    expect(await named(by)).toHaveLength(3)
  })
})
