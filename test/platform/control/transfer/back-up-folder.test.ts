import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSqlite } from '../../../../src/platform/store/sqlite/sqlite-driver.ts'
import { operator } from '../../../support/operator.ts'

const sealed = (dataDir: string): string => readFileSync(join(dataDir, 'secret.key'), 'utf8')
const readKey = (dataDir: string): string => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')).key

test('a backup of one folder is restored in a new one, with its key and its encryption key', async () => {
  const user = operator()
  await user.run(
    'sip-trunks create --name Office --sip-address sip.example.com --sip-username u --sip-password secret-1',
  )
  const made = await user.json('server backup world.backup')
  const file = join(user.cwd, 'world.backup')
  expect(made).toMatchObject({ file, bytes: statSync(file).size, rows: expect.any(Number) })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(user.cwd)).toEqual(['world.backup'])

  const other = operator({ fresh: true })
  copyFileSync(file, join(other.cwd, 'world.backup'))
  expect(await other.json('server restore world.backup')).toEqual({
    message: 'Backup restored successfully.',
    key: readKey(user.dataDir),
  })
  expect(await other.json('tools list')).toEqual(await user.json('tools list'))
  if (existsSync(join(user.dataDir, 'secret.key'))) expect(sealed(other.dataDir)).toBe(sealed(user.dataDir))
  expect(readdirSync(join(other.dataDir, 'snapshots'))).toEqual([])
  expect(await other.run('server check')).toMatchObject({ exitCode: 0 })
})

test('restoring over data requires the name of the folder, and changes nothing without', async () => {
  const user = operator()
  await user.run('server backup world.backup')
  await user.run('server accounts create --name Later')
  const later = await user.json('server accounts list')
  expect(later).toHaveLength(2)
  const refused = await user.run('server restore world.backup --yes')
  expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('is not empty') })
  expect(await user.json('server accounts list')).toEqual(later)
  const name = basename(user.dataDir)
  expect(await user.run(`server restore world.backup --confirm ${name}`)).toMatchObject({ exitCode: 0 })
  expect(await user.json('server accounts list')).toHaveLength(1)
})

test('an existing file is replaced only with --replace, and other files are refused', async () => {
  const user = operator()
  await user.run('server backup world.backup')
  expect(await user.run('server backup world.backup')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('already exists'),
  })
  expect(await user.run('server backup world.backup --replace')).toMatchObject({ exitCode: 0 })
  writeFileSync(join(user.cwd, 'notes.txt'), 'these are notes, not a database')
  expect(await user.run('server restore notes.txt')).toMatchObject({ exitCode: 2 })
  expect(await user.run('server restore missing.backup')).toMatchObject({ exitCode: 2 })
  expect(await user.run('server restore')).toMatchObject({ exitCode: 2 })
  expect(await operator({ fresh: true }).run('server backup x')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/There is nothing to back up[\s\S]*parley server seed/),
  })
})

test('a backup is not restored through a remote deployment, whose data folder is elsewhere', async () => {
  const user = operator({ env: { PARLEY_CONTROL_TOKEN: 'token' } })
  await user.run('server backup world.backup')
  const refused = await user.run('server restore world.backup --base-url http://staging.example')
  expect(refused).toMatchObject({ exitCode: 2, requests: [], stderr: expect.stringContaining('remote deployment') })
})

