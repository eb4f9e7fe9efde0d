import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { bin, newFolder } from '../e2e/support/built-program.ts'
import { findProgram, howToGet } from '../support/servers/system-programs.ts'
import { root } from '../support/sources.ts'
import { newMachine, programs, scriptsOf } from './runbook-machine.ts'

// Each runbook of docs/runbooks.md is carried out with the built program and PostgreSQL of this machine.

if (!programs)
  console.warn('NOT RUN: docs/runbooks.md, because PostgreSQL is not installed (apt-get install postgresql).')

const haproxy = findProgram('haproxy')
if (!haproxy) console.warn(`NOT RUN: the first deployment of docs/runbooks.md. ${howToGet(['haproxy'])}`)

test.skipIf(!programs || !haproxy)('an empty database becomes three servers behind HAProxy', async () => {
  const machine = await newMachine({ hasDatabase: false })
  const { LD_LIBRARY_PATH = '' } = haproxy?.env ?? {}
  writeFileSync(
    join(machine.at.dir, 'bin/haproxy'),
    `#!/bin/sh\nLD_LIBRARY_PATH="${LD_LIBRARY_PATH}" exec "${haproxy?.file}" "$@"\n`,
    { mode: 0o755 },
  )
  onTestFinished(() => machine.type('kill "$(cat "$BACKUP/haproxy.pid")"').then(() => {}))
  const scripts = scriptsOf('First deployment')
  let printed = ''
  for (const script of scripts) printed = await machine.type(script)
  expect(printed).toContain('lookup_patient')
  expect(printed.match(/http:\/\/127\.0\.0\.1:\d+/g)).toHaveLength(3)
  // A server is drained while clients use the load balancer.
  const client = machine.client('560', 8080)
  await expect.poll(() => client.created.length).toBeGreaterThan(10)
  await machine.type(`PARLEY_DATA_DIR=${machine.data('-2')} parley server stop`)
  const before = client.created.length
  await expect.poll(() => client.created.length).toBeGreaterThan(before + 10)
  await client.stop()
  expect([client.failed, client.refusals]).toEqual([[], []])
  await machine.requireStored(client)
})

test.skipIf(!programs)('a restore to a point in time has what a reset has deleted', async () => {
  const machine = await newMachine()
  const [archive = '', backup = '', ...restore] = scriptsOf('Restore to a point in time')
  await machine.type('parley server start --detach --port 4010')
  await machine.type(archive)
  await machine.type(backup)
  const client = machine.client('555', 4010)
  await expect.poll(() => client.created.length).toBeGreaterThan(20)
  await client.stop()
  const time = await machine.ask('select now()')
  await machine.type('parley server reset --yes')
  await expect(machine.requireStored(client)).rejects.toThrow()
  machine.replace('2026-11-30 10:15:00+00', time)
  const look = restore.pop() ?? ''
  for (const script of restore) await machine.type(script)
  // Files are archived, none has failed, and none waits.
  await expect.poll(() => machine.type(look)).toMatch(/^[1-9]\d*\|0\|\|0\n$/)
  expect(await machine.requireStored(client)).toBeGreaterThan(20)
  expect(client.failed).toEqual([])
  // The database archives and backs up again, and the servers work.
  const after = machine.client('556', 4010)
  await expect.poll(() => after.created.length).toBeGreaterThan(5)
  await after.stop()
  expect(after.failed).toEqual([])
  await machine.requireStored(after)
})

test.skipIf(!programs)('the password of the database is replaced while servers answer', async () => {
  const machine = await newMachine()
  for (const [n, port] of [4010, 4011].entries()) {
    await machine.type(`export PARLEY_DATA_DIR=${machine.data(`-${n + 1}`)}
mkdir -p "$PARLEY_DATA_DIR"
[ ! -f ${machine.data('-1')}/secret.key ] || cp -n ${machine.data('-1')}/secret.key "$PARLEY_DATA_DIR/"
parley server start --detach --port ${port}`)
  }
  const client = machine.client('557', 4010, 4011)
  await expect.poll(() => client.created.length).toBeGreaterThan(20)
  for (const script of scriptsOf('Rotate the password of the database')) await machine.type(script)
  const before = client.created.length
  await expect.poll(() => client.created.length).toBeGreaterThan(before + 20)
  await client.stop()
  expect(client.failed).toEqual([])
  await machine.requireStored(client)
  const old = 'PGPASSWORD=first PGUSER=parley psql -d parley -c "select 1"'
  expect(await machine.type(`! ${old} 2>&1`)).toContain('password authentication failed')
})

test.skipIf(!programs)('a failover by hand loses no acknowledged write', async () => {
  const machine = await newMachine()
  const [prepare = '', ...failOver] = scriptsOf('Failover by hand')
  await machine.type('parley server start --detach --port 4010')
  await machine.type(prepare)
  onTestFinished(() => machine.type('pg_ctl -D "$STANDBY" --mode immediate --wait stop').then(() => {}))
  const client = machine.client('563', 4010)
  await expect.poll(() => client.created.length).toBeGreaterThan(20)
  // Ends all its processes at once, as a crash does.
  await machine.type(
    'kill -QUIT "$(head -1 "$PGDATA/postmaster.pid")"; while [ -f "$PGDATA/postmaster.pid" ]; do sleep 0.1; done',
  )
  for (const script of failOver) await machine.type(script)
  const before = client.created.length
  await expect.poll(() => client.created.length).toBeGreaterThan(before + 20)
  await client.stop()
  expect(client.failed).toEqual([])
  await machine.type('export PGPORT=5433')
  await machine.requireStored(client)
})

