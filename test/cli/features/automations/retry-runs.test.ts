import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { callWebhook } from '../../../support/call-webhook.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

const succeedsIf = (condition: string) => ({
  trigger: hook,
  steps: [
    code('1'),
    code(`${condition} ? 'ok' : inputs.missing.field`, { fails: "{{trigger['body']['fails']}}" }),
    respond({ ok: true }),
  ],
})

/** An operator with the enabled automation "Orders", and a function that starts live runs of it. */
async function withOrders(): Promise<Operator & { readonly order: (body: object) => Promise<string> }> {
  const by = operator()
  writeFileSync(join(by.cwd, 'orders.json'), JSON.stringify(succeedsIf('!inputs.fails')))
  writeFileSync(join(by.cwd, 'repaired.json'), JSON.stringify(succeedsIf('inputs.fails !== "always"')))
  await by.run('automate create --name Orders --file orders.json')
  const { id } = (await by.json('automate list')).find((it: { name: string }) => it.name === 'Orders')
  return { ...by, order: (body) => callWebhook(by, id, body) }
}

const retries = (requests: readonly string[]): readonly string[] => requests.filter((it) => it.endsWith('/retry'))

describe('automate runs retry', () => {
  test.each([
    ['a Parley server', {}],
    ['another platform', { through: notParleyServer }],
  ])('last is the last failed run, on %s', async (_, options: RunOptions) => {
    const by = await withOrders()
    const failed = await by.order({ fails: true })
    await by.order({})
    const again = await by.run('automate runs retry last --json', options)
    expect(JSON.parse(again.stdout)).toMatchObject([{ id: failed, outcome: 'failed_again' }])
  })

  test('retries several runs, reads each one back, and tells those that failed again from the others', async () => {
    const by = await withOrders()
    const first = await by.order({ fails: true })
    const second = await by.order({ fails: 'always' })
    const good = await by.order({})
    const again = await by.run(`automate runs retry ${first} ${second} --json`)
    expect(again.exitCode).toBe(20)
    expect(JSON.parse(again.stdout)).toMatchObject([
      { id: first, outcome: 'failed_again', status: 'FAILED', step: 'step_2', error: expect.stringContaining('field') },
      { id: second, outcome: 'failed_again' },
    ])
    await by.run('automate update Orders --file repaired.json --yes')
    const latest = await by.run(`automate runs retry ${first} ${second} ${good} nothing --latest --json`)
    expect(latest.exitCode).toBe(11)
    expect(JSON.parse(latest.stdout)).toMatchObject([
      { id: first, automation_name: 'Orders', outcome: 'succeeded', status: 'SUCCEEDED', error: null },
      { id: second, outcome: 'failed_again' },
      { id: good, outcome: 'not_retried', error: 'Only failed runs can be retried. It is SUCCEEDED.' },
      { id: 'nothing', outcome: 'not_retried', error: expect.stringContaining('not found') },
    ])
    expect(retries(latest.requests)).toHaveLength(2)
    expect(await by.json(`automate runs get ${first}`)).toMatchObject({ status: 'SUCCEEDED', version: 2 })
  })

  test('--failed selects live runs by time and automation, oldest first; --dry-run sends nothing', async () => {
    const by = await withOrders()
    await by.order({ fails: true })
    by.wait(7_200_000)
    const second = await by.order({ fails: true })
    const third = await by.order({ fails: true })
    const dry = await by.run('automate runs retry --failed --since 1h --automation Orders --dry-run --json')
    expect(dry).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Dry run. Nothing was sent.') })
    expect(dry.stderr).toContain('Failed runs that started since 2026-08-04 13:00 UTC: 2.')
    expect(retries(dry.requests)).toEqual([])
    expect(JSON.parse(dry.stdout)).toMatchObject(
      [second, third].map((id) => ({ id, outcome: 'would_retry', step: 'step_2' })),
    )
    await by.run('automate update Orders --file repaired.json --yes')
    expect(await by.json('automate runs retry --failed --since 1h --latest')).toMatchObject([
      { id: second, outcome: 'succeeded' },
      { id: third, outcome: 'succeeded' },
    ])
    expect(await by.json('automate runs retry --failed --since 1h')).toEqual([])
    expect((await by.json('automate runs list Orders --live --status FAILED')).length).toBe(1)
  })

  test('a request without an answer ends the work, and names what was not sent', async () => {
    const by = await withOrders()
    const runs = [await by.order({ fails: true }), await by.order({ fails: true }), await by.order({ fails: true })]
    let sent = 0
    const cut = await by.run(`automate runs retry ${runs.join(' ')} --json --retries 0`, {
      through: (handle, request) =>
        request.url.endsWith('/retry') && ++sent > 1
          ? Promise.resolve({ status: 401, headers: {}, body: '{"message":"Unauthenticated."}' })
          : handle(request),
    })
    expect(cut.exitCode).toBe(11)
    expect(JSON.parse(cut.stdout).map((it: { outcome: string }) => it.outcome)).toEqual([
      'failed_again',
      'unknown',
      'not_sent',
    ])
  })

  test('names what is wrong with the command, and refuses what another platform does not offer', async () => {
    const by = await withOrders()
    const run = await by.order({ fails: true })
    for (const [line, text] of [
      ['--failed', 'Missing --since.'],
      ['--failed --since soon', 'Invalid --since "soon".'],
      [`${run} --failed --since 1h`, 'not both'],
      [`${run} --since 1h`, 'require --failed'],
      ['', 'Missing run.'],
      [`${run} --latest --print-curl`, 'cannot show --latest'],
    ])
      expect(await by.run(`automate runs retry ${line}`)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(text as string),
      })
    expect(await by.run('automate runs retry nothing')).toMatchObject({ exitCode: 4 })
    expect((await by.run(`automate runs retry ${run} --print-curl`)).stdout).toContain(`/runs/${run}/retry`)
    expect(await by.run(`automate runs retry ${run} --latest`, { through: notParleyServer })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('does not have the capability "runs"'),
    })
    const elsewhere = await by.run('automate runs retry --failed --since 1h --json', { through: notParleyServer })
    expect(elsewhere.exitCode).toBe(20)
    expect(JSON.parse(elsewhere.stdout)).toMatchObject([{ id: run, outcome: 'failed_again' }])
  })
})

