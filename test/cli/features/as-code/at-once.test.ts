import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../../support/operator.ts'
import { pulled, tool, write, writes } from './code-folder.ts'
import { twoPlatforms } from './promotion/two-platforms.ts'

test('a push or pull during a push of the same folder is refused, and nothing is created twice', async () => {
  const by = await pulled()
  for (const name of ['one', 'two', 'three']) write(by, `tools/${name}.yaml`, tool(name))
  const during: Run[] = []
  const first = await by.run('push', {
    through: async (handle, request) => {
      if (request.method !== 'GET' && during.length === 0)
        for (const line of ['push', 'pull']) during.push(await by.run(line))
      return handle(request)
    },
  })
  expect(first.exitCode).toBe(0)
  expect(during).toHaveLength(2)
  for (const run of during) {
    expect(run).toMatchObject({ exitCode: 5, stdout: '' })
    expect(run.stderr).toMatch(/Process \d+ is synchronizing the folder .*parley\. Nothing was changed\./)
    expect(writes(run.requests)).toEqual([])
  }
  const again = await by.run('push')
  expect([again.exitCode, writes(again.requests)]).toEqual([0, []])
})

test('a data folder that cannot be written does not prevent a pull from a deployment', async () => {
  const { by, run } = await twoPlatforms()
  writeFileSync(join(by.cwd, 'file'), '')
  const env = { PARLEY_DATA_DIR: join(by.cwd, 'file', 'below') }
  const { exitCode, stderr } = await run('--profile staging pull', { env })
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Wrote')])
})
