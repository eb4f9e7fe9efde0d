import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  createDefinitionSchema,
  describePieces,
  exampleNode,
  inputSchemaOf,
} from '../../../src/engine/pieces/describe-pieces.ts'
import { definitionExamples } from '../../../src/generate/definition-examples.ts'
import { type Operator, operator } from '../../support/operator.ts'

const all = describePieces()

/** Returns the findings of lint, whether there are any or not. */
const lint = async (by: Operator, file: string): Promise<readonly { level: string; message: string }[]> =>
  JSON.parse((await by.run(`automate lint --file ${file} --json`)).stdout)

/** Saves a definition in a folder and returns its path. */
function save(folder: string, text: string): string {
  writeFileSync(join(folder, 'flow.json'), text)
  return 'flow.json'
}

const webhook = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}

test('every field of every action and trigger has a meaning, of one short sentence without a period', () => {
  const fields = all.flatMap((it) => it.fields.map(({ name, meaning }) => ({ field: `${it.key} ${name}`, meaning })))
  expect(fields.length).toBeGreaterThan(200)
  for (const { field, meaning } of fields) {
    expect(meaning, field).toMatch(/^\S.*[^.\s]$/)
    expect(meaning?.length, field).toBeLessThanOrEqual(100)
  }
})

test('the schema of an action that store, mail, spreadsheet and calendar steps use says what each field means', async () => {
  const by = operator()
  for (const key of ['store.put', 'mail.send_email', 'spreadsheet.insert_row', 'calendar-a.create_booking']) {
    const { properties } = JSON.parse((await by.run(`schema automation ${key}`)).stdout)
    for (const [name, property] of Object.entries(properties))
      expect((property as { description?: string }).description, `${key} ${name}`).toMatch(/\w/)
  }
})

describe('the example of', () => {
  const by = operator({ lasts: 'file' })

  test.each(all.filter((it) => it.kind === 'action').map((it) => [it.key, it] as const))(
    '%s is accepted, and runs where it sends nothing',
    async (_, example) => {
      const file = save(by.cwd, JSON.stringify({ trigger: webhook, steps: [exampleNode(example)] }))
      const findings = await lint(by, file)
      expect(findings.filter(({ level }) => level === 'error')).toEqual([])
      const run = await by.run([
        'automate',
        'test',
        '--file',
        file,
        '--sample',
        '{"name": "Ada", "reminder": "2026-08-05 09:00"}',
        '--json',
      ])
      expect(run.exitCode, run.stderr).toBe(0)
      const [step] = JSON.parse(run.stdout).steps
      const isSent = example.effect !== undefined || example.connection !== undefined
      expect(step.status).toMatch(isSent ? /^(NOT_RUN|SUCCEEDED|MOCKED)$/ : /^(SUCCEEDED|NOT_RUN|PAUSED)$/)
    },
  )

  test.each(all.filter((it) => it.kind === 'trigger').map((it) => [it.key, it] as const))(
    'the trigger %s is accepted',
    async (_, example) => {
      const step = {
        type: 'CODE',
        settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
      }
      const file = save(by.cwd, JSON.stringify({ trigger: exampleNode(example), steps: [step] }))
      const findings = await lint(by, file)
      expect(findings.filter(({ level }) => level === 'error')).toEqual([])
    },
  )
})

describe('the definition of the page', () => {
  const by = operator({ lasts: 'file' })

  test.each(definitionExamples.map((it) => [it.title, it] as const))(
    '%s runs as described, without a warning',
    async (_, example) => {
      const file = save(by.cwd, JSON.stringify(example.definition))
      expect(await by.json(`automate lint --file ${file}`)).toEqual([])
      const mocks = Object.entries(example.mocks ?? {}).flatMap(([name, output]) => [
        '--mock',
        `${name}=${JSON.stringify(output)}`,
      ])
      const run = await by.run([
        'automate',
        'test',
        '--file',
        file,
        '--sample',
        JSON.stringify(example.sample),
        ...mocks,
        '--json',
      ])
      expect(run.exitCode, run.stderr).toBe(0)
      const statuses = Object.fromEntries(
        JSON.parse(run.stdout).steps.map((step: { path: string; status: string }) => [step.path, step.status]),
      )
      expect(statuses).toMatchObject(example.statuses)
    },
  )
})

describe('parley schema automation', () => {
  const by = operator({ lasts: 'file' })

  test('is the schema of a definition, with the input of each action', async () => {
    const schema = JSON.parse((await by.run('schema automation')).stdout)
    expect(schema).toEqual(JSON.parse(JSON.stringify(createDefinitionSchema())))
    expect(schema.$defs.AutomationNode.allOf).toHaveLength(all.length)
  })

  test.each(['http.send_request', 'HTTP send_request', '@engine/piece-http send_request', 'send_request'])(
    'takes %s',
    async (name) => {
      const { exitCode, stdout } = await by.run(['schema', 'automation', ...name.split(' ')])
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ title: 'Send an HTTP request', required: ['method', 'url'] })
    },
  )

  test('refuses an unknown action, with the nearest one', async () => {
    const { exitCode, stderr } = await by.run('schema automation htp.send_request')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Did you mean "http.send_request"?')
  })

  test.each(all.map((it) => [it.key, it] as const))('the schema of %s accepts its example', (_, example) => {
    const schema = inputSchemaOf(example)
    for (const name of schema.required as string[]) expect(Object.keys(example.example)).toContain(name)
    for (const [name, value] of Object.entries(example.example)) {
      const field = example.fields.find((one) => one.name === name)
      if (!field) continue
      const given = String(value)
      if (field.values) expect(field.values).toContain(given)
      if (typeof value === 'number' && field.max !== undefined) expect(value).toBeLessThanOrEqual(field.max)
    }
    expect(z.json().safeParse(schema).success).toBe(true)
  })
})

test('every field that a response accepts is documented with its meaning', () => {
  const responses = all.filter((it) => it.name === 'return_response')
  expect(responses).toHaveLength(3)
  for (const { fields } of responses) {
    expect(fields.map((it) => it.name)).toEqual(
      expect.arrayContaining(['responseType', 'fields', 'status', 'headers', 'body', 'body_type', 'respond']),
    )
    expect(fields.filter((it) => it.meaning === undefined)).toEqual([])
  }
})

test('help pieces lists every action and trigger', async () => {
  const { stdout } = await operator().run('help pieces')
  for (const example of all) expect(stdout).toContain(example.key)
})

describe('automate templates --definition', () => {
  const by = operator({ lasts: 'file' })

  test('prints each template as a definition that lint and create accept', async () => {
    for (const { key } of await by.json('automate templates')) {
      const run = await by.run(`automate templates ${key} --definition`)
      expect(run.exitCode, `${key}: ${run.stderr}`).toBe(0)
      const file = save(by.cwd, run.stdout)
      const findings = await lint(by, file)
      expect(
        findings.filter(({ level }) => level === 'error'),
        key,
      ).toEqual([])
    }
  })

  test('takes values of parameters, and names those that are examples', async () => {
    const run = await by.run('automate templates lead-intake-webhook --definition --param campaign_id=3')
    expect(run.stdout).toContain('"campaign": 3')
    expect(run.stderr).not.toContain('campaign_id')
    expect((await by.run('automate templates lead-intake-webhook --definition')).stderr).toContain('campaign_id=')
    expect((await by.run('automate templates --definition')).exitCode).toBe(2)
    expect((await by.run('automate templates lead-intake-webhook --definition --param nope=1')).exitCode).toBe(2)
  })
})