describe('automate runs retry of a coding agent', () => {
  const env = { CLAUDECODE: '1' }

  /** Asks for a retry and approves it. Returns the id of the operation. */
  async function approved(by: Operator, line: string): Promise<string> {
    expect((await by.run('profile set local --approvals agents')).exitCode).toBe(0)
    const asked = await by.run(line, { env })
    expect([asked.exitCode, retries(asked.requests)], asked.stderr).toEqual([10, []])
    const id = JSON.parse(asked.stderr.trim().split('\n').at(-1) as string).error.operation
    const decided = await by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
    expect(decided.exitCode, decided.stderr).toBe(0)
    return id
  }

  test('repeats what was approved', async () => {
    const by = await withOrders()
    const id = await approved(by, `automate runs retry ${await by.order({ fails: true })}`)
    const run = await by.run(`ops run ${id}`, { env })
    expect([run.exitCode, retries(run.requests).length], run.stderr).toEqual([20, 1])
  })

  test.each([
    ['the run was retried by a person since', '', (run: string) => `automate runs retry ${run}`],
    ['the live version is another one', ' --latest', () => 'automate update Orders --file repaired.json --yes'],
  ])('sends nothing when %s', async (_, flag, change) => {
    const by = await withOrders()
    const failed = await by.order({ fails: true })
    const id = await approved(by, `automate runs retry ${failed}${flag}`)
    await by.run(change(failed))
    const run = await by.run(`ops run ${id}`, { env })
    expect([run.exitCode, retries(run.requests)], run.stderr).toEqual([5, []])
  })
})
