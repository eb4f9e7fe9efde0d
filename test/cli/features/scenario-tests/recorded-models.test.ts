import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readVerdict } from '../../../../src/cli/features/scenario-tests/model/judge.ts'
import type { Operator } from '../../../support/operator.ts'
import { calling, type ModelServer, modelServer } from '../../../support/servers/model-server.ts'
import { sampleProject, writeScenario } from './project.ts'

const key = 'sk-test-0123456789abcdef'
const scenario = `
name: Quotes
assistant: Front desk
mocks: {quote_treatment: {body: {price: 120 USD}}}
turns:
  - say: What is the price of a cleaning?
    expect: {called: {tool: quote_treatment, with: {treatment: cleaning}}, contains: 120 USD}
`

let model: ModelServer
let by: Operator
let cassette = ''
let prompt = ''
beforeAll(async () => {
  model = await modelServer()
  by = await sampleProject({ 'quotes.yaml': scenario }, { lasts: 'file' })
  cassette = join(by.cwd, 'parley', 'tests', 'cassettes', 'quotes.json')
  prompt = join(by.cwd, 'parley', 'assistants', 'front-desk.yaml')
})
afterAll(() => model.close())
beforeEach(() => {
  model.requests.length = 0
  model.answer(({ body }) =>
    body.messages.at(-1).role === 'tool'
      ? [{ say: 'A cleaning costs 120 USD.' }]
      : calling('quote_treatment', { treatment: 'cleaning' }),
  )
})

const env = () => ({ PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'scripted', PARLEY_MODEL_KEY: key })
async function run(flags = '', withModel = true) {
  const { exitCode, stdout, stderr } = await by.run(`assistants test --json ${flags}`, withModel ? { env: env() } : {})
  return { exitCode, stderr, ...JSON.parse(stdout || '[{}]')[0] }
}

/** Changes the prompt of the assistant for the duration of some work. */
async function withPrompt(from: string, to: string, work: () => Promise<void>): Promise<void> {
  const text = readFileSync(prompt, 'utf8')
  writeFileSync(prompt, text.replace(from, to))
  try {
    await work()
  } finally {
    writeFileSync(prompt, text)
  }
}

