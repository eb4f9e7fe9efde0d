import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { book, change, desk, path, pulled, read, tool, write, writes } from './code-folder.ts'

// Files and the platform were both changed since the last sync: different fields are merged, one field is a conflict.

const changeBoth = async (by: Operator): Promise<void> => {
  change(by, desk, 'max_duration: 600', 'max_duration: 300')
  expect(await by.run(['assistants', 'update', '1', '--system-prompt', 'Their prompt.'])).toMatchObject({ exitCode: 0 })
}

describe('changes of different fields', () => {
  test('are both preserved by a push, which prints what it merged also with --quiet', async () => {
    const by = await pulled()
    await changeBoth(by)
    expect(JSON.parse((await by.run('diff --json')).stdout)).toMatchObject([{ file: desk, status: 'changed_both' }])
    const run = await by.run('push -q')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`${desk}: system_prompt: `) })
    expect(run.stderr).toContain('becomes "Their prompt."')
    expect(writes(run.requests)).toHaveLength(1)
    expect(await by.json('assistants get 1')).toMatchObject({ max_duration: 300, system_prompt: 'Their prompt.' })
    expect(read(by, desk)).toMatch(/max_duration: 300/)
    expect(read(by, desk)).toMatch(/Their prompt\./)
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
    expect(writes((await by.run('push --yes')).requests)).toEqual([])
  })

  test('are both preserved by push --force-local --yes', async () => {
    const by = await pulled()
    await changeBoth(by)
    expect(await by.run('push --force-local --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.json('assistants get 1')).toMatchObject({ max_duration: 300, system_prompt: 'Their prompt.' })
  })

  test('are both preserved by a pull, and the local one is pushed later', async () => {
    const by = await pulled()
    await changeBoth(by)
    const run = await by.run('pull')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`${desk}: system_prompt: `) })
    expect(read(by, desk)).toMatch(/max_duration: 300/)
    expect(read(by, desk)).toMatch(/Their prompt\./)
    expect(JSON.parse((await by.run('diff --json')).stdout)).toMatchObject([
      { file: desk, status: 'changed_locally', fields: ['max_duration'] },
    ])
  })

  test('add no field to a file that omits it', async () => {
    const by = await pulled()
    write(by, 'tools/extra.yaml', tool('extra'))
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    const { id } = (await by.json('tools list')).find((it: { name: string }) => it.name === 'extra')
    await by.run(`tools update ${id} --tool-timeout 9`)
    await by.run(['tools', 'update', String(id), '--endpoint', 'https://y.example'])
    change(by, 'tools/extra.yaml', 'Some tool.', 'My text')
    const run = await by.run('push --yes')
    expect([run.exitCode, read(by, 'tools/extra.yaml')], run.stderr).toEqual([
      0,
      expect.not.stringContaining('timeout'),
    ])
    expect(await by.json(`tools get ${id}`)).toMatchObject({
      description: 'My text',
      endpoint: 'https://y.example',
      timeout: 9,
    })
    expect(await by.run('push --check')).toMatchObject({ exitCode: 0 })
  })

  test('of different items of a list are both preserved', async () => {
    const by = await pulled()
    change(by, book, 'Day of the appointment, YYYY-MM-DD', 'Day in the form YYYY-MM-DD')
    const { schema } = await by.json('tools get 2')
    const theirs = schema.map((field: { name: string }) =>
      field.name === 'time' ? { ...field, description: 'Their time' } : field,
    )
    expect(await by.run(['tools', 'update', '2', '--schema', JSON.stringify(theirs)])).toMatchObject({ exitCode: 0 })
    const run = await by.run('push --yes')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('schema.time') })
    expect((await by.json('tools get 2')).schema).toMatchObject([
      { description: 'Day in the form YYYY-MM-DD' },
      { description: 'Their time' },
      { name: 'new_patient' },
    ])
  })
})