test('a backup with one flipped bit, or a part missing, is refused, and nothing is changed', async () => {
  const user = operator()
  await user.run('server backup world.backup')
  await user.run('server accounts create --name Later')
  const whole = readFileSync(join(user.cwd, 'world.backup'))
  const confirmed = `--confirm ${basename(user.dataDir)}`
  // Pages in use and free ones, and the checksum itself.
  const places = [100, 4096 * 3 + 17, Math.floor(whole.length / 2), whole.length - 200, whole.length - 5]
  for (const at of places) {
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at)
    writeFileSync(join(user.cwd, 'damaged.backup'), damaged)
    const run = await user.run(`server restore damaged.backup ${confirmed}`)
    expect(run, `byte ${at}`).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('damaged') })
  }
  for (const length of [whole.length - 1, whole.length - 40, whole.length - 4096]) {
    writeFileSync(join(user.cwd, 'damaged.backup'), whole.subarray(0, length))
    const run = await user.run(`server restore damaged.backup ${confirmed}`)
    expect(run, `${length} bytes`).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('damaged') })
  }
  expect(await user.json('server accounts list')).toHaveLength(2)
  const other = operator({ fresh: true })
  copyFileSync(join(user.cwd, 'damaged.backup'), join(other.cwd, 'damaged.backup'))
  expect(await other.run('server restore damaged.backup')).toMatchObject({ exitCode: 2 })
  expect(existsSync(join(other.dataDir, 'platform.db'))).toBe(false)
})

test('a backup of an earlier version, which has no checksum, is restored with a warning', async () => {
  const user = operator()
  await user.run('server backup world.backup')
  const file = join(user.cwd, 'world.backup')
  const whole = readFileSync(file)
  writeFileSync(file, whole.subarray(0, whole.length - (whole.length % 4096)))
  expect(await user.run(`server restore world.backup --confirm ${basename(user.dataDir)}`)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('has no checksum'),
  })
  expect(await user.run('server check')).toMatchObject({ exitCode: 0 })
})

test('a damaged database is not backed up', async () => {
  const user = operator({ reopens: true })
  await user.run('server backup good.backup')
  // The newest pages may be in the write-ahead log.
  const database = loadSqlite().open(join(user.dataDir, 'platform.db'))
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const file = openSync(join(user.dataDir, 'platform.db'), 'r+')
  writeSync(file, Buffer.alloc(64 * 1024, 0xa5), 0, 64 * 1024, Math.floor(fstatSync(file).size / 8192) * 4096)
  closeSync(file)
  const failed = await user.run('server backup bad.backup')
  expect(failed).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/platform\.db is damaged\. No backup was/),
  })
  expect(failed.stderr).toContain('parley server check')
  expect(failed.stderr).not.toContain('unchecked')
  expect(readdirSync(user.cwd)).toEqual(['good.backup'])
})

test('server migrate prints what it copied, and what to do next', async () => {
  const user = operator()
  const moved = await user.run('server migrate --to ./moved')
  expect(moved).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Copied \d+ rows in \d+ tables from .*platform\.db to .*platform\.db\. /),
    stderr: expect.stringContaining('Next: '),
  })
  expect(await user.json('server migrate --to ./moved --verify')).toMatchObject({ copied: false })
  expect(await user.run('server migrate --to ./moved')).toMatchObject({ exitCode: 5 })
  expect(await user.run('server migrate')).toMatchObject({ exitCode: 2 })
  expect(await user.run('server migrate --to mysql://host/name')).toMatchObject({ exitCode: 2 })
  await user.run('server accounts create --name Later')
  expect(await user.run('server migrate --to ./moved --verify')).toMatchObject({
    exitCode: 20,
    stdout: expect.stringContaining('differs from'),
  })
})

test('on a terminal the file of a backup and the target of a migration are prompted for', async () => {
  const user = operator()
  const saved = await user.run('server backup', { answers: [['Which file', 'typed.backup']] })
  expect(saved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('parley server backup typed.backup') })
  expect(readdirSync(user.cwd)).toEqual(['typed.backup'])
  const moved = await user.run('server migrate', { answers: [['Copy to which', './moved']] })
  expect(moved).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('parley server migrate --to ./moved') })
  const other = operator({ fresh: true })
  copyFileSync(join(user.cwd, 'typed.backup'), join(other.cwd, 'it.backup'))
  expect(await other.run('server restore', { answers: [['Which backup', 'it.backup']] })).toMatchObject({ exitCode: 0 })
})
