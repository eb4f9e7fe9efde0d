import { describe, expect, test } from 'vitest'
import { liveChanges } from '../../../../src/contract/access/live-changes.ts'
import { controlEndpoints } from '../../../../src/contract/control/index.ts'
import type { Endpoint } from '../../../../src/contract/endpoint/endpoint.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

// Of the sample data, both assistants are active. The first one has the tools 1 to 3 and the knowledge base 1, the second one
// the tool 4. The campaign 1 is paused and has the first assistant; lead 7 is in the campaign 2, a draft.

const agent = { CLAUDECODE: '1' }

/** Returns an operator whose local platform requires approvals of coding agents, with an inactive assistant. */
async function guarded(): Promise<Operator & { readonly draft: number }> {
  const by = operator()
  const { id: _, name: __, tool_ids: ___, phone_number_id: ____, ...fields } = await by.json('assistants get 2')
  const made = await by.run(['assistants', 'create', '--file', '-', '--name', 'Draft', '-o', 'id'], {
    stdin: JSON.stringify(fields),
  })
  expect(made.exitCode, made.stderr).toBe(0)
  expect((await by.run('profile set local --approvals agents')).exitCode).toBe(0)
  return Object.assign(by, { draft: Number(made.stdout) })
}

const writes = ({ requests }: Run): string[] => requests.filter((it) => !it.startsWith('GET'))
const asAgent = (by: Operator, line: string, options: RunOptions = {}): Promise<Run> =>
  by.run(line, { ...options, env: agent })

/** Asks for approval as a coding agent, and returns the id of the operation that waits, and what the person reads. */
async function asked(by: Operator, line: string, options?: RunOptions): Promise<{ id: string; message: string }> {
  const run = await asAgent(by, line, options)
  expect([run.exitCode, writes(run)], `${line}\n${run.stderr}`).toEqual([10, []])
  const { code, operation, message } = JSON.parse(run.stderr.trim().split('\n').at(-1) as string).error
  expect(code, message).toBe('approval_pending')
  return { id: operation, message }
}

const approve = async (by: Operator, id: string): Promise<void> => {
  const run = await by.run(`ops approve ${id}`, { answers: [['Approve this?', true]] })
  expect(run.exitCode, run.stderr).toBe(0)
}

test('every write has a decision, and nothing else', () => {
  const all: readonly Endpoint[] = [...endpoints, ...controlEndpoints]
  const undecided = all.filter((it) => it.risk === 'write' && !it.byPerson && !Object.hasOwn(liveChanges, it.name))
  expect(undecided.map((it) => it.name)).toEqual([])
  const others = Object.keys(liveChanges).filter((name) => all.find((it) => it.name === name)?.risk !== 'write')
  expect(others).toEqual([])
})

describe('what is live', () => {
  test.each([
    ['assistants update 1 --max-duration 300', 'The assistant "Front desk" (1) is active.'],
    ['assistants update 1 --max-duration 300 --yes', 'is active'],
    ['api assistants.update --data \'{"id":1,"max_duration":300}\'', 'is active'],
    ['assistants enable-webhook 1 --event post-call --webhook-url https://crm.example/hook', 'is active'],
    ['assistants activate DRAFT', 'Activate'],
    ['assistants deactivate 1', 'deactivate'],
    [
      'tools update 1 --tool-timeout 20',
      'The tool "lookup_patient" (1) is used by the assistant "Front desk" (1), which is live.',
    ],
    ['knowledge update 1 --name Handbook', 'is used by the assistant "Front desk" (1)'],
    ['messaging assign 1 --assistant-id 2', 'assistant'],
  ])('%s waits, and runs once after it was approved', async (line, sentence) => {
    const by = await guarded()
    const { id, message } = await asked(by, line.replace('DRAFT', String(by.draft)))
    expect(message).toContain(sentence)
    expect((await asAgent(by, `ops run ${id}`)).exitCode).toBe(10)
    await approve(by, id)
    const run = await asAgent(by, `ops run ${id}`)
    expect([run.exitCode, writes(run).length], run.stderr).toEqual([0, 1])
    const second = await asAgent(by, `ops run ${id}`)
    expect([second.exitCode, writes(second)]).toEqual([5, []])
  })

  test('also an inactive assistant that a running campaign uses, with its tools, and the leads of the campaign', async () => {
    const by = await guarded()
    expect((await by.run('campaigns start 1 --yes')).exitCode).toBe(0)
    expect((await by.run('assistants deactivate 1')).exitCode).toBe(0)
    const [{ id: lead }] = await by.json('leads list --campaign 1')
    for (const line of [
      'assistants update 1 --max-duration 300',
      'tools update 1 --tool-timeout 20',
      'leads create --campaign 1 --phone-number +14155550199',
      `leads update ${lead} --var name=Ann`,
      'leads update 7 --campaign 1',
    ])
      await asked(by, line)
  })

  test('is what cannot be read, and an id in an unusual form', async () => {
    const by = await guarded()
    const { message } = await asked(by, 'tools update 1 --tool-timeout 20', {
      through: async (handle, request) =>
        request.url.includes('/assistants/get')
          ? { status: 403, headers: {}, body: '{"message":"This key is restricted."}' }
          : handle(request),
    })
    expect(message).toContain('Whether it is live is not known: assistants could not be read.')
    const unusual = await asked(by, `api assistants.update --data '{"id":"01","max_duration":300}'`)
    expect(unusual.message).toContain('Whether it is live is not known: "01" is not an id.')
  })
})

