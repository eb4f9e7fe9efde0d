import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook } from '../../../support/flow-definitions.ts'
import { type Operator, operator, type Run } from '../../../support/operator.ts'
import { change, pulled, writes } from '../../features/as-code/code-folder.ts'

// What a person agreed to is compared again before it is carried out: a second operator works while a question is open.

/** Answers a question after a second operator has made changes. */
const meanwhile =
  <T extends boolean | string>(by: Operator, line: string | readonly string[], answer: T) =>
  async (): Promise<T> => {
    expect(await by.run(line)).toMatchObject({ exitCode: 0 })
    return answer
  }

const deletions = ({ requests }: Run): string[] => requests.filter((it) => it.startsWith('DELETE'))

describe('a deletion', () => {
  test.each([
    ['tools delete 1', 'tools update 1 --description "New text"', 'lookup_patient', 'description: '],
    ['folders delete 1', 'folders update 1 --name Reception', true, 'name: "Front desk" -> "Reception"'],
    ['labels delete 1', 'labels update 1 --name Other', true, 'name: '],
    ['leads delete 1', 'leads update 1 --phone-number +14155550199', true, 'phone_number: '],
    ['knowledge delete 1', 'knowledge update 1 --name Facts', 'Facts', 'name: '],
    ['campaigns delete 2', 'campaigns update 2 --name Later', true, 'name: '],
  ])('%s shows what was changed during the question, and asks again', async (line, edit, answer, shown) => {
    const by = operator()
    const first = typeof answer === 'string' && !edit.includes('--name') ? answer : undefined
    const { asked: known } = await by.run(line, { answers: [['', typeof answer === 'string' ? 'no' : false]] })
    const name = /Type (.*) to confirm:/.exec(known[0] ?? '')?.[1]
    const run = await by.run(line, {
      answers: [
        ['Delete', meanwhile(by, edit, name === undefined ? true : (first ?? name))],
        ['Delete', name === undefined ? true : answer],
      ],
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('while the question was open') })
    expect(run.stderr).toContain(shown)
    expect(deletions(run)).toHaveLength(1)
  })

  test('that nothing changed is asked about once', async () => {
    const by = operator()
    const run = await by.run('folders delete 1', { answers: [['Delete', true]] })
    expect(run).toMatchObject({ exitCode: 0, asked: [expect.stringContaining('Delete folder')] })
    expect(deletions(run)).toHaveLength(1)
  })

  test('is not sent if the answer to the second question is no', async () => {
    const by = operator()
    const run = await by.run('folders delete 1', {
      answers: [
        ['Delete', meanwhile(by, 'folders update 1 --name Reception', true)],
        ['"Reception"', false],
      ],
    })
    expect(run.exitCode).toBe(10)
    expect(deletions(run)).toEqual([])
  })

  test('of a tool that came into use during the question requires its name', async () => {
    const by = operator()
    await by.run('tools create --name spare --description x --endpoint https://x.example --method GET')
    const run = await by.run('tools delete spare', {
      answers: [
        ['Delete tool "spare"', meanwhile(by, 'assistants update 1 --add-tool spare', true)],
        ['It is in use. Type spare', 'no'],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('can no longer use it') })
    expect(deletions(run)).toEqual([])
  })

  test('of an assistant that was changed during the question is asked about again', async () => {
    const by = operator()
    const values = '--language-id 1 --timezone Europe/London --initial-message Hello --system-prompt Help.'
    const models = '--mode pipeline --llm-model-id 2 --voice-id 1'
    expect(await by.run(`assistants create --name Spare --type inbound ${values} ${models}`)).toMatchObject({
      exitCode: 0,
    })
    const run = await by.run('assistants delete Spare', {
      answers: [
        ['Delete the assistant "Spare"', meanwhile(by, 'assistants update Spare --max-duration 300', true)],
        ['Delete the assistant "Spare"', true],
      ],
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('max_duration: ') })
  })

  test('ends with the exit code of the platform if it cannot be read after the question', async () => {
    const by = operator()
    let isAnswered = false
    const run = await by.run('folders delete 1', {
      answers: [
        [
          'Delete',
          async () => {
            isAnswered = true
            return true
          },
        ],
      ],
      through: (handle, request) =>
        isAnswered && request.method === 'GET'
          ? Promise.resolve({ status: 503, headers: {}, body: '{"message":"Down."}' })
          : handle(request),
    })
    expect(run.exitCode).toBe(8)
    expect(deletions(run)).toEqual([])
  })
})

describe('an automation', () => {
  const flow = (text: string): string =>
    JSON.stringify({ name: 'Greeting', flow: { trigger: hook, steps: [code(text)] } })

  async function published(): Promise<Operator> {
    const by = operator()
    expect(await by.run('automate create --file -', { stdin: flow('1') })).toMatchObject({ exitCode: 0 })
    expect(await by.run('automate update Greeting --file -', { stdin: flow('2') })).toMatchObject({ exitCode: 0 })
    return by
  }
  const update = (by: Operator, text: string) => async (): Promise<string> => {
    expect(await by.run('automate update Greeting --file -', { stdin: flow(text) })).toMatchObject({ exitCode: 0 })
    return 'Greeting'
  }

  test('that was published during the question of a restore is shown and asked about again', async () => {
    const by = await published()
    const run = await by.run('automate restore Greeting', {
      answers: [
        ['Restore version 1', update(by, '3')],
        ['Restore version 2', 'no'],
      ],
    })
    expect(run).toMatchObject({
      exitCode: 10,
      stderr: expect.stringMatching(/Another version of "Greeting" was published[\s\S]*replaced by version 2/),
    })
    expect(writes(run.requests)).toEqual([])
  })

  test('is restored as agreed if nothing changed', async () => {
    const by = await published()
    const run = await by.run('automate restore Greeting', { answers: [['Restore version 1', 'Greeting']] })
    expect(run).toMatchObject({ exitCode: 0 })
    expect(writes(run.requests)).toHaveLength(1)
  })

  test('that was published during the question of its undo is shown and asked about again', async () => {
    const by = await published()
    const [latest] = await by.json<{ entry: number }[]>('history list --noun automate')
    const run = await by.run(`history undo ${latest?.entry}`, {
      answers: [
        ['Restore version 1', update(by, '3')],
        ['Restore version 1', 'no'],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('Another version of "Greeting"') })
    expect(writes(run.requests)).toEqual([])
  })

  test('that runs during the question of its deletion is asked about again, and its losses are named', async () => {
    const by = await published()
    const refused = await by.run('automate delete Greeting')
    expect(refused).toMatchObject({
      exitCode: 10,
      stderr: expect.stringMatching(
        /URL \S*\/automate\/api\/v1\/webhooks\/\w+ stops working\. Its 2 versions and 0 live runs are deleted\. It has never run\./,
      ),
    })
    const run = await by.run('automate delete Greeting', {
      answers: [
        ['Delete automation "Greeting"', () => update(by, '3')().then(() => true)],
        ['3 versions', true],
      ],
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('definition: ') })
  })
})

describe('a push', () => {
  const file = 'tools/book-appointment.yaml'

  test('whose drift changes again during the question shows the new value and asks again', async () => {
    const by = await pulled()
    await by.run('tools update 2 --tool-timeout 25')
    const run = await by.run('push', {
      answers: [
        ['Overwrite', meanwhile(by, 'tools update 2 --tool-timeout 28', true)],
        ['Overwrite', false],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(`${file}: timeout: 25 -> 28`) })
    expect(writes(run.requests)).toEqual([])
    expect((await by.json('tools get 2')).timeout).toBe(28)
  })

  test('that meets a conflict after the question sends nothing', async () => {
    const by = await pulled()
    await by.run('tools update 2 --tool-timeout 25')
    change(by, 'tools/quote-treatment.yaml', /timeout: \d+/, 'timeout: 7')
    const run = await by.run('push', {
      answers: [['Overwrite', meanwhile(by, 'tools update 3 --tool-timeout 9', true)]],
    })
    expect(run).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('tools/quote-treatment.yaml (timeout)') })
    expect(writes(run.requests)).toEqual([])
  })

  test('compares each resource again right before its own write', async () => {
    const by = await pulled()
    await by.run('tools update 2 --tool-timeout 25')
    change(by, 'tools/quote-treatment.yaml', /timeout: \d+/, 'timeout: 7')
    let isChanged = false
    const run = await by.run('push', {
      answers: [['Overwrite', true]],
      async through(handle, request) {
        // The other tool is changed after the first one was written.
        if (request.method !== 'GET' && !isChanged) {
          isChanged = true
          const answer = await handle(request)
          expect(await by.run('tools update 3 --tool-timeout 9')).toMatchObject({ exitCode: 0 })
          return answer
        }
        return handle(request)
      },
    })
    expect(run.exitCode).toBe(5)
    expect(run.stdout).toMatch(/book-appointment\.yaml\s+updated/)
    expect(run.stdout).toMatch(/quote-treatment\.yaml\s+\S*conflict/)
    expect((await by.json('tools get 3')).timeout).toBe(9)
  })

  test('with an unchanged plan sends it once', async () => {
    const by = await pulled()
    await by.run('tools update 2 --tool-timeout 25')
    const run = await by.run('push', { answers: [['Overwrite', true]] })
    expect(run.exitCode).toBe(0)
    expect(writes(run.requests)).toHaveLength(1)
  })
})

test.each([
  ['restore', 'Restore the platform'],
  ['delete', 'Delete snapshot "before-tests", saved '],
])('a snapshot that is saved again during the question is asked about again: %s', async (verb, question) => {
  const by = operator({ clock: 'real' })
  await by.run('server snapshot save before-tests')
  const run = await by.run(`server snapshot ${verb} before-tests`, {
    answers: [
      [question, meanwhile(by, 'server snapshot save before-tests --replace', true)],
      [question, false],
    ],
  })
  expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('was saved again') })
})

