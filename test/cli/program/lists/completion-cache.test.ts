import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parentLists } from '../../../../src/cli/program/resources/registry.ts'
import { complete, fileList, nodeAt, profileList } from '../../../../src/cli/reference/completion/complete.ts'
import { accounts } from '../../../../src/contract/control/accounts.ts'
import { deliveries } from '../../../../src/contract/control/deliveries.ts'
import { faults } from '../../../../src/contract/control/faults.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { completions } from '../../../../src/generated/completions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const cacheOf = (by: Operator): string => join(dirname(by.dataDir), 'cache')

function typist(): {
  by: Operator
  cache: string
  env: Record<string, string>
  offers(line: string, more?: Record<string, string>, cwd?: string): string[]
} {
  const by = operator()
  const cache = cacheOf(by)
  const env = { PARLEY_CACHE_DIR: cache, PARLEY_DATA_DIR: by.dataDir, PARLEY_CONFIG_DIR: by.configDir }
  const run: Operator['run'] = (line, options = {}) =>
    by.run(line, { ...options, env: { PARLEY_CACHE_DIR: cache, ...options.env } })
  return {
    by: { ...by, run },
    cache,
    env,
    offers: (line, more = {}, cwd = by.cwd) => complete(line.split(' '), { ...env, ...more }, { os: 'linux', cwd }),
  }
}

