import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newPlace, type Place, parley, start } from '../support/built-program.ts'
import { credentialsOf, serve } from '../support/server-process.ts'

const accounts = async (at: Place): Promise<string[]> =>
  (JSON.parse((await parley('server accounts list --json', { at })).stdout) as { name: string }[]).map((it) => it.name)

test('a snapshot is saved and restored with and without a running server, and its key works', async () => {
  const at = newPlace()
  const server = await serve(at)
  const saved = await parley('server snapshot save before', { at })
  expect(saved).toMatchObject({
    exitCode: 0,
    stdout: 'Snapshot saved successfully. Name: before\n',
    stderr: 'Next: parley server snapshot restore before\n',
  })
  expect(statSync(join(at.data, 'snapshots/before.db')).mode & 0o777).toBe(0o600)
  await parley('server accounts create --name Second', { at })
  await parley('server reset --yes', { at })
  await parley('server accounts create --name Third', { at })
  expect(credentialsOf(at).key).not.toBe(server.key)

  expect(await parley('server snapshot restore before', { at })).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('discards all later changes'),
  })
  const restored = await parley('server snapshot restore before --yes --json', { at })
  expect([restored.exitCode, JSON.parse(restored.stdout)]).toEqual([
    0,
    { message: 'Snapshot restored successfully.', key: server.key },
  ])
  expect((await server.fetch('GET', 'phone-numbers/all')).status).toBe(200)
  expect(await accounts(at)).toHaveLength(1)

  await parley('server accounts create --name Fourth', { at })
  await parley('server snapshot save after', { at })
  expect((await parley('server stop', { at })).exitCode).toBe(0)
  expect((await parley('server snapshot restore before --yes', { at })).exitCode).toBe(0)
  expect(await accounts(at)).toHaveLength(1)
  expect((await parley('server snapshot restore after --yes', { at })).exitCode).toBe(0)
  expect(await accounts(at)).toContain('Fourth')
  const { stdout } = await parley('server snapshot list -o id', { at })
  expect(stdout).toBe('after\nbefore\n')
})

test('kill -9 while a snapshot is saved or restored leaves either the old data or the snapshot, with its key', async () => {
  const at = newPlace()
  await parley('server accounts create --name First', { at })
  await parley('server snapshot save one', { at })
  const first = await accounts(at)
  await parley('server reset --yes', { at })
  await parley('server accounts create --name Other', { at })
  await parley('server snapshot save two', { at })
  const second = await accounts(at)
  let wanted = 'one'
  const seen = new Set<string>()
  // Continues with longer and longer delays on a machine so busy that every command is killed before its end.
  for (let ms = 40; ms < 400 || seen.size < 2; ms += ms < 400 ? 24 : ms / 2) {
    const run = start(`server snapshot restore ${wanted} --yes`, { at })
    await sleep(ms)
    run.kill('SIGKILL')
    await run.ended
    // The key is the one of the rows, whichever these are.
    expect((await parley('keys list', { at })).exitCode).toBe(0)
    const found = await accounts(at)
    expect([first, second]).toContainEqual(found)
    seen.add(found.includes('First') ? 'one' : 'two')
    wanted = found.includes('First') ? 'two' : 'one'
    const saving = start('server snapshot save torn --replace', { at })
    await sleep(ms)
    saving.kill('SIGKILL')
    await saving.ended
    const listed = JSON.parse((await parley('server snapshot list --json', { at })).stdout) as { status: string }[]
    expect(listed.every((it) => it.status === 'ok')).toBe(true)
  }
  expect(seen).toEqual(new Set(['one', 'two']))
  expect((await parley('server check', { at })).exitCode).toBe(0)
  expect(readdirSync(join(at.data, 'snapshots'))).toEqual(expect.arrayContaining(['one.db', 'two.db']))
})