describe('recorded responses of a language model', () => {
  test('the first run asks the model and records its responses, and later runs need none', async () => {
    rmSync(cassette, { force: true })
    expect(await run()).toMatchObject({ exitCode: 0, verdict: 'passed', model: 'live' })
    expect(model.requests).toHaveLength(3) // Two for the reply, one for the variables.
    expect(model.requests[0]?.authorization).toBe(`Bearer ${key}`)
    expect(model.requests[0]?.body.model).toBe('scripted')
    expect(readFileSync(cassette, 'utf8')).not.toContain(key)
    for (const withModel of [true, false])
      expect(await run('', withModel)).toMatchObject({ exitCode: 0, verdict: 'passed', model: 'recorded' })
    expect(model.requests).toHaveLength(3)
  })

  test('a prompt that changed makes it stale, with the difference, and --record renews it', async () => {
    await run('--record')
    await withPrompt('Be brief and kind', 'Be long and rude', async () => {
      const stale = await run('', false)
      expect(stale).toMatchObject({ exitCode: 20, verdict: 'stale', findings: [] })
      expect(stale.reason).toContain('The instructions changed since the recording:')
      expect(stale.reason).toContain('Be brief and kind')
      expect(stale.reason).toContain('Be long and rude')
      expect(stale.stderr).toContain('Record stale scenarios again: add --record.')
      expect(await run('--record')).toMatchObject({ exitCode: 0, verdict: 'passed', model: 'live' })
      expect(await run('', false)).toMatchObject({ verdict: 'passed', model: 'recorded' })
    })
  })

  test('a tool or a message that changed makes it stale too', async () => {
    await run('--record')
    await withPrompt('  - quote_treatment\n', '', async () =>
      expect(await run('', false)).toMatchObject({ verdict: 'stale', reason: 'The tools of the assistant changed.' }),
    )
    writeScenario(by, 'quotes.yaml', scenario.replace('of a cleaning', 'of cleanings'))
    expect(await run('', false)).toMatchObject({
      verdict: 'stale',
      reason: expect.stringContaining('Message 2 (user)'),
    })
    writeScenario(by, 'quotes.yaml', scenario)
  })

  test('a prompt with which the model behaves differently fails, and is not stale', async () => {
    model.answer(({ body }) => [
      { say: body.messages[0].content.includes('Never quote') ? 'I cannot tell.' : '120 USD' },
    ])
    await withPrompt('Be brief and kind', 'Never quote prices', async () => {
      expect(await run('--live-model')).toMatchObject({
        exitCode: 20,
        verdict: 'failed',
        findings: [{ expectation: 'called' }, { expectation: 'contains', happened: 'I cannot tell.' }],
      })
    })
  })

  test('a model that answers differently now and then is flaky', async () => {
    let n = 0
    model.answer(({ body }) => {
      if (body.messages.at(-1).role === 'tool') return [{ say: '120 USD' }]
      if (body.response_format) return [{ say: '{}' }]
      n += 1
      return n === 2 ? [{ say: 'I do not know.' }] : calling('quote_treatment', { treatment: 'cleaning' })
    })
    const before = readFileSync(cassette, 'utf8')
    expect(await run('--live-model --repeat 3')).toMatchObject({
      exitCode: 20,
      verdict: 'flaky',
      runs: 3,
      failed_runs: 1,
    })
    expect(readFileSync(cassette, 'utf8')).toBe(before)
  })

  test('a model that hangs, refuses or is away fails the scenario, and nothing is recorded', async () => {
    rmSync(cassette, { force: true })
    model.answer(() => ['silence'])
    const hanging = await by.run('assistants test --json', { env: { ...env(), PARLEY_MODEL_TIMEOUT: '0.2' } })
    expect(hanging.exitCode).toBe(20)
    expect(JSON.parse(hanging.stdout)[0].findings[0].happened).toBe('The language model did not answer within 0.2 s.')
    model.answer(() => ({ status: 401, body: `{"error":"no ${key}"}` }))
    expect(await run()).toMatchObject({
      verdict: 'failed',
      findings: [{ happened: 'The language model answered 401.' }],
    })
    const wrong = await by.run('assistants test', { env: { ...env(), PARLEY_MODEL_URL: 'notaurl' } })
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('PARLEY_MODEL_URL') })
    const away = { ...env(), PARLEY_MODEL_URL: 'http://127.0.0.1:1/v1' }
    const unreachable = await by.run('assistants test --json', { env: away })
    expect(JSON.parse(unreachable.stdout)[0].findings[0].happened).toBe(
      'The language model at 127.0.0.1:1 could not be used: fetch failed: bad port.',
    )
    expect(existsSync(cassette)).toBe(false)
  })

  test('a secret in a message is not recorded, and later runs need no model', async () => {
    const token = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789'
    writeScenario(
      by,
      'quotes.yaml',
      `name: Quotes\nassistant: Front desk\nturns: [Hello, My key is ${token}, Thanks]\n`,
    )
    model.answer(() => [{ say: `Your key is ${token}.` }])
    expect(await run()).toMatchObject({ exitCode: 0, model: 'live' })
    expect(readFileSync(cassette, 'utf8')).not.toContain(token)
    expect(await run('', false)).toMatchObject({ exitCode: 0, verdict: 'passed', model: 'recorded' })
    writeScenario(by, 'quotes.yaml', scenario)
    rmSync(cassette)
  })

  test('scenarios with similar names have separate cassettes', async () => {
    const names = ['Quotes', 'Quotes!', `${'very '.repeat(20)}long`, `${'very '.repeat(20)}short`]
    const own = names.map((name, n) => `  - {name: "${name}", turns: [Hello ${n}]}`).join('\n')
    writeScenario(by, 'quotes.yaml', `assistant: Front desk\nscenarios:\n${own}\n`)
    model.answer(() => [{ say: 'Yes?' }])
    expect(await by.run('assistants test', { env: env() })).toMatchObject({ exitCode: 0 })
    expect(await by.run('assistants test')).toMatchObject({ exitCode: 0 })
    expect(existsSync(cassette)).toBe(true)
    rmSync(join(cassette, '..'), { recursive: true })
    writeScenario(by, 'quotes.yaml', scenario)
  })

  test('a cassette that cannot be read is refused', async () => {
    await run('--record')
    writeFileSync(cassette, '{"version": 9}')
    expect(await run('', false)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not a cassette: version'),
    })
    rmSync(cassette)
  })

  test('a customer and a judge may be played by the model, and are recorded', async () => {
    writeScenario(
      by,
      'quotes.yaml',
      'name: Quotes\nassistant: Front desk\ncustomer: {goal: Say hello, by: model}\nexpect: {judge: The assistant is kind, min_turns: 1}\n',
    )
    model.answer(({ body }) => {
      const [system] = body.messages
      if (system.content.startsWith('You judge')) return [{ say: 'fail\nIt is cold.' }]
      if (system.content.startsWith('You play')) return [{ say: body.messages.length > 2 ? '[done]' : 'Hi there' }]
      return [{ say: 'Yes?' }]
    })
    const failed = {
      verdict: 'failed',
      findings: [
        {
          turn: null,
          expectation: 'judge (by a model)',
          expected: 'The assistant is kind',
          happened: 'fail\nIt is cold.',
        },
      ],
      transcript: [{ customer: 'Hi there', assistant: 'Yes?' }],
    }
    expect(await run()).toMatchObject({ ...failed, model: 'live' })
    expect(await run('', false)).toMatchObject({ ...failed, model: 'recorded' })
    writeScenario(by, 'quotes.yaml', scenario)
    rmSync(cassette)
  })
})

