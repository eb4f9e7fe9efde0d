import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { hook, http } from '../../../support/flow-definitions.ts'
import { sampleProject } from './project.ts'

const scenario = (expected: string, name = 'Greets'): string =>
  `scenarios:\n  - name: ${name}\n    assistant: Recall\n    turns: [{ say: Hello }]\n    expect: { ${expected} }\n`

test('a voice and a model that the local platform lacks are named once, and in the JSON and JUnit reports', async () => {
  const by = await sampleProject({ 'a.yaml': scenario(''), 'b.yaml': scenario('contains: [nonsense]', 'Fails') })
  const file = join(by.cwd, 'parley/assistants/front-desk.yaml')
  const text = readFileSync(file, 'utf8').replace(/^(voice_id|transcriber_provider_id): .*\n/gm, '')
  writeFileSync(file, `${text}voice_id: 98765\ntranscriber_provider_id: 4711\n`)
  const ran = await by.run('assistants test --junit junit.xml')
  expect(ran.exitCode, ran.stderr).toBe(20)
  const sentences = [
    'assistant "Front desk": voice_id 98765 is replaced by Amelia: The selected voice id is invalid',
    'assistant "Front desk": transcriber_provider_id 4711 is omitted: The selected transcriber provider id is invalid',
  ]
  for (const sentence of sentences) expect(ran.stderr.split(sentence), ran.stderr).toHaveLength(2)
  expect(readFileSync(join(by.cwd, 'junit.xml'), 'utf8')).toMatch(
    /<system-out>Not as in the files: .*voice_id 98765 is replaced by Amelia/,
  )
  const [first] = JSON.parse((await by.run('assistants test --json')).stdout)
  expect(first.replaced).toEqual(sentences)
})

test('nothing is said where the local platform has everything', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  const ran = await by.run('assistants test')
  expect(ran).toMatchObject({ exitCode: 0 })
  expect(ran.stderr).not.toContain('does not have everything')
})

test('automations that need connections are omitted with their tools, by name', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  const mail = {
    ...http('GET', 'https://x.example'),
    settings: {
      pieceName: '@engine/piece-gmail',
      actionName: 'send_email',
      input: { auth: "{{connections['office']}}", receiver: ['ada@example.com'], subject: 'Hi', body: 'Hi' },
    },
  }
  writeFileSync(
    join(by.cwd, 'parley/automations/mail.yaml'),
    stringify({ name: 'Mail', enabled: true, flow: { trigger: hook, steps: [mail] } }),
  )
  const ran = await by.run('assistants test')
  expect(ran).toMatchObject({ exitCode: 0 })
  expect(ran.stderr).toContain('automation "Mail" is omitted: ')
  expect(ran.stderr).not.toContain('automation "Opening hours" is omitted')
})

test('an automation whose file is invalid is reported, and the scenarios run without it', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  const nope = {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-nope', triggerName: 'x' },
  }
  writeFileSync(
    join(by.cwd, 'parley/automations/broken.yaml'),
    stringify({ name: 'Broken', enabled: true, flow: { trigger: nope, steps: [] } }),
  )
  const ran = await by.run('assistants test')
  expect(ran).toMatchObject({ exitCode: 20, stdout: expect.stringContaining('1 passed.') })
  expect(ran.stderr).toContain('The scenarios ran without these automations, which are invalid:')
  expect(ran.stderr).toMatch(/parley\/automations\/broken\.yaml: (?:.|\n)*piece-nope/)
})

test('a multimodal assistant with a voice and a model of its deployment is tested too', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  const file = join(by.cwd, 'parley/assistants/recall.yaml')
  const text = readFileSync(file, 'utf8').replace(/^(voice_id|multimodal_model_id): .*\n/gm, '')
  writeFileSync(file, `${text}voice_id: 98765\nmultimodal_model_id: 4711\n`)
  const ran = await by.run('assistants test')
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 passed.') })
  expect(ran.stderr).toContain('multimodal_model_id 4711 is replaced by Realtime')
})

test('a field that the platform refuses is reported with its file', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  writeFileSync(
    join(by.cwd, 'parley/tools/broken.yaml'),
    'name: bad name\ndescription: Broken\nendpoint: https://x.example\nmethod: GET\n',
  )
  expect(await by.run('assistants test')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('parley/tools/broken.yaml: name: The name must start with a letter'),
  })
})

test('a script of the local model that is invalid is refused with its name and the reason', async () => {
  const by = await sampleProject({ 'a.yaml': scenario('') })
  writeFileSync(join(by.cwd, 'intents.yaml'), 'intents: [{ when: Hello }]\n')
  expect(await by.run('assistants test --model-script intents.yaml')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /Model script \S*intents\.yaml: invalid value at intents\.0: one of say, call and fail/,
    ),
  })
})