describe('what is not live', () => {
  test('is changed at once', async () => {
    const by = await guarded()
    for (const line of [
      `assistants update ${by.draft} --max-duration 300`,
      `api assistants.update --data '{"id":${by.draft},"max_duration":240}'`,
      `assistants enable-webhook ${by.draft} --event post-call --webhook-url https://crm.example/hook`,
      'tools create --name spare --endpoint https://crm.example/spare --method GET --description Spare',
      'tools update spare --tool-timeout 20',
      'knowledge create --name Spare',
      'leads create --campaign 2 --phone-number +14155550199',
      'leads update 7 --var name=Ann',
      'numbers update 1 --nickname Desk',
    ]) {
      const run = await asAgent(by, line)
      expect(run.exitCode, `${line}\n${run.stderr}`).toBe(0)
    }
  })

  test('a resource that does not exist is not found', async () => {
    const by = await guarded()
    expect((await asAgent(by, 'assistants update 99 --max-duration 300')).exitCode).toBe(4)
    expect((await asAgent(by, 'api assistants.update --data \'{"id":99}\'')).exitCode).toBe(4)
  })

  test('nothing of the local platform is, unless its profile asks for approvals', async () => {
    const run = await asAgent(operator(), 'assistants update 1 --max-duration 300')
    expect(run.exitCode, run.stderr).toBe(0)
  })
})

describe('an approved change', () => {
  test.each([
    ['deactivated', 'assistants update 1 --max-duration 300', 'assistants deactivate 1'],
    ['renamed', 'assistants update 1 --max-duration 300', 'assistants update 1 --name Desk'],
    [
      'replaced by another user of it',
      'tools update 4 --tool-timeout 20',
      'assistants update 2 --set-json tool_ids=[]',
    ],
  ])('is not sent after its target was %s', async (_, line, change) => {
    const by = await guarded()
    const { id } = await asked(by, line)
    await approve(by, id)
    expect((await by.run(change)).exitCode).toBe(0)
    const run = await asAgent(by, `ops run ${id}`)
    expect([run.exitCode, writes(run)], run.stderr).toEqual([5, []])
    expect((await by.json(`ops get ${id}`)).state).toBe('changed')
  })

  test('of a draft that a person has activated since waits', async () => {
    const by = await guarded()
    const line = `assistants update ${by.draft} --max-duration 300`
    expect((await asAgent(by, line)).exitCode).toBe(0)
    expect((await by.run(`assistants activate ${by.draft}`)).exitCode).toBe(0)
    await asked(by, line.replace('300', '240'))
  })

  test('is undone in the same way', async () => {
    const by = await guarded()
    expect((await by.run('assistants update 1 --max-duration 300')).exitCode).toBe(0)
    const { id } = await asked(by, 'history undo 1 --yes')
    await approve(by, id)
    const run = await asAgent(by, `ops run ${id}`)
    expect(run.exitCode, run.stderr).toBe(0)
    expect(await by.json('assistants get 1')).toMatchObject({ max_duration: 600 })
  })
})

test('a file of leads for a running campaign is one operation', async () => {
  const by = await guarded()
  const rows = 'phone,name\n+14155550111,Anna\n+14155550112,Ben\n'
  const free = await asAgent(by, 'leads import --campaign 2 --file - --yes', { stdin: rows })
  expect(free.exitCode, free.stderr).toBe(0)
  expect((await by.run('campaigns start 1 --yes')).exitCode).toBe(0)
  const { id, message } = await asked(by, 'leads import --campaign 1 --file - --yes', { stdin: rows })
  expect(message).toContain('is in-progress')
  await approve(by, id)
  const run = await asAgent(by, `ops run ${id}`)
  expect([run.exitCode, writes(run)], run.stderr).toEqual([0, ['POST /api/user/lead', 'POST /api/user/lead']])
})