describe('scenarios beside recorded ones', () => {
  const two = (fields = '') =>
    `${scenario
      .replace('name: Quotes\n', '')
      .replace('turns:', 'scenarios:\n  - name: Quotes\n    turns:')
      .replace(/\n {2}- say/, '\n      - say')
      .replace(
        /\n {4}expect: \{called/,
        '\n        expect: {called',
      )}  - name: Greets\n    turns: [Hello]\n    expect: {contains: Hello}\n${fields}`
  const verdicts = async (flags = '') => {
    const { stdout, stderr, exitCode } = await by.run(`assistants test --json ${flags}`)
    const results: { name: string; verdict: string; model: string; reason: string | null }[] = JSON.parse(stdout)
    return {
      exitCode,
      stderr,
      results: results.map((it) => [it.name, it.verdict, it.model]),
      reason: results.at(-1)?.reason,
    }
  }

  test('one without a recording is stale, unless it uses the local model', async () => {
    rmSync(cassette, { force: true })
    writeScenario(by, 'quotes.yaml', two())
    const recorded = await by.run('assistants test --scenario Quotes', { env: env() })
    expect(recorded).toMatchObject({ exitCode: 0 })
    expect(recorded.stderr).toContain(
      'Recorded the responses of the language model for 1 scenario in parley/tests/cassettes.',
    )
    const missing = await verdicts()
    expect(missing).toMatchObject({ exitCode: 20, reason: expect.stringContaining('This scenario has no recording') })
    expect(missing.results).toEqual([
      ['Quotes', 'passed', 'recorded'],
      ['Greets', 'stale', 'local'],
    ])
    writeScenario(by, 'quotes.yaml', two('    model: local\n'))
    expect(await verdicts()).toMatchObject({
      exitCode: 0,
      results: [
        ['Quotes', 'passed', 'recorded'],
        ['Greets', 'passed', 'local'],
      ],
    })
  })

  test('a recording that no scenario uses is named', async () => {
    writeScenario(by, 'quotes.yaml', scenario.replace('name: Quotes', 'name: Prices'))
    const { stderr } = await by.run('assistants test')
    expect(stderr).toContain(
      'Recordings without a scenario in parley/tests/cassettes, which can be deleted: quotes.json.',
    )
    writeScenario(by, 'quotes.yaml', scenario)
    rmSync(cassette)
  })

  test('latency is that of the recorded model, and is not checked with the local one', async () => {
    const timed = scenario.replace('contains: 120 USD', 'contains: 120 USD, max_latency_ms: 1')
    writeScenario(by, 'quotes.yaml', timed)
    await run('--record')
    const file = JSON.parse(readFileSync(cassette, 'utf8'))
    for (const ms of [0, 7]) {
      for (const entry of file.entries) entry.latency_ms = ms
      writeFileSync(cassette, JSON.stringify(file))
      expect(await run('', false)).toMatchObject(
        ms === 0 ? { verdict: 'passed', latency_ms: 0 } : { verdict: 'failed', latency_ms: 14 },
      )
    }
    rmSync(cassette)
    writeScenario(
      by,
      'quotes.yaml',
      'name: Quotes\nassistant: Front desk\nturns: [{say: Hello, expect: {max_latency_ms: 1}}]\n',
    )
    const local = await by.run('assistants test')
    expect(local).toMatchObject({ exitCode: 0 })
    expect(local.stderr).toContain('max_latency_ms of "Quotes"')
    writeScenario(by, 'quotes.yaml', scenario)
  })
})

