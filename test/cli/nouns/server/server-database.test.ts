import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

// How `server start` reads the settings of its database. What it does with them is tested in test/platform/control/data-folder.

test.each([
  ['mysql://root:hunter2@db/parley', '--database has the unsupported scheme mysql://. Use a PostgreSQL database.'],
  ['parley.db', '--database is not a valid database URL.'],
  [
    'postgres://u:p@ss/w:hunter2@db:x/parley',
    '--database is not a valid database URL. Special characters of the password must be encoded: "@" as %40, "/" as %2F.',
  ],
  ['postgres://u:hunter2@db', '--database does not name a database.'],
  ['postgres:///parley', '--database does not name a host.'],
  [
    'postgres://u:hunter2@db/parley?sslmode=prefer',
    '--database has the unsupported value sslmode=prefer. Use disable, require, verify-ca or verify-full.',
  ],
])('refuses the database %s', async (url, message) => {
  const by = operator({ fresh: true })
  const { exitCode, stdout, stderr } = await by.run(['server', 'start', '--port', '0', '--database', url])
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain('Use a URL such as postgres://user@host:5432/name.')
  expect(stderr).not.toContain('hunter2')
  expect(existsSync(join(by.dataDir, 'platform.db'))).toBe(false)
  const command = await by.run('numbers list', { env: { PARLEY_DATABASE: url } })
  expect([command.exitCode, command.stdout]).toEqual([2, ''])
  expect(command.stderr).toContain(message.replace('--database', 'PARLEY_DATABASE'))
  expect(command.stderr).not.toContain('hunter2')
})

test.each([
  ['--database-connections 0', 'Invalid --database-connections "0".'],
  ['--database-pooled maybe', 'Allowed values: auto, yes, no.'],
  ['--database-isolation snapshot', 'Allowed values: locks, serializable.'],
  ['--database-statement-timeout 0', 'Invalid --database-statement-timeout "0".'],
  ['--database-connect-timeout never', 'Invalid --database-connect-timeout "never".'],
  ['--secret-key-file nowhere.key', 'Could not read --secret-key-file nowhere.key: no such file.'],
])('refuses %s', async (flags, message) => {
  const { exitCode, stderr } = await operator({ fresh: true }).run(`server start --port 0 ${flags}`)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('an unreachable database is named without its password, and nothing is stored in SQLite', async () => {
  const by = operator({ fresh: true })
  const { exitCode, stderr } = await by.run('server start --port 0 --database postgres://u:hunter2@127.0.0.1:9/parley')
  expect(exitCode).toBe(1)
  expect(stderr).toContain('The database 127.0.0.1:9/parley cannot be reached: connect ECONNREFUSED')
  expect(stderr).not.toContain('hunter2')
  for (const name of ['platform.db', 'database.json', 'secret.key'])
    expect(existsSync(join(by.dataDir, name))).toBe(false)
})