describe('changes of one field', () => {
  const conflict = async (): Promise<Operator> => {
    const by = await pulled()
    change(by, book, 'timeout: 15', 'timeout: 20')
    await by.run('tools update 2 --tool-timeout 25')
    await by.run(['tools', 'update', '2', '--description', 'Their text'])
    return by
  }

  test('are a conflict with the value at the last sync, on the platform and in the file', async () => {
    const by = await conflict()
    for (const verb of ['push --yes', 'pull']) {
      const run = await by.run(verb)
      expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`${book} (timeout)`) })
      expect(run.stderr).toContain(`${book}: timeout: was 15; platform: 25; file: 20`)
      expect(writes(run.requests)).toEqual([])
    }
  })

  test('are overwritten with --force-local, which prints the lost value also with --quiet', async () => {
    const by = await conflict()
    const run = await by.run('push --force-local --yes -q')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`${book}: timeout: 25 becomes 20`) })
    expect(await by.json('tools get 2')).toMatchObject({ timeout: 20, description: 'Their text' })
    const [last] = await by.json<{ entry: number }[]>('history list --noun tools')
    expect((await by.json(`history get ${last?.entry}`)).before).toMatchObject({ timeout: 25 })
  })

  test('are overwritten in the file with --force-remote, which prints the lost value and saves the file', async () => {
    const by = await conflict()
    change(by, book, /method: POST/, 'method: PUT')
    const run = await by.run('pull --force-remote')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`${book}: timeout: 20 becomes 25`) })
    expect(read(by, book)).toMatch(/timeout: 25[\s\S]*|method: PUT/)
    expect(read(by, book)).toContain('method: PUT')
    const [command = ''] = /cp '.*/.exec(run.stderr) ?? []
    execFileSync('sh', ['-c', command])
    expect(read(by, book)).toMatch(/method: PUT[\s\S]*timeout: 20|timeout: 20[\s\S]*method: PUT/)
  })

  test('are not overwritten in the file when it cannot be saved', async () => {
    const by = await conflict()
    mkdirSync(join(by.dataDir, 'history'), { recursive: true })
    writeFileSync(join(by.dataDir, 'history', 'files'), 'a file where the folder would be')
    const run = await by.run('pull --force-remote')
    expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('could not be saved in the history') })
    expect(read(by, book)).toContain('timeout: 20')
    const off = await by.run('pull --force-remote --no-history')
    expect(off).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is not saved') })
  })

  test('are saved until server purge deletes them', async () => {
    const by = await conflict()
    await by.run('pull --force-remote')
    const saved = join(by.dataDir, 'history', 'files')
    expect(readdirSync(saved)).toHaveLength(1)
    for (const name of readdirSync(saved)) utimesSync(join(saved, name), 1, 1)
    expect(await by.run('server purge --older-than 7d --yes')).toMatchObject({ exitCode: 0 })
    expect(readdirSync(saved)).toEqual([])
  })

  test('are a conflict as before where the content at the last sync is unknown', async () => {
    const by = await pulled()
    const lock = JSON.parse(read(by, 'parley.lock.json'))
    for (const files of Object.values<Record<string, { base?: unknown }>>(lock.platforms))
      for (const file of Object.values(files)) delete file.base
    write(by, 'parley.lock.json', JSON.stringify(lock))
    await changeBoth(by)
    expect(await by.run('push --yes')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(desk) })
    const forced = await by.run('push --yes --force-local -q')
    expect(forced).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('"Their prompt." becomes') })
  })
})

describe('a deletion on one side and a change on the other', () => {
  test('prints with --force-local --prune each value of the resource that is deleted', async () => {
    const by = await pulled()
    write(by, 'tools/extra.yaml', tool('extra'))
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    const { id } = (await by.json('tools list')).find((it: { name: string }) => it.name === 'extra')
    await by.run(['tools', 'update', String(id), '--description', 'Their text'])
    rmSync(path(by, 'tools/extra.yaml'))
    expect(await by.run('push --prune --yes')).toMatchObject({ exitCode: 5 })
    const run = await by.run('push --force-local --prune --yes -q')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('tools/extra.yaml: deleted') })
    expect(run.stderr).toContain('tools/extra.yaml: description: "Their text"')
    const [last] = await by.json<{ entry: number }[]>('history list --noun tools')
    expect(await by.run(`history undo ${last?.entry}`)).toMatchObject({ exitCode: 0 })
    expect(await by.json('tools list')).toContainEqual(expect.objectContaining({ description: 'Their text' }))
  })

  test('prints with --force-remote each value of the file that is deleted', async () => {
    const by = await pulled()
    write(by, 'tools/extra.yaml', tool('extra'))
    expect(await by.run('push')).toMatchObject({ exitCode: 0 })
    const { id } = (await by.json('tools list')).find((it: { name: string }) => it.name === 'extra')
    await by.run(`tools delete ${id} --yes`)
    change(by, 'tools/extra.yaml', 'Some tool.', 'My text')
    expect(await by.run('pull')).toMatchObject({ exitCode: 5 })
    const run = await by.run('pull --force-remote -q')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('description: "My text"') })
    expect(run.stderr).toContain("cp '")
  })
})

describe('two changes of an automation', () => {
  const file = 'automations/greeting.yaml'
  const flow = (...texts: string[]): string =>
    JSON.stringify({
      name: 'Greeting',
      flow: { trigger: hook, steps: texts.map((it, n) => ({ ...code(it), name: `step_${n + 1}` })) },
    })

  async function synced(): Promise<Operator> {
    const by = operator()
    expect(await by.run('automate create --file -', { stdin: flow('1', '2') })).toMatchObject({ exitCode: 0 })
    expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
    return by
  }
  const publish = async (by: Operator, ...texts: string[]): Promise<void> => {
    expect(await by.run('automate update Greeting --file -', { stdin: flow(...texts) })).toMatchObject({ exitCode: 0 })
  }

  test('in different steps are merged, tested and published', async () => {
    const by = await synced()
    change(by, file, '(inputs) => (1)', '(inputs) => (11)')
    await publish(by, '1', '22')
    const run = await by.run('push --yes')
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('flow.steps.step_2') })
    const live = JSON.stringify(await by.json('automate get Greeting'))
    expect(live).toContain('=> (11)')
    expect(live).toContain('=> (22)')
  })

  test('in one step are a conflict', async () => {
    const by = await synced()
    change(by, file, '(inputs) => (1)', '(inputs) => (11)')
    await publish(by, '12', '2')
    const run = await by.run('push --yes')
    expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('flow.steps.step_1') })
    expect(writes(run.requests)).toEqual([])
  })
})
