import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { undistributedUrl } from '../../support/databases.ts'
import { newPlace, parley, start } from '../support/built-program.ts'

// A distribution that is killed is continued by the same command, with real processes.

describe.runIf(process.env.PARLEY_TEST_CITUS)('server database distribute', () => {
  test('killed in the middle, it keeps servers out, and the next run completes it', async () => {
    const url = await undistributedUrl()
    const place = newPlace()
    const at = { ...place, env: { ...place.env, PARLEY_DATABASE: url } }
    expect(await parley('server seed --seed 7', { at })).toMatchObject({ exitCode: 0 })
    const before = (await parley('server export -o json', { at })).stdout

    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const running = start('server database distribute --shards 2 --yes', { at })
    const spread = async (): Promise<number> =>
      (await client.query("select count(*)::int as n from pg_dist_partition where partmethod = 'h'")).rows[0].n
    await expect.poll(spread, { interval: 5 }).toBeGreaterThan(5)
    running.kill('SIGKILL')
    expect(await running.ended).toMatchObject({ signal: 'SIGKILL' })
    await client.end()

    expect(JSON.parse((await parley('server database status --json', { at })).stdout)).toMatchObject({
      state: 'unfinished',
      shards: 2,
    })
    const server = await parley('server start --port 0', { at })
    expect([server.exitCode, server.stderr]).toEqual([
      1,
      expect.stringContaining('To continue that: parley server database distribute.'),
    ])

    const continued = await parley('server database distribute --yes --json', { at })
    expect([continued.exitCode, continued.stderr]).toEqual([0, ''])
    expect(JSON.parse(continued.stdout)).toMatchObject({ state: 'distributed', shards: 2, accounts: 1 })
    expect((await parley('server export -o json', { at })).stdout).toBe(before)
    expect((await parley('server check', { at })).exitCode).toBe(0)
  })
})