describe('a judge', () => {
  test.each([
    ['pass\nKind.', 'pass'],
    ['**PASS** Kind.', 'pass'],
    ['Verdict: passed', 'pass'],
    ['<think>This may fail.</think>\npass', 'pass'],
    ['Fail: cold', 'fail'],
    ['The verdict is: fails', 'fail'],
    ['I think it does not pass', undefined],
    ['This should not pass', undefined],
    ['', undefined],
  ])('answers %j', (answer, verdict) => expect(readVerdict(answer)).toBe(verdict))

  const judged = 'name: Quotes\nassistant: Front desk\nturns: [Hello]\nexpect: {judge: Kind}\n'
  const isJudge = (body: { messages: { content: string }[] }) => body.messages[0]?.content.startsWith('You judge')

  test('without a verdict is a finding that says so', async () => {
    writeScenario(by, 'quotes.yaml', judged)
    model.answer(({ body }) => [{ say: isJudge(body) ? 'Perhaps.' : 'Yes?' }])
    expect(await run('--live-model')).toMatchObject({
      verdict: 'failed',
      findings: [{ happened: 'No verdict "pass" or "fail". The model wrote: Perhaps.' }],
    })
  })

  test('that the model refuses is a finding with the reason, without the key, and nothing is recorded', async () => {
    model.answer(({ body }) =>
      isJudge(body) ? { status: 400, body: `{"error":{"message":"No model for ${key}."}}` } : [{ say: 'Yes?' }],
    )
    const refused = await run()
    expect(refused).toMatchObject({ verdict: 'failed', findings: [{ expectation: 'judge (by a model)' }] })
    expect(refused.findings[0].happened).toMatch(/^The language model answered 400: No model for \*\*\*\.$/)
    expect(existsSync(cassette)).toBe(false)
  })

  test('is not asked about a conversation that failed', async () => {
    model.answer(() => ({ status: 401, body: '{}' }))
    const failed = await run()
    expect(failed.findings).toHaveLength(1)
    expect(model.requests.some(({ body }) => isJudge(body))).toBe(false)
    writeScenario(by, 'quotes.yaml', scenario)
  })

  test('and a customer by a model need one', async () => {
    writeScenario(by, 'quotes.yaml', 'name: Quotes\nassistant: Front desk\ncustomer: {goal: Hi, by: model}\n')
    expect(await run('', false)).toMatchObject({
      exitCode: 20,
      findings: [{ expectation: 'customer (by a model)', happened: expect.stringContaining('PARLEY_MODEL_URL') }],
    })
    writeScenario(by, 'quotes.yaml', scenario)
  })
})

test('Ctrl-C ends a run on temporary platforms with 130: no operation is left to check', async () => {
  const interrupt = new AbortController()
  model.answer(() => {
    interrupt.abort(130)
    return [{ say: 'Too late.' }]
  })
  expect(await by.run('assistants test --live-model', { env: env(), interrupt })).toMatchObject({
    exitCode: 130,
    stdout: '',
    stderr: expect.not.stringContaining('ops'),
  })
})
