import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { operator, type RunOptions } from '../../../support/operator.ts'

const by = operator({ lasts: 'file' })
const folder = join(by.cwd, 'parley')
const fileOf = (kind: string, holds: string): string =>
  join(
    folder,
    kind,
    readdirSync(join(folder, kind)).find((name) =>
      readFileSync(join(folder, kind, name), 'utf8').includes(holds),
    ) as string,
  )

/** Bodies of what is written. */
function watching() {
  const sent: string[] = []
  const through: RunOptions['through'] = (handle, request) => {
    if (request.method !== 'GET') sent.push(request.body ?? '')
    return handle(request)
  }
  return { sent, through }
}

test('pulled files of assistants, tools and automations can be created and updated with names in place of ids', async () => {
  expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
  const { phone_number_id: _, ...content } = parse(readFileSync(fileOf('assistants', 'tool_ids'), 'utf8'))
  const assistant = join(by.cwd, 'assistant.yaml')
  // A number answers for one assistant only.
  writeFileSync(assistant, stringify(content))
  expect(content.voice_id).toEqual(expect.any(String))
  const made = await by.json(['assistants', 'create', '--file', assistant, '--name', 'Copy'].join(' '))
  const all = await by.json('assistants list --all')
  const [original, copy] = [
    all.find((it: { name: string }) => it.name === content.name),
    all.find((it: { id: number }) => it.id === made.id),
  ]
  for (const field of ['voice_id', 'language_id', 'tool_ids']) expect(copy[field], field).toEqual(original[field])
  expect(await by.run(`assistants update ${made.id} --file ${assistant}`)).toMatchObject({ exitCode: 0 })

  const tool = fileOf('tools', 'http')
  const env = Object.fromEntries(
    [...readFileSync(tool, 'utf8').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name as string, 'secret']),
  )
  expect(await by.run(`tools create --file ${tool} --name copied`, { env })).toMatchObject({ exitCode: 0 })
  expect(await by.run(`tools update copied --file ${tool} --name copied`, { env })).toMatchObject({ exitCode: 0 })

  const automation = fileOf('automations', 'trigger')
  expect([0, 10, 20]).toContain((await by.run(`automate create --file ${automation} --name Copied`)).exitCode)
})

test('a secret that a pulled file references is read from the environment; without it nothing is sent', async () => {
  const tool = {
    name: 'keyed',
    description: 'd',
    endpoint: 'https://a.test/',
    method: 'GET',
    headers: [{ name: 'Authorization', value: 'Bearer ${CRM_KEY}' }],
  }
  writeFileSync(join(by.cwd, 'keyed.yaml'), stringify(tool))
  expect(await by.run('tools create --file keyed.yaml')).toMatchObject({
    exitCode: 2,
    requests: [],
    stderr: expect.stringContaining('headers.0.value needs the environment variable CRM_KEY'),
  })
  const { sent, through } = watching()
  await by.json('tools create --file keyed.yaml', { env: { CRM_KEY: 'k-123' }, through })
  expect(sent).toEqual([expect.stringContaining('Bearer k-123')])
})

test('text from the platform cannot name an environment variable', async () => {
  const record = {
    id: 7,
    name: 'theirs',
    description: 'd',
    endpoint: 'https://a.test/',
    method: 'GET',
    headers: [{ name: 'X-Note', value: '${HOME_KEY}' }],
  }
  writeFileSync(join(by.cwd, 'theirs.json'), JSON.stringify(record))
  const { sent, through } = watching()
  await by.json('tools create --file theirs.json', { env: { HOME_KEY: 'mine' }, through })
  expect(sent).toEqual([expect.stringContaining('${HOME_KEY}')])
})

test('an unknown name is reported with file and field before anything is sent', async () => {
  const pulled = parse(readFileSync(fileOf('assistants', 'tool_ids'), 'utf8'))
  writeFileSync(join(by.cwd, 'wrong.yaml'), stringify({ ...pulled, voice_id: 'Nobody at all' }))
  for (const verb of ['create', 'update 1']) {
    const { exitCode, stderr, requests } = await by.run(`assistants ${verb} --file wrong.yaml`)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('wrong.yaml: voice_id: voice "Nobody at all" not found.')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  }
})

test('push --check refuses an invalid field value, as push does', async () => {
  const at = operator()
  await at.run('pull --only assistants')
  const path = join(at.cwd, 'parley', 'assistants')
  const file = join(path, readdirSync(path)[0] as string)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^type: .*$/m, 'type: sideways'))
  for (const line of ['push --only assistants --check', 'push --only assistants']) {
    const { exitCode, stderr, requests } = await at.run(line)
    expect(exitCode, stderr).toBe(2)
    expect(stderr).toContain('type: Invalid value "sideways". Use one of inbound, outbound.')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  }
})

test('push never claims that the platform is up to date while it differs', async () => {
  const at = operator()
  await at.run('pull --only assistants')
  await at.run('assistants update 1 --max-duration 333')
  expect(await at.run('push --only assistants --check')).toMatchObject({ exitCode: 20 })
  for (const line of ['push --only assistants', 'push --only assistants --dry-run']) {
    const { stderr } = await at.run(line)
    expect(stderr).not.toContain('matches the files')
    expect(stderr).toContain('Remote changes since the last sync')
  }
})

test('a file that was never synced, and differs from the resource of its name, is not said to be changed since a sync', async () => {
  const at = operator()
  await at.run('pull --only tools')
  const path = join(at.cwd, 'parley', 'tools')
  const file = join(path, readdirSync(path).find((it) => it.startsWith('check')) ?? (readdirSync(path)[0] as string))
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^timeout: .*$/m, 'timeout: 7'))
  rmSync(join(at.cwd, 'parley', 'parley.lock.json'))
  for (const verb of ['pull', 'push']) {
    const { exitCode, stderr, requests } = await at.run(`${verb} --only tools`)
    expect([exitCode, requests.filter((it) => !it.startsWith('GET'))], stderr).toEqual([5, []])
    expect(stderr).toContain('Conflict: different locally and remotely, and no earlier sync has the values: ')
  }
})

test.each(['{"version":2,"platforms":{}}', '{"version":1,"platforms":null}', '{"version":1}'])(
  'a lock file that this version cannot read, %s, stops a push before anything is sent, and stays unchanged',
  async (text) => {
    const at = operator()
    await at.run('pull --only tools')
    const lock = join(at.cwd, 'parley', 'parley.lock.json')
    writeFileSync(lock, text)
    const { exitCode, stderr, requests } = await at.run('push --only tools')
    expect([exitCode, requests.filter((it) => !it.startsWith('GET'))], stderr).toEqual([2, []])
    expect(stderr).toContain('is not a valid lock file')
    expect(stderr).toContain('delete it: then files and resources are matched by name')
    expect(readFileSync(lock, 'utf8')).toBe(text)
  },
)
