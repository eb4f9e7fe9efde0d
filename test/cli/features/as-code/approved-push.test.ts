import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook } from '../../../support/flow-definitions.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'
import { tool, write, writes } from './code-folder.ts'

// A coding agent pushes a folder: a person approves what every file sends, and no other value is sent.

const agent = { CLAUDECODE: '1' }
/** Returns the file of an automation as a pull writes it, so that it is equal to what the platform returns. */
const automation = (name: string, result: string): string => {
  const { sourceCode } = code(`'${result}'`).settings
  const step = { name: 'step_1', displayName: 'Compute', type: 'CODE', settings: { input: {}, sourceCode } }
  const trigger = { name: 'trigger', displayName: 'trigger', type: hook.type, settings: hook.settings }
  return JSON.stringify({ name, enabled: true, flow: { trigger, steps: [step] } })
}

/** Returns an operator whose platform requires approvals of coding agents, with a folder that has new files. */
async function withFolder(files: Readonly<Record<string, string>>): Promise<Operator> {
  const by = operator()
  expect((await by.run('pull')).exitCode).toBe(0)
  expect((await by.run('profile set local --approvals agents')).exitCode).toBe(0)
  for (const [file, content] of Object.entries(files)) write(by, file, content)
  return by
}

/** Asks for a push and approves it. Returns the id of the operation. */
async function approved(by: Operator, options: RunOptions = {}, line = 'push --yes'): Promise<string> {
  const asked = await by.run(line, { ...options, env: { ...agent, ...options.env } })
  expect(asked.exitCode, asked.stderr).toBe(10)
  expect(writes(asked.requests)).toEqual([])
  const id = JSON.parse(asked.stderr.trim().split('\n').at(-1) as string).error.operation
  const decided = await by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
  expect(decided.exitCode, decided.stderr).toBe(0)
  return id
}

const run = (by: Operator, id: string, options: RunOptions = {}): Promise<Run> =>
  by.run(`ops run ${id}`, { ...options, env: { ...agent, ...options.env } })
const names = async (by: Operator): Promise<string[]> =>
  (await by.json('automate list')).map((it: { name: string }) => it.name)
const stateOf = async (by: Operator, id: string): Promise<string> => (await by.json(`ops get ${id}`)).state

/** The signal arrives with the answer to the first creation at a path. */
function stoppedAfter(path: string): RunOptions {
  const interrupt = new AbortController()
  return {
    interrupt,
    async through(handle, request) {
      const answer = await handle(request)
      if (request.method === 'POST' && request.url.includes(path)) interrupt.abort(143)
      return answer
    },
  }
}

const two = {
  'tools/extra.yaml': tool('extra'),
  'automations/first.yaml': automation('First', 'one'),
  'automations/second.yaml': automation('Second', 'two'),
}

