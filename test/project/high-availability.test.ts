import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { read, root } from '../support/sources.ts'

// The drill that runs these files is `npm run soak -- --failover`; it needs packages of Debian.

const folder = 'deploy/high-availability'
const page = read('docs/high-availability.md')

test('every delivered file of a database with failover has its place on the page that explains it', () => {
  for (const name of readdirSync(join(root, folder)))
    expect(page.includes(`cp ${folder}/${name} /etc/`), name).toBe(true)
})

test('an acknowledged transaction is on two machines, and a lost primary is replaced within 30 s', () => {
  const { bootstrap } = parse(read(`${folder}/patroni.yml`))
  const { ttl, loop_wait, retry_timeout, ...dcs } = bootstrap.dcs
  expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true, primary_start_timeout: 0 })
  expect(dcs.postgresql).toMatchObject({ use_pg_rewind: true, parameters: { synchronous_commit: 'on' } })
  expect(bootstrap.initdb).toContain('data-checksums')
  // What Patroni demands, so that a primary that cannot renew its lock stops before another one takes over.
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl)
  // When etcd loses its leader with the machine, it elects one within two of its timeouts, and lets all locks live for another one. Then
  // Patroni takes the lock, and finds the standby that transactions wait for.
  const election = Number(/^ETCD_ELECTION_TIMEOUT=(\d+)$/m.exec(read(`${folder}/etcd.env`))?.[1]) / 1000
  expect(3 * election + ttl + 2 * loop_wait).toBeLessThan(30)
})

test('the pooler of a database with failover has the settings of the other one', () => {
  const lines = read(`${folder}/pgbouncer.ini`).split('\n')
  expect(lines).toContain('%include /etc/pgbouncer/parley.ini')
  // A second line of this kind sets all included settings back to defaults.
  expect(lines).not.toContain('[pgbouncer]')
  expect(page).toContain('cp deploy/pgbouncer.ini /etc/pgbouncer/parley.ini')
  const [, port] = /presetenv POSTGRES_LISTEN 127\.0\.0\.1:(\d+)/.exec(read(`${folder}/haproxy-postgres.cfg`)) ?? []
  expect(lines).toContain(`* = host=127.0.0.1 port=${port}`)
})
