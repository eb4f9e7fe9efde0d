import { join } from 'node:path'
import { expect, test } from 'vitest'
import { opened, temporaryFolder } from '../../../support/databases.ts'
import { buildProcess, runProcess, startProcess } from '../../../support/processes/build.ts'

test('four processes write to one new file without an error and without losing anything', async () => {
  const file = join(temporaryFolder(), 'a.db')
  const script = await buildProcess('add-accounts')
  const ended = await Promise.all(['a', 'b', 'c', 'd'].map((name) => runProcess(script, [file, name, '100', '0'])))
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: '' }))
  const { read } = await opened({ file })
  const rows = await read
    .selectFrom('account')
    .select(['name', (it) => it.fn.countAll().as('count')])
    .groupBy('name')
    .orderBy('name')
    .execute()
  expect(rows).toMatchObject(['a', 'b', 'c', 'd'].map((name) => ({ name, count: 100 })))
})

test('nothing that was acknowledged is lost when a process is killed in the middle of writing', async () => {
  const file = join(temporaryFolder(), 'a.db')
  await opened({ file })
  const script = await buildProcess('add-accounts')
  const killed = startProcess(script, [file, 'killed', 'forever'])
  const other = startProcess(script, [file, 'other', '50', '2'])
  let lines = 0
  killed.onLine(() => {
    if (++lines === 40) killed.kill()
  })
  const acknowledged = (await killed.done).stdout.split('\n').slice(0, -1)
  const { code, stderr } = await other.done
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(acknowledged.length).toBeGreaterThanOrEqual(40)

  const { read } = await opened({ file })
  const saved = await read.selectFrom('account').select(['name', 'email']).execute()
  const numbers = new Set(saved.filter((it) => it.name === 'killed').map((it) => it.email))
  expect(acknowledged.filter((number) => !numbers.has(number))).toEqual([])
  expect(saved.filter((it) => it.name === 'other')).toHaveLength(50)
})

test('a process that writes without a pause does not block another one', async () => {
  const file = join(temporaryFolder(), 'a.db')
  const connection = await opened({ file })
  const greedy = startProcess(await buildProcess('keep-writing'), [file])
  await new Promise<void>((resolve) => greedy.onLine(() => resolve()))
  const countRows = async (): Promise<number> =>
    Number(
      (
        await connection.read
          .selectFrom('meta')
          .select((it) => it.fn.countAll().as('count'))
          .executeTakeFirstOrThrow()
      ).count,
    )
  let whileWaiting = 0
  for (let index = 0; index < 20; index++) {
    const before = await countRows()
    await connection.write('rows', (query) => query.updateTable('clock').set({ offset: index }).execute())
    whileWaiting += (await countRows()) - before
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  greedy.kill()
  await greedy.done
  // It pauses after every 40 ms of writing, some two thousand rows. Counted in rows rather than time, a busy machine changes nothing.
  expect(whileWaiting).toBeLessThan(20 * 10_000)
})
