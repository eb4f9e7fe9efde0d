import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { bin, parley } from '../e2e/support/built-program.ts'
import { modelFrom, modelPolicy } from './model.ts'
import { mappedGoals } from './printed-lines.ts'
import { median, type Result, runTasks } from './run-tasks.ts'
import { scripted } from './scripted-policy.ts'
import { type Task, tasks } from './tasks.ts'

describe('the scripted policy', () => {
  let results: readonly Result[]
  beforeAll(async () => {
    results = await runTasks(bin, tasks, scripted())
  })

  test('does 18 of 18 tasks, and claims none to be done that is not', () => {
    expect(results.filter(({ succeeded }) => !succeeded)).toEqual([])
    expect(results.filter(({ isFalseDone }) => isFalseDone)).toEqual([])
    expect(results).toHaveLength(18)
  })

  test('needs at most 7 calls and 6 000 tokens of 4 characters at the median', () => {
    expect(median(results.map(({ calls }) => calls))).toBeLessThanOrEqual(7)
    expect(median(results.map(({ characters }) => characters))).toBeLessThanOrEqual(6000 * 4)
  })

  test('has a task of promotion between two platforms, and at least four that rightly do not end as done', () => {
    expect(results.find(({ task }) => task === 'promote')?.outcome).toBe('waiting')
    expect(results.filter(({ outcome }) => outcome !== 'done').length).toBeGreaterThanOrEqual(4)
  })

  test('fails a task for each of ten commands that the texts lack', async () => {
    const commands = mappedGoals((await parley('commands', { env: { AI_AGENT: '1' } })).stdout)
      .map(({ lines }) => (lines[0] as string).replace(/ [<[].*/, ''))
      .sort((one, other) => other.length - one.length)
    /** The first command of each task, with a task that runs it. */
    const users = new Map<string, string>()
    for (const { task, used } of results)
      for (const line of used) users.set(commands.find((it) => `${line} `.startsWith(`${it} `)) ?? line, task)
    const every = [...users]
    const ten = every.filter(
      (_, n) => Math.floor((n * 10) / every.length) !== Math.floor(((n - 1) * 10) / every.length),
    )
    expect(ten).toHaveLength(10)
    for (const [command, user] of ten) {
      const [result] = await runTasks(bin, [tasks.find(({ name }) => name === user) as Task], scripted(command))
      expect(result, command).toMatchObject({ succeeded: false, isFalseDone: false })
    }
  })
})

describe('a model', () => {
  /** Serves chat completions with these answers, one after another. */
  async function modelThatSays(answers: readonly string[]) {
    const requests: { messages: { content: string }[] }[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      requests.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ message: { content: answers[requests.length - 1] } }] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    return { url, requests, close: () => server.close() }
  }
  const addLead = tasks.filter(({ name }) => name === 'add-lead')

  test('gets the skill, and runs commands until it says how the task ended', async () => {
    const run = 'parley leads create --campaign "Call back" --phone-number +14155550123 --json'
    const endpoint = await modelThatSays([JSON.stringify({ run }), '{"outcome":"done","answer":"Added."}'])
    const model = modelFrom({ PARLEY_MODEL_URL: endpoint.url, PARLEY_MODEL_NAME: 'small' })
    const results = await runTasks(bin, addLead, modelPolicy(model as NonNullable<typeof model>))
    endpoint.close()
    expect(results).toMatchObject([{ succeeded: true, isFalseDone: false, calls: 2 }])
    expect(endpoint.requests[0]?.messages[0]?.content).toContain('## Approvals')
    expect(endpoint.requests[1]?.messages.at(-1)?.content).toContain('"exitCode":0')
  })

  test('that claims what the platform does not show is reported', async () => {
    const endpoint = await modelThatSays(['{"outcome":"done","answer":"Added."}'])
    const results = await runTasks(bin, addLead, modelPolicy({ url: endpoint.url, key: '', name: 'small' }))
    endpoint.close()
    expect(results).toMatchObject([{ succeeded: false, isFalseDone: true }])
  })

  test('is skipped without an endpoint', () => {
    expect(modelFrom({})).toBeUndefined()
  })
})
