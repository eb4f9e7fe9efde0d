import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { inProcessTransport } from '../../../../src/client/transport/in-process-transport.ts'
import { openPlatform } from '../../../../src/platform/compose.ts'
import { createSecretGenerator } from '../../../../src/platform/control/data-folder/secret-generator.ts'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, type RunOptions, sampleSeed, today } from '../../../support/operator.ts'
import { modelServer } from '../../../support/servers/model-server.ts'
import { sampleProject, writeScenario } from './project.ts'

const remote: RunOptions['connect'] = async () => {
  const platform = await openPlatform({
    dataDir: by.dataDir,
    wall: () => today,
    durable: false,
    pid: process.pid,
    isAlive: () => true,
  })
  return { ...inProcessTransport(platform.handle), base: 'https://assistants.example', close: () => platform.close() }
}
const scenarios = `
assistant: Front desk
type: widget
scenarios:
  - {name: Hello, turns: [Hello], expect: {language: en}}
  - {name: Wrong, turns: [Hello], expect: {contains: Bonjour}}
  - {name: Call, channel: call, turns: [Hello]}
`

let by: Operator
beforeAll(async () => {
  by = await sampleProject({ 'remote.yaml': scenarios }, { lasts: 'file' })
  const key = `1|${createSecretGenerator(sampleSeed)('key local', 40)}`
  mkdirSync(by.configDir, { recursive: true, mode: 0o700 })
  const profiles = {
    staging: { base_url: 'https://assistants.example', api_key: key },
    frozen: { base_url: 'https://assistants.example', api_key: key, read_only: true },
  }
  writeFileSync(join(by.configDir, 'config.json'), JSON.stringify({ current: 'local', profiles }), { mode: 0o600 })
})
const run = (flags: string) => by.run(`assistants test --profile staging ${flags}`, { connect: remote })

describe('assistants test on a remote deployment', () => {
  test('shows what it costs at most and requires confirmation; nothing is sent without it', async () => {
    const refused = await run('')
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
    expect(refused.stderr).toContain(
      'Scenarios on https://assistants.example: 3. Maximum cost: 0.02 USD. The real tools of the assistants are called',
    )
    expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('asks again when the price rose while the question was open', async () => {
    let isRaised = false
    const through: RunOptions['through'] = async (handle, request) => {
      const reply = await handle(request)
      if (!isRaised || !request.url.includes('/billing/summary')) return reply
      const body = JSON.parse(String(reply.body))
      body.data.prices.chat_message = 0.5
      return { ...reply, body: JSON.stringify(body) }
    }
    const rises = (): true => {
      isRaised = true
      return true
    }
    const refused = await by.run('assistants test --profile staging', {
      connect: remote,
      through,
      answers: [
        ['Maximum cost: 0.02 USD', rises],
        ['Maximum cost: 1.00 USD', false],
      ],
    })
    expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('from 0.02 USD to 1.00 USD') })
    expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('the budget is never exceeded', async () => {
    const refused = await run('--yes --budget 0.01')
    expect(refused.exitCode).toBe(5)
    expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
    expect(refused.stderr).toContain('This can cost 0.02 USD, more than --budget 0.01')
    expect((await run('--yes --budget 0.02 --scenario Hello')).exitCode).toBe(0)
    // The chat of a call is a test conversation, which is free.
    expect((await run('--yes --budget 0.001 --scenario Call')).exitCode).toBe(0)
  })

  test('on a platform that does not report prices the cost is unknown, and no budget holds', async () => {
    const through = notParleyServer
    const refused = await by.run('assistants test --profile staging', { connect: remote, through })
    expect(refused.stderr).toContain('Scenarios on https://assistants.example: 3. Maximum cost: unknown.')
    const budget = await by.run('assistants test --profile staging --yes --budget 100', { connect: remote, through })
    expect(budget.exitCode).toBe(5)
    expect(budget.stderr).toContain('The price is not known')
    expect(budget.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('names what a deployment does not report, and a model judges what was said', async () => {
    const expected = 'expect: {variables: {reason: a toothache}, max_cost_usd: 0, judge: It is kind}'
    writeScenario(by, 'judged.yaml', `assistant: Front desk\nname: Judged\nturns: [Hello]\n${expected}\n`)
    const model = await modelServer()
    model.answer(() => [{ say: 'pass\nIt is kind.' }])
    const env = { PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'judge' }
    const judged = await by.run('assistants test --profile staging --yes --scenario Judged', { connect: remote, env })
    await model.close()
    expect(judged).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('does not report them: variables of "Judged", max_cost_usd of "Judged".'),
    })
    expect(model.requests).toHaveLength(1)
    expect((await run('--yes --scenario Judged')).stdout).toContain('No language model is configured.')
    rmSync(join(by.cwd, 'parley', 'tests', 'judged.yaml'))
  })

  test('chats run there, and other channels are skipped', async () => {
    const { exitCode, stdout, requests } = await run('--yes --json')
    expect(exitCode).toBe(20)
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'Hello', verdict: 'passed', model: 'remote', cost_usd: null },
      {
        name: 'Wrong',
        verdict: 'failed',
        findings: [{ expectation: 'contains', happened: 'Hello! How can I help you?' }],
      },
      { name: 'Call', verdict: 'skipped', reason: 'The channel call needs a local platform.' },
    ])
    expect(requests.filter((it) => it.endsWith('/messages'))).toHaveLength(2)
  })

  test('a read-only profile is not written to', async () => {
    writeScenario(by, 'remote.yaml', scenarios)
    const refused = await by.run('assistants test --profile frozen --yes', { connect: remote })
    expect(refused.exitCode).not.toBe(0)
    expect(refused.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })
})