/** Mounts a disk of some megabytes until the test ends; undefined where that is not allowed. */
function smallDisk(megabytes: number): string | undefined {
  const folder = newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

test.skipIf(!programs)('a full disk loses nothing, and the servers continue without a restart', async (context) => {
  const disk = smallDisk(192)
  if (disk === undefined) return context.skip('no disk can be mounted here')
  const machine = await newMachine({ folder: join(disk, 'postgres') })
  const [reserve = '', look = '', free = '', room = '', again = ''] = scriptsOf('A full disk')
  machine.replace('1G', '24M')
  await machine.type('parley server start --detach --port 4010')
  await machine.type(reserve)
  const client = machine.client('558', 4010)
  await expect.poll(() => client.created.length).toBeGreaterThan(20)
  const filler = join(disk, 'filler')
  const fill = (): void =>
    void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=16k', 'oflag=append', 'conv=notrunc'])
  await expect
    .poll(() => {
      fill()
      return client.refusals.at(-1)
    })
    .toContain('The disk of the database is full. Nothing was saved.')
  await machine.type(look)
  await machine.type(free)
  rmSync(filler)
  const before = client.created.length
  await machine.type(room)
  await machine.type(again)
  await expect.poll(() => client.created.length).toBeGreaterThan(before + 20)
  await client.stop()
  expect(client.failed).toEqual([])
  await machine.requireStored(client)
})

/** Commits of the releases that servers are upgraded from. */
const releases = {
  '0.1.0': 'ee18b0334175b51df6a59dd5e13c7c34a883488c',
  '0.2.0': '837e565b7d90d74696d581d6905a84d3054ebee7',
}
const hasHistory = Object.values(releases).every(
  (commit) => spawnSync('git', ['cat-file', '-e', commit], { cwd: root }).status === 0,
)
if (!hasHistory) console.warn('NOT RUN: the rolling upgrade of docs/runbooks.md, because the clone lacks the releases.')

/** Builds a release from the history. Returns its program. */
function buildRelease(commit: string): string {
  const folder = newFolder()
  chmodSync(folder, 0o755)
  execFileSync('bash', ['-c', `git archive ${commit} | tar --extract --directory ${folder}`], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' })
  return join(folder, 'bin/parley.js')
}

test.skipIf(!programs || !hasHistory)(
  'servers are upgraded from 0.1 to 0.2 to this version without a failed request',
  async () => {
    const machine = await newMachine()
    const programOf: Record<string, string> = {
      '0.1.0': buildRelease(releases['0.1.0']),
      '0.2.0': buildRelease(releases['0.2.0']),
      next: bin,
    }
    const command = join(machine.at.dir, 'bin/parley')
    const install = (version: string): void =>
      writeFileSync(command, `#!/bin/sh\nexec "${execPath}" "${programOf[version]}" "$@"\n`, { mode: 0o755 })
    // Each server has a machine in the runbook, so `parley` is a command of each.
    const servers = ['-1', '-2', '-3'].map((suffix, n) => ({ suffix, port: 4010 + n }))
    await machine.type('export PGPASSWORD=first')
    install('0.1.0')
    for (const { suffix, port } of servers)
      await machine.type(`mkdir -p ${machine.data(suffix)}
[ ! -f ${machine.data('-1')}/secret.key ] || cp -n ${machine.data('-1')}/secret.key ${machine.data(suffix)}/
PARLEY_DATA_DIR=${machine.data(suffix)} parley server start --port ${port} --database "$PARLEY_DATABASE" > ${machine.data(suffix)}/server.log 2>&1 < /dev/null &
until curl --fail --silent http://127.0.0.1:${port}/readyz; do sleep 0.2; done`)
    const client = machine.client('559', 4010, 4011, 4012)
    const [upgrade = '', finish = ''] = scriptsOf('Rolling upgrade')
    let current = '0.1.0'
    for (const version of ['0.2.0', 'next']) {
      for (const { suffix, port } of servers) {
        install(current)
        // The package of a release is installed by npm from a registry or a file; here its program is put in place.
        writeFileSync(join(machine.at.dir, 'bin/npm'), `#!/bin/sh\ncp ${command}.${version} ${command}\n`, {
          mode: 0o755,
        })
        writeFileSync(`${command}.${version}`, `#!/bin/sh\nexec "${execPath}" "${programOf[version]}" "$@"\n`, {
          mode: 0o755,
        })
        const before = client.created.length
        await machine.type(
          upgrade.replaceAll('/var/lib/parley-1', machine.data(suffix)).replaceAll('4010', String(port)),
        )
        await expect.poll(() => client.created.length).toBeGreaterThan(before + 5)
      }
      await machine.type(finish)
      current = version
    }
    const nodes = JSON.parse(await machine.type('parley server nodes --json'))
    expect(new Set(nodes.map((node: { version: string }) => node.version)).size).toBe(1)
    expect(nodes).toHaveLength(3)
    await client.stop()
    expect(client.failed).toEqual([])
    await machine.requireStored(client)
  },
)
