import { expect, test } from 'vitest'
import { freePort, startPostgres } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { newPlace, parley, start } from '../support/built-program.ts'

// What deploy/pgbouncer.ini and deploy/postgres.sql set, and what the program says where they were not used.

test('a server behind a pooler, and doctor, name what is not set as in the delivered files, until it is', async () => {
  const postgres = await startPostgres()
  try {
    await order(postgres.url, 'create database parley')
    const at = newPlace()
    const env = { PARLEY_DATABASE: databaseUrl(postgres.url, 'parley') }
    /** Starts a server behind a pooler. Returns the warnings of it and of doctor. */
    const warnings = async (more = ''): Promise<{ readonly server: string; readonly doctor: string[] }> => {
      const server = start(`server start --port ${await freePort()} --database-pooled yes${more}`, { at, env })
      await server.until('Listening on ')
      const { stdout, stderr } = await parley('doctor --json', { at, env })
      expect(stdout, stderr).not.toBe('')
      const findings = JSON.parse(stdout) as { check: string; status: string; hint: string }[]
      server.kill('SIGTERM')
      expect((await server.ended).exitCode).toBe(0)
      const doctor = findings.filter((it) => it.check === 'database_settings')
      expect(doctor.map((it) => it.status)).toEqual(doctor.map(() => 'warning'))
      return { server: server.stderr(), doctor: doctor.map((it) => it.hint) }
    }
    const fixes = [
      "alter role app set statement_timeout = '30s'",
      "alter role app set idle_in_transaction_session_timeout = '5s'",
      'Set --database-direct (PARLEY_DATABASE_DIRECT) to the address of PostgreSQL itself.',
    ]
    const before = await warnings()
    expect(before.doctor).toEqual(fixes)
    for (const fix of fixes) expect(before.server).toContain(fix)

    for (const fix of fixes.slice(0, 2)) await order(postgres.url, fix)
    const after = await warnings(` --database-direct ${env.PARLEY_DATABASE}`)
    expect(after.doctor).toEqual([])
    expect(after.server).not.toMatch(/alter role|--database-direct \(/)
  } finally {
    await postgres.stop()
  }
})
