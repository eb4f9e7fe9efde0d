import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hangMs } from '../support/hang-timeout.ts'
import { modelServer } from '../support/servers/model-server.ts'
import { newPlace, parley, start } from './support/built-program.ts'

const count = 24
/** Requests that are in flight to the model at a time. */
const askers = 4

/** Starts a platform with calls. */
async function startPlatform(): Promise<string> {
  const call = (id: number) => ({
    id,
    type: 'inbound',
    status: 'completed',
    duration: 30,
    transcript: `Customer: Question ${id}, please\nAI: The answer to question ${id}`,
    variables: {},
    evaluation: null,
    created_at: '2026-08-04T12:00:00.000000Z',
    updated_at: '2026-08-04T12:00:00.000000Z',
  })
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const [, id] = /^\/api\/user\/calls\/(\d+)/.exec(request.url ?? '') ?? []
    if (id !== undefined) return void response.end(JSON.stringify(call(Number(id))))
    if (!request.url?.startsWith('/api/user/calls')) return void response.end('{"api_keys":[]}')
    const data = Array.from({ length: count }, (_, n) => call(count - n))
    response.end(JSON.stringify({ current_page: 1, per_page: 100, total: count, last_page: 1, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('kill -9 of "calls judge" loses no result, and what was judged is not asked again', async () => {
  const url = await startPlatform()
  const model = await modelServer()
  onTestFinished(() => model.close())
  const textOf = (body: { messages: readonly { content: string }[] }): string => body.messages.at(-1)?.content ?? ''
  const numberOf = (text: string): string => /Question (\d+)/.exec(text)?.[1] ?? ''
  const asked: string[] = []
  /** Answers until a run is killed. The model withholds the others until then. */
  let answers = 0
  let killed: Promise<unknown> = Promise.resolve()
  model.answer(({ body }) => {
    const id = numberOf(textOf(body))
    asked.push(id)
    const quotes = [{ message: 2, text: `The answer to question ${id}` }]
    const scores = [{ id: 'answered', score: 5, reason: 'It did.', quotes }]
    return [...(answers-- > 0 ? [] : [{ until: killed }]), { say: JSON.stringify({ scores }) }]
  })
  const at = newPlace()
  writeFileSync(
    join(at.dir, 'rubric.yaml'),
    'version: 1\nname: Calls\ncriteria:\n  - {id: answered, question: Was it answered?}\n',
  )
  const env = { PARLEY_API_KEY: '1|x', PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'scripted' }
  const line = `calls judge --rubric rubric.yaml --sample 20 --yes --json --base-url ${url}`
  const saved = (): number => {
    const folder = join(at.data, 'judgements')
    const file = existsSync(folder) && readdirSync(folder).find((it) => it.endsWith('.ndjson'))
    return file ? readFileSync(join(folder, file), 'utf8').split('"kind":"verdict"').length - 1 : 0
  }
  const goals = [1, 8, 14]
  for (const goal of goals) {
    answers = goal - saved()
    const judging = start(line, { at, env })
    killed = judging.ended
    for (const late = Date.now() + hangMs; saved() < goal && Date.now() < late; ) await sleep(2)
    judging.kill('SIGKILL')
    await judging.ended
    expect(saved()).toBeGreaterThanOrEqual(goal)
  }
  const before = saved()
  const last = await parley(line, { at, env })
  expect(last.exitCode, last.stderr).toBe(0)
  expect(last.stderr).toContain(`Judged before, and not asked again: ${before}.`)
  const items = JSON.parse(last.stdout)
  expect(items).toHaveLength(20)
  expect(items.every((it: { result: string }) => it.result === 'passed')).toBe(true)
  // Every run continues the same sample, and asks again only what was in flight.
  expect(new Set(asked)).toEqual(new Set(items.map((it: { id: string }) => it.id)))
  expect(asked.length).toBeLessThanOrEqual(20 + goals.length * askers)
})

test('a failed conversation becomes a scenario that fails until the assistant does better', async () => {
  const at = newPlace()
  writeFileSync(
    join(at.dir, 'rubric.yaml'),
    'version: 1\nname: Chats\ncriteria:\n  - {id: person, when: [complaint], check: {offers_human: true}}\n',
  )
  writeFileSync(join(at.dir, 'intents.yaml'), 'intents:\n  - {when: complaint, say: A colleague calls you back.}\n')
  expect(await parley('pull', { at })).toMatchObject({ exitCode: 0 })
  const { stdout } = await parley('conversations start --assistant Recall --type test -o id', { at })
  await parley(`conversations send ${stdout.trim()} --message complaint`, { at })
  const line = 'conversations judge --rubric rubric.yaml --limit 1 --to-test parley/tests'
  expect((await parley(line, { at })).stderr).toContain('1 failed.')
  const same = await parley('assistants test', { at })
  expect(same).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('offers_human') })
  expect(await parley('assistants test --model-script intents.yaml', { at })).toMatchObject({ exitCode: 0 })
})