test('a backup that is written again during the question is asked about again', async () => {
  const by = operator()
  expect(await by.run('server backup it.backup')).toMatchObject({ exitCode: 0 })
  const run = await by.run('server restore it.backup', {
    answers: [
      [
        'Type data',
        async () => {
          utimesSync(join(by.cwd, 'it.backup'), 1, 1)
          return 'data'
        },
      ],
      ['Type data', 'no'],
    ],
  })
  expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('it.backup: modified: ') })
})

describe('replacing all data of a platform', () => {
  const lines = {
    reset: ['server reset', 'Delete all data'],
    'snapshot restore': ['server snapshot restore before', 'from snapshot "before"'],
    restore: ['server restore before.backup', 'Replace all data'],
  } as const

  async function ready(
    verb: keyof typeof lines,
  ): Promise<{ by: Operator; line: string; question: string; yes: boolean | string }> {
    // These commands open the platform with other settings than those of the colleague.
    const by = operator({ reopens: true })
    if (verb === 'snapshot restore') await by.run('server snapshot save before')
    if (verb === 'restore') await by.run('server backup before.backup')
    const [line, question] = lines[verb]
    return { by, line, question, yes: verb === 'restore' ? 'data' : true }
  }

  test.each(Object.keys(lines) as (keyof typeof lines)[])('%s says how much is lost, and asks once', async (verb) => {
    const { by, line, question, yes } = await ready(verb)
    const run = await by.run(line, { answers: [[question, yes]] })
    expect(run.exitCode, run.stderr).toBe(0)
    expect(run.asked).toEqual([
      expect.stringMatching(/\(1 account, 3 keys, .*4 tools, .*2 assistants.*; newest record: 2026-\d\d-\d\d/),
    ])
  })

  test.each(Object.keys(lines) as (keyof typeof lines)[])(
    '%s asks again after a colleague added a tool',
    async (verb) => {
      const { by, line, question, yes } = await ready(verb)
      const theirs =
        'tools create --name late --description "A late tool." --endpoint https://x.example --method GET --tool-timeout 5'
      const run = await by.run(line, {
        answers: [
          [question, meanwhile(by, theirs, yes)],
          ['5 tools', verb === 'restore' ? 'no' : false],
        ],
      })
      expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('tools: 4 -> 5') })
      expect(await by.json('tools list')).toHaveLength(5)
    },
  )

  test('reads nothing with --yes', async () => {
    const { by } = await ready('reset')
    const run = await by.run('server reset --yes', { terminal: true })
    expect(run.requests.filter((it) => it.includes('export'))).toEqual([])
  })
})
