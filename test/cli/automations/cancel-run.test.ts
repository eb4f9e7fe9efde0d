import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { hook, respond } from '../../support/flow-definitions.ts'
import { operator } from '../../support/operator.ts'

test('runs cancel leaves a run that had ended, and requires a Parley server', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'greet.json'), JSON.stringify({ trigger: hook, steps: [respond({ hello: 'you' })] }))
  await by.run('automate create --name Greeting --file greet.json')
  const [run] = await by.json('automate runs list')
  const ended = await by.run('automate runs cancel last --json')
  expect(ended.exitCode).toBe(20)
  expect(JSON.parse(ended.stdout)).toEqual(run)
  expect(await by.run('automate runs cancel nothing')).toMatchObject({ exitCode: 4 })
  expect(await by.run('automate runs cancel')).toMatchObject({ exitCode: 2 })
  expect(await by.run(`automate runs cancel ${run.id}`, { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "runs"'),
  })
})