describe('an approved push', () => {
  test('sends what was approved, once', async () => {
    const by = await withFolder(two)
    const id = await approved(by)
    const done = await run(by, id)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(await names(by)).toEqual(expect.arrayContaining(['First', 'Second']))
    const again = await run(by, id)
    expect([again.exitCode, writes(again.requests)]).toEqual([5, []])
  })

  test.each([
    ['an automation', 'automations/second.yaml', automation('Second', 'other')],
    ['a file that needs no approval', 'tools/extra.yaml', tool('other')],
    ['another new file', 'automations/third.yaml', automation('Third', 'three')],
  ])('sends nothing after %s was edited', async (_, file, content) => {
    const by = await withFolder(two)
    const id = await approved(by)
    write(by, file, content)
    const changed = await run(by, id)
    expect([changed.exitCode, writes(changed.requests)], changed.stderr).toEqual([5, []])
    expect(await stateOf(by, id)).toBe('changed')
    expect(await names(by)).not.toContain('First')
  })

  test('sends nothing when a variable that a file refers to has another value', async () => {
    const secret = (name: string) =>
      `${tool(name)}\nheaders:\n  - { name: Authorization, value: "Bearer \${CRM_TOKEN}" }\n`
    const by = await withFolder({ ...two, 'tools/extra.yaml': secret('extra') })
    const id = await approved(by, { env: { CRM_TOKEN: 'first-token' } })
    expect(JSON.stringify(await by.json(`ops get ${id}`))).not.toContain('first-token')
    const changed = await run(by, id, { env: { CRM_TOKEN: 'second-token' } })
    expect([changed.exitCode, writes(changed.requests)], changed.stderr).toEqual([5, []])
    const other = await approved(by, { env: { CRM_TOKEN: 'first-token' } })
    const done = await run(by, other, { env: { CRM_TOKEN: 'first-token' } })
    expect(done.exitCode, done.stderr).toBe(0)
  })

  test('sends nothing when a name in a file is that of another resource now', async () => {
    const by = await withFolder({})
    const [{ id: assistant, name }, { id: other }] = await by.json('assistants list')
    const event = {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@platform/piece-platform', triggerName: 'newConversation', input: { assistant: name } },
    }
    write(by, 'automations/event.yaml', JSON.stringify({ name: 'Event', flow: { trigger: event, steps: [code('1')] } }))
    const id = await approved(by, {}, 'push --only automations --yes')
    expect((await by.run(`assistants update ${assistant} --name "Formerly"`)).exitCode).toBe(0)
    expect((await by.run(['assistants', 'update', String(other), '--name', name])).exitCode).toBe(0)
    const changed = await run(by, id)
    expect([changed.exitCode, writes(changed.requests)], changed.stderr).toEqual([5, []])
  })

  test('that was interrupted after its first automation continues with the rest that was approved', async () => {
    const by = await withFolder(two)
    const id = await approved(by)
    const stopped = await run(by, id, stoppedAfter('/automate/'))
    expect(stopped.exitCode, stopped.stderr).toBe(143)
    expect(await names(by)).not.toContain('Second')
    expect(await stateOf(by, id)).toBe('interrupted')
    const rest = await run(by, id)
    expect(rest.exitCode, rest.stderr).toBe(0)
    expect(await stateOf(by, id)).toBe('done')
    const after = await names(by)
    expect(after.filter((it) => it === 'First' || it === 'Second').sort()).toEqual(['First', 'Second'])
  })

  test('that was interrupted sends nothing of the rest after it was edited', async () => {
    const by = await withFolder(two)
    const id = await approved(by)
    const stopped = await run(by, id, stoppedAfter('/automate/'))
    expect(stopped.exitCode, stopped.stderr).toBe(143)
    expect(await names(by)).not.toContain('Second')
    write(by, 'automations/second.yaml', automation('Second', 'other'))
    const changed = await run(by, id)
    expect([changed.exitCode, writes(changed.requests)], changed.stderr).toEqual([5, []])
    expect(await names(by)).not.toContain('Second')
  })

  // Tools need no approval, so that nothing is recorded of them.
  test('whose first file was written before it was stopped continues with the others', async () => {
    const by = await withFolder(two)
    const id = await approved(by)
    const stopped = await run(by, id, stoppedAfter('/tools'))
    expect(stopped.exitCode, stopped.stderr).toBe(143)
    const rest = await run(by, id)
    expect(rest.exitCode, rest.stderr).toBe(0)
    expect(writes(rest.requests).some((it) => it.includes('/tools'))).toBe(false)
    expect(await names(by)).toEqual(expect.arrayContaining(['First', 'Second']))
  })
})

describe('a push to what is live', () => {
  /** Changes one line of a file that was pulled. */
  const edit = (by: Operator, file: string, from: RegExp, to: string): void => {
    const path = join(by.cwd, 'parley', file)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(from)
    writeFileSync(path, text.replace(from, to))
  }

  test('waits, and is sent once after it was approved', async () => {
    const by = await withFolder({})
    edit(by, 'assistants/front-desk.yaml', /max_duration: \d+/, 'max_duration: 300')
    edit(by, 'tools/lookup-patient.yaml', /timeout: \d+/, 'timeout: 19')
    const id = await approved(by)
    const { steps } = await by.json(`ops get ${id}`)
    expect(steps.content).toMatchObject([
      { file: 'tools/lookup-patient.yaml', live: expect.stringContaining('is used by the assistant "Front desk" (1)') },
      { file: 'assistants/front-desk.yaml', live: 'The assistant "Front desk" (1) is active.' },
    ])
    const done = await run(by, id)
    expect([done.exitCode, writes(done.requests)], done.stderr).toEqual([
      0,
      ['PUT /api/user/tools/1', 'PUT /api/user/assistant/1'],
    ])
    expect((await run(by, id)).exitCode).toBe(5)
  })

  test('sends nothing when it is no longer live', async () => {
    const by = await withFolder({})
    edit(by, 'assistants/front-desk.yaml', /max_duration: \d+/, 'max_duration: 300')
    const id = await approved(by)
    expect((await by.run('assistants deactivate 1')).exitCode).toBe(0)
    expect((await by.run('messaging assign 1 --assistant-id 2')).exitCode).toBe(0)
    const changed = await run(by, id)
    expect([changed.exitCode, writes(changed.requests)], changed.stderr).toEqual([5, []])
    expect(await stateOf(by, id)).toBe('changed')
  })

  test('needs no approval for a draft', async () => {
    const by = await withFolder({ 'tools/extra.yaml': tool('extra') })
    const created = await by.run('push --yes', { env: agent })
    expect(created.exitCode, created.stderr).toBe(0)
    edit(by, 'tools/extra.yaml', /timeout: \d+|description: .*/, 'description: Other')
    const pushed = await by.run('push --yes', { env: agent })
    expect(pushed.exitCode, pushed.stderr).toBe(0)
  })
})