describe('ids and names of listed resources', () => {
  test('are offered for arguments: the name if it is one word, otherwise the id', async () => {
    const { by, offers } = typist()
    expect(offers('tools get ')).toEqual([])
    await by.run('tools list')
    const all = offers('tools get ')
    expect(all).toHaveLength(4)
    expect(all).toContain('lookup_patient\t1')
    expect(offers('tools delete look')).toEqual(['lookup_patient\t1'])
    expect(offers('tool rm 1')).toEqual(['1\tlookup_patient'])
    expect(offers('tools get 1 ')).toEqual([])
    expect(offers('tools list ')).toEqual([])
    await by.run('assistants list -o id')
    for (const offer of offers('assistants get ')) expect(offer).toMatch(/^(\d+\t\S.*|[\w+][\w.+-]*\t\d+)$/)
    expect(offers('assistants get ').some((it) => /^\d+\tFront desk$/i.test(it))).toBe(true)
    await by.run('numbers list --json')
    expect(offers('numbers update +1')[0]).toMatch(/^\+1\d{10}\t\d+$/)
  })

  test('are offered for flags, after a space or an equals sign: ids for a field that takes an id', async () => {
    const { by, offers } = typist()
    await by.run('messaging senders --status all')
    await by.run('voices list')
    expect(offers('messaging send --sender +')[0]).toMatch(/^\+\d+\t1$/)
    expect(offers('messaging send --sender=1')[0]).toMatch(/^--sender=1\t\+\d+$/)
    for (const offer of offers('assistants create --voice-id ')) expect(offer).toMatch(/^\d+\t\S/)
    expect(offers('assistants create --voice-id ').length).toBeGreaterThan(0)
  })

  test('of templates are those of the sender in the line, otherwise of any sender', async () => {
    const { by, offers } = typist()
    await by.run('messaging senders --status all')
    await by.run('messaging templates 1')
    await by.run('messaging templates 2')
    const all = offers('messaging send --template ')
    const own = offers('messaging send --sender 1 --template ')
    expect(own).toContain('appointment_reminder\t1')
    expect(own.length).toBeGreaterThan(1)
    expect(own.length).toBeLessThan(all.length)
    expect(offers('messaging send --sender +14155550170 --template ')).toEqual(own)
    expect(offers('messaging send --sender +14155550170 --template=app')).toEqual([
      '--template=appointment_reminder\t1',
    ])
    expect(offers('messaging send --sender 3 --template ')).toEqual([])
  })

  test('of documents are those of the knowledge base, and are removed when either is deleted', async () => {
    const { by, offers } = typist()
    await by.run('knowledge list')
    await by.run('knowledge documents list 1')
    expect(offers('knowledge documents get --knowledge 1 ')).toHaveLength(3)
    expect(offers('knowledge documents update Ins')).toEqual(['Insurers\t3'])
    expect(offers('knowledge documents get --knowledge 7 ')).toEqual([])
    await by.run('knowledge documents delete 3 --knowledge 1 --yes')
    expect(offers('knowledge documents delete ')).toHaveLength(2)
    await by.run('knowledge delete 1 --confirm "Practice handbook"')
    expect(offers('knowledge documents get ')).toEqual([])
  })

  test('are cached when a name is resolved, and a partial list does not remove known ones', async () => {
    const { by, offers } = typist()
    await by.run('tools get lookup_patient')
    expect(offers('tools get ')).toHaveLength(4)
    await by.run('tools list --limit 1')
    expect(offers('tools get ')).toHaveLength(4)
  })

  test('are removed when a resource is deleted, and all of them when the platform is reset', async () => {
    const { by, offers } = typist()
    await by.run('tools list')
    await by.run('tools delete lookup_patient --confirm lookup_patient')
    expect(offers('tools get ')).toHaveLength(3)
    await by.run('numbers list')
    const [first = ''] = offers('numbers release ')
    await by.run(`numbers release ${first.split('\t')[0]} --yes`)
    expect(offers('numbers release ')).not.toContain(first)
    await by.run('server reset --yes')
    expect(offers('tools get ')).toEqual([])
  })

  test('belong to the profile of the line, the environment, the project or the configuration', async () => {
    const { by, offers } = typist()
    await by.run('tools list')
    await by.run('profile set other --url embedded:')
    expect(offers('tools get --profile other ')).toEqual([])
    expect(offers('-p other tools get ')).toEqual([])
    expect(offers('tools get ', { PARLEY_PROFILE: 'other' })).toEqual([])
    expect(offers('tools get --profile=local ', { PARLEY_PROFILE: 'other' })).toHaveLength(4)
    await by.run('folders list --profile other')
    expect(offers('folders update --profile other ').length).toBeGreaterThan(0)
    expect(offers('folders update ')).toEqual([])
    const project = join(by.cwd, 'project/deep')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(by.cwd, 'project/.parley.yaml'), 'output: json\nprofile: other\n')
    expect(offers('tools get ', {}, project)).toEqual([])
    await by.run('profile use other')
    expect(offers('tools get ')).toEqual([])
    expect(offers('folders update ').length).toBeGreaterThan(0)
    await by.run('profile set other --url https://elsewhere.example')
    expect(offers('folders update ')).toEqual([])
  })

  test('are not offered for another URL, key or folder', async () => {
    const { by, offers } = typist()
    await by.run('tools list')
    expect(offers('tools get --base-url https://elsewhere.example ')).toEqual([])
    expect(offers('tools get ', { PARLEY_BASE_URL: 'https://elsewhere.example' })).toEqual([])
    expect(offers('tools get ', { PARLEY_API_KEY: '2|abc' })).toEqual([])
    expect(offers('tools get ', { PARLEY_DATA_DIR: '/elsewhere' })).toEqual([])
    expect(offers('tools get ', { PARLEY_PROFILE: '../../local' })).toEqual([])
  })

  test('are readable by their owner only, at most 200 per list, and never secrets', async () => {
    const { by, cache } = typist()
    const { token } = (await by.json('keys create --name laptop', { env: { PARLEY_CACHE_DIR: cache } })) as {
      token: string
    }
    await by.run('keys list')
    const folder = join(cache, 'names/local')
    const file = join(folder, 'keys.list.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(JSON.parse(readFileSync(file, 'utf8')).items).toContainEqual([expect.any(Number), 'laptop'])
    expect(readFileSync(file, 'utf8')).not.toContain(token.split('|')[1])
    const many = Array.from({ length: 250 }, (_, n) => ({
      id: n + 1,
      name: `key_${n + 1}`,
      last_used_at: null,
      created_at: '2026-08-04T12:00:00.000000Z',
    }))
    const through = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_keys: many }),
    })
    for (const line of ['keys list', 'keys delete key_7 --dry-run']) {
      writeFileSync(file, '{}')
      await by.run(line, { through })
      expect(JSON.parse(readFileSync(file, 'utf8')).items, line).toHaveLength(200)
    }
    expect(readdirSync(folder)).toEqual(['keys.list.json'])
  })

  test('are written only when they changed, and an unusable cache stops no command', async () => {
    const { by, cache, offers } = typist()
    await by.run('tools list')
    const file = join(cache, 'names/local/tools.list.json')
    const before = statSync(file)
    await by.run('tools list')
    expect(statSync(file).ino).toBe(before.ino)
    const of = `${by.configDir}|${by.dataDir}||`
    const hostile = [
      [1, 'a\u001b[31m\tb\nc'],
      ['2\n3', 'x y'],
      [4, '-rf'],
      [5, '$(reboot)'],
    ]
    writeFileSync(file, JSON.stringify({ of, items: hostile }))
    expect(offers('tools get ')).toEqual(['1\ta [31m b c', '4\t-rf', '5\t$(reboot)'])
    for (const text of ['{', 'null', '{"of":"","items":[[{},1]]}']) {
      writeFileSync(file, text)
      expect(offers('tools get ')).toEqual([])
    }
    const blocked = join(by.cwd, 'file')
    writeFileSync(blocked, '')
    chmodSync(blocked, 0o400)
    const run = await by.run('tools list', { env: { PARLEY_CACHE_DIR: join(blocked, 'deeper') } })
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('are stored in the cache folder of the system by default', async () => {
    const by = operator()
    await by.run('tools list')
    expect(existsSync(join(dirname(by.dataDir), '.cache/parley/names/local/tools.list.json'))).toBe(true)
    await by.run('tools list', { env: { XDG_CACHE_HOME: join(by.cwd, 'xdg') } })
    expect(existsSync(join(by.cwd, 'xdg/parley/names/local/tools.list.json'))).toBe(true)
    await by.run('tools list', { os: 'darwin' })
    expect(existsSync(join(dirname(by.dataDir), 'Library/Caches/parley/names/local/tools.list.json'))).toBe(true)
  })
})

test('every list in the completion table is in the contract', () => {
  const nodes = completions.split('\n').flatMap((line) => nodeAt(line.split('\t')[0] as string) ?? [])
  const named = nodes
    .flatMap(({ list, flags = [] }) => [list, ...flags.map((it) => it[3])])
    .filter((it) => it !== undefined)
  const all: readonly Endpoint[] = [
    ...endpoints,
    ...Object.values(accounts),
    ...Object.values(faults),
    ...Object.values(deliveries),
  ]
  const known = all
    .filter((it) => it.items !== undefined && (!it.params || Object.hasOwn(parentLists(), it.name)))
    .map((it) => it.name)
  expect(named.length).toBeGreaterThan(20)
  for (const name of named) if (name !== profileList && name !== fileList) expect(known).toContain(name)
})
