import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localFiles } from '../../../../src/cli/program/configuration/local-files.ts'
import { operator } from '../../../support/operator.ts'

const lines = [
  'numbers buy +15005550006 --yes',
  'messaging send --sender 1 --template opening_hours --to +14155550111',
  'assistants update 1 --max-duration 300',
  'server snapshot save now',
  'login second --url embedded: --api-key-stdin',
  'tools list',
]

const names = (folder: string): string[] =>
  readdirSync(folder).map((it) => (statSync(join(folder, it)).isDirectory() ? `${it}/` : it))

const shownOf = (folder: string): RegExp[] =>
  localFiles
    .filter((it) => it.folder === folder)
    .map(({ name }) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`))

test('"parley help privacy" describes every file that commands write, and who can read it', async () => {
  const by = operator()
  const cache = join(by.cwd, 'cache')
  const key = JSON.parse((await by.run('server accounts key 1 --json')).stdout).key
  for (const line of lines)
    expect((await by.run(line, { stdin: key, env: { PARLEY_CACHE_DIR: cache } })).exitCode, line).toBe(0)
  const found = { data: by.dataDir, configuration: by.configDir, cache }
  for (const [folder, path] of Object.entries(found)) {
    expect(names(path).length, folder).toBeGreaterThan(0)
    expect(names(path).filter((name) => !shownOf(folder).some((it) => it.test(name)))).toEqual([])
    const secret = localFiles.filter((it) => it.folder === folder && 'secret' in it && names(path).includes(it.name))
    for (const { name } of secret) expect((statSync(join(path, name)).mode & 0o077).toString(8), name).toBe('0')
  }
  const { stdout } = await by.run('help privacy')
  for (const { name } of localFiles) expect(stdout).toContain(name)
})

test('files that hold secrets, and files about customers, are marked', () => {
  const marked = (mark: 'secret' | 'personal'): string[] =>
    localFiles.filter((it) => mark in it && it[mark as never]).map(({ folder, name }) => `${folder} ${name}`)
  expect({ secret: marked('secret'), personal: marked('personal') }).toMatchInlineSnapshot(`
    {
      "personal": [
        "data platform.db",
        "data platform.db-wal",
        "data requests.ndjson",
        "data requests.1.ndjson",
        "data snapshots/",
        "data spends.ndjson",
        "data bulk/",
        "data contacts/",
        "data judgements/",
        "data promotions/",
        "data history/",
        "data platform.db.v*.bak",
        "cache names/",
      ],
      "secret": [
        "configuration config.json",
        "data credentials.json",
        "data secret.key",
        "data database.json",
        "data platform.db",
        "data events/",
        "data platform.db-wal",
        "data requests.ndjson",
        "data requests.1.ndjson",
        "data snapshots/",
        "data spends.ndjson",
        "data server.json",
        "data accounts.json",
        "data bulk/",
        "data judgements/",
        "data promotions/",
        "data history/",
        "data platform.db.v*.bak",
        "cache names/",
      ],
    }
  `)
})
