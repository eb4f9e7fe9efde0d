import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { callWebhook } from '../../../support/call-webhook.ts'
import { delay, hook, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

test('runs cancel leaves a run that had ended, and requires a Parley server', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'greet.json'), JSON.stringify({ trigger: hook, steps: [respond({ hello: 'you' })] }))
  await by.run('automate create --name Greeting --file greet.json')
  const [run] = await by.json('automate runs list')
  const ended = await by.run('automate runs cancel last --json')
  expect(ended.exitCode).toBe(20)
  expect(JSON.parse(ended.stdout)).toEqual({ ...run, also_cancelled: [] })
  expect(await by.run('automate runs cancel nothing')).toMatchObject({ exitCode: 4 })
  expect(await by.run('automate runs cancel')).toMatchObject({ exitCode: 2 })
  expect(await by.run(`automate runs cancel ${run.id}`, { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "runs"'),
  })
})

const pieceName = '@activepieces/piece-subflows'

test('runs cancel names the runs that a run waits for, asks, and cancels and reads back all of them', async () => {
  const by = operator()
  const write = (name: string, flow: object) => writeFileSync(join(by.cwd, name), JSON.stringify(flow))
  const callable = {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName, triggerName: 'callableFlow', input: {} },
  }
  const call = { pieceName, actionName: 'callFlow', input: { flow: 'Slow', flowProps: {}, waitForResponse: true } }
  write('slow.json', { trigger: callable, steps: [delay({ unit: 'hours', delayFor: 2 })] })
  write('main.json', { trigger: hook, steps: [{ type: 'PIECE', settings: call }] })
  await by.run('automate create --name Slow --file slow.json')
  await by.run('automate create --name Main --file main.json --confirm-side-effects')
  const main = (await by.json('automate list')).find((it: { name: string }) => it.name === 'Main').id
  const started = async (): Promise<[string, string]> => {
    const run = await callWebhook(by, main, {}, '')
    const called = async () => (await by.json(`automate runs get ${run}`)).steps[0]?.called_run
    await expect.poll(called).toMatch(/^\w{21}$/)
    return [run, await called()]
  }
  const statuses = async (...runs: string[]) =>
    Promise.all(runs.map(async (it) => (await by.json(`automate runs get ${it}`)).status))
  const [run, called] = await started()
  expect((await by.run(`automate runs get ${run}`)).stdout).toContain(`Waits for run ${called}`)

  const refused = await by.run(`automate runs cancel ${run}`)
  expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
  expect(refused.stderr).toContain(`also cancels what it waits for: run ${called} of "Slow"`)
  const planned = await by.run(`automate runs cancel ${run} --dry-run`)
  expect([planned.exitCode, planned.stderr]).toEqual([0, expect.stringContaining(`run ${called} of "Slow"`)])
  expect(await by.run(`automate runs cancel ${run}`, { answers: [['Cancel run', false]] })).toMatchObject({
    exitCode: 10,
    asked: [expect.stringContaining(`run ${called} of "Slow"`)],
  })
  expect(await statuses(run, called)).toEqual(['PAUSED', 'PAUSED'])

  const done = await by.run(`automate runs cancel ${run} --yes`)
  expect([done.exitCode, done.stdout]).toEqual([0, `Cancelled run ${run}.\nCancelled run ${called} of "Slow".\n`])
  expect(await statuses(run, called)).toEqual(['CANCELLED', 'CANCELLED'])
  // Nothing waits for the called run alone: it needs no confirmation.
  const [second, other] = await started()
  expect(await by.json(`automate runs cancel ${other}`)).toMatchObject({ status: 'CANCELLED', also_cancelled: [] })
  expect(await by.run(`automate runs cancel ${other}`)).toMatchObject({
    exitCode: 20,
    stdout: `Run ${other} had already ended: CANCELLED. Nothing was changed.\n`,
  })
  await expect.poll(() => statuses(second)).toEqual(['FAILED'])
})
