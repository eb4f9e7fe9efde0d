import { expect, test } from 'vitest'
import type { RunOptions } from '../../../../support/operator.ts'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

const promote = 'promote --only tools --from staging --to production --confirm production'
const undo = 'promote undo --to production --confirm production'

/** Two platforms, the second of which refuses writes whose request matches `refused`. */
async function failing(refused: RegExp): Promise<TwoPlatforms & { readonly repair: () => void }> {
  let isRepaired = false
  const through: RunOptions['through'] = async (handle, request) =>
    !isRepaired && refused.test(`${request.method} ${request.url}`)
      ? { status: 500, headers: {}, body: '{"message":"Server Error"}' }
      : handle(request)
  const repair = (): void => {
    isRepaired = true
  }
  return { ...(await twoPlatforms(undefined, through)), repair }
}

test('--print-curl is refused, and nothing is sent', async () => {
  const on = await twoPlatforms()
  await on.run('--profile staging tools update 2 --tool-timeout 20')
  on.takeWrites()
  for (const line of [`${promote} --print-curl`, `${undo} --print-curl`])
    expect(await on.run(line)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('--print-curl cannot show several requests. Nothing was sent.'),
    })
  expect(await on.run(promote)).toMatchObject({ exitCode: 0 })
  on.takeWrites()
  const [{ entry }] = await on.json('production', 'history list')
  for (const line of [
    `${undo} --print-curl`,
    `history undo ${entry} --profile production --confirm production --print-curl`,
  ])
    expect(await on.run(line)).toMatchObject({ exitCode: 2, stdout: '' })
  expect(on.takeWrites()).toEqual([])
})

test('undo restores the fields that a resumed promotion added', async () => {
  const on = await failing(/^PUT \/api\/user\/tools\/2$/)
  const before = await on.json('production', 'tools get 1')
  for (const id of [1, 2]) await on.run(`--profile staging tools update ${id} --tool-timeout 20`)
  expect(await on.run(promote)).toMatchObject({ exitCode: 11 })
  expect((await on.json('production', 'tools get 1')).timeout).toBe(20)
  await on.run('--profile staging tools update 1 --description Other')
  on.repair()
  expect(await on.run(promote)).toMatchObject({ exitCode: 0 })
  const undone = await on.run(undo)
  expect(undone.exitCode, undone.stderr).toBe(0)
  const { description, timeout } = await on.json('production', 'tools get 1')
  expect({ description, timeout }).toEqual({ description: before.description, timeout: before.timeout })
})

test('undo does not delete what somebody else created under the name of a failed creation', async () => {
  const on = await failing(/^POST \/api\/user\/tools$/)
  const create = 'tools create --name new_tool --description X --endpoint https://x.example --method GET'
  await on.run(`--profile staging ${create}`)
  expect(await on.run(promote)).toMatchObject({ exitCode: 11 })
  on.repair()
  expect(await on.run(`--profile production ${create}`)).toMatchObject({ exitCode: 0 })
  on.takeWrites()
  const undone = await on.run(undo)
  expect([undone.exitCode, on.takeWrites()]).toEqual([20, []])
  expect(undone.stderr).toContain('Not deleted, because somebody else may have created them: tools/new-tool.yaml')
  expect(await on.json('production', 'tools get new_tool')).toMatchObject({ name: 'new_tool' })
})

test('undo does not overwrite a change of somebody else after a failed update', async () => {
  const on = await failing(/^PUT \/api\/user\/tools\/2$/)
  await on.run('--profile staging tools update 2 --tool-timeout 20')
  expect(await on.run(promote)).toMatchObject({ exitCode: 11 })
  on.repair()
  await on.run('--profile production tools update 2 --tool-timeout 25')
  expect(await on.run(undo)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('timeout') })
  expect((await on.json('production', 'tools get 2')).timeout).toBe(25)
  expect(await on.run(`${undo} --force`)).toMatchObject({ exitCode: 0 })
})
