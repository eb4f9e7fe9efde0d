import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../src/node/json.ts'
import { caseCount } from '../../support/case-count.ts'
import { code, hook, respond } from '../../support/flow-definitions.ts'
import { type Operator, operator } from '../../support/operator.ts'

const large = '{"ext":12345678901234567890,"below":-9007199254740993,"list":[{"deep":7615917337495251231}],"small":7}'

/** Creates a lead with variables as JSON text and returns its id. */
async function createLead(by: Operator, variables: string, phone = '+14155550142'): Promise<number> {
  const made = await by.run(['leads', 'create', '--campaign', '1', '--data', leadText(phone, variables), '--json'])
  expect(made).toMatchObject({ exitCode: 0 })
  return parseJson(made.stdout).data?.id ?? parseJson(made.stdout).id
}

const leadText = (phone: string, variables: string): string => `{"phone_number":"${phone}","variables":${variables}}`

/** Returns the variables of a lead that a command prints as JSON, as text. */
const variablesIn = (stdout: string): string => stringifyJson(parseJson(stdout).variables)

describe('a large integer in the variables of a lead', () => {
  test('is stored and shown with all digits, in every format', async () => {
    const by = operator()
    const id = await createLead(by, large)
    expect(variablesIn((await by.run(`leads get ${id} -o json`)).stdout)).toBe(large)
    expect(variablesIn((await by.run(`leads get ${id} -o ndjson`)).stdout)).toBe(large)
    for (const line of [
      `leads get ${id}`,
      `leads get ${id} -o yaml`,
      `leads get ${id} -o csv`,
      `leads get ${id} -o tsv`,
      `leads list --campaign 1 --fields id,variables -o csv`,
      `leads get ${id} --jq .variables`,
      `leads get ${id} --jq .variables.ext`,
    ]) {
      const { exitCode, stdout } = await by.run(line)
      expect({ line, exitCode, stdout }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('12345678901234567890'),
      })
    }
    expect(await by.json('leads list --filter variables.ext=12345678901234567890')).toHaveLength(1)
    expect(await by.json('leads list --filter variables.ext=12345678901234567891')).toHaveLength(0)
  })

  test('stops no command for this lead or another', async () => {
    const by = operator()
    const other = await createLead(by, '{"v":"text"}', '+14155550143')
    const id = await createLead(by, large)
    for (const line of [
      'leads list',
      'leads list --campaign 1 -o csv',
      `leads get ${other}`,
      `leads update ${id} --phone-number +14155550144`,
      `leads delete ${other} --yes`,
      `leads delete ${id} --yes`,
      'history list',
    ])
      expect({ line, ...(await by.run(line)) }).toMatchObject({ line, exitCode: 0 })
  })

  test('survives a file, in JSON, YAML and NDJSON, and an update with it', async () => {
    const by = operator()
    const id = await createLead(by, large)
    for (const [name, format] of [
      ['lead.json', 'json'],
      ['lead.yaml', 'yaml'],
    ]) {
      const { stdout } = await by.run(`leads get ${id} -o ${format}`)
      writeFileSync(join(by.cwd, name as string), stdout)
      expect(await by.run(`leads update ${id} --file ${name}`)).toMatchObject({ exitCode: 0 })
      expect(variablesIn((await by.run(`leads get ${id} -o json`)).stdout)).toBe(large)
    }
    const rows = `${leadText('+14155550145', large)}\n`
    expect(await by.run('leads import --campaign 1 --file - --format ndjson --yes', { stdin: rows })).toMatchObject({
      exitCode: 0,
    })
    const listed = await by.run('leads list --phone-number +14155550145 --json')
    expect(stringifyJson(parseJson(listed.stdout)[0].variables)).toBe(large)
  })

  test('is set with --set-json and deleted, and the deletion is undone with all digits', async () => {
    const by = operator()
    const id = await createLead(by, '{"v":1}')
    expect(await by.run(`leads update ${id} --set-json variables.v=9007199254740993`)).toMatchObject({ exitCode: 0 })
    expect(variablesIn((await by.run(`leads get ${id} -o json`)).stdout)).toBe('{"v":9007199254740993}')
    await by.run(`leads delete ${id} --yes`)
    const [deleted] = await by.json('history list')
    expect(await by.run(`history undo ${deleted.entry} --yes`)).toMatchObject({ exitCode: 0 })
    const listed = await by.run('leads list --phone-number +14155550142 --json')
    expect(stringifyJson(parseJson(listed.stdout)[0].variables)).toBe('{"v":9007199254740993}')
  })

  test('survives an export of the platform and its import', async () => {
    const by = operator()
    await createLead(by, large)
    for (const file of ['data.yaml', 'data.json']) {
      expect(await by.run(`server export --file ${file} --include-secrets`)).toMatchObject({ exitCode: 0 })
      expect(await by.run(`server reset --file ${file} --yes`)).toMatchObject({ exitCode: 0 })
      const listed = await by.run('leads list --phone-number +14155550142 --json')
      expect(stringifyJson(parseJson(listed.stdout)[0].variables)).toBe(large)
    }
  })

  test('is the same in any document', async () => {
    const by = operator({ lasts: 'test' })
    const scalar = fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.integer(),
      fc.string({ maxLength: 8 }),
      fc.boolean(),
      fc.bigInt({ min: 10n ** 16n, max: 10n ** 17n }).map(String),
    )
    const variables = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/),
      fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.record({ deep: scalar })),
      { maxKeys: 4, minKeys: 1, noNullPrototype: true },
    )
    let phone = 14155551000
    await fc.assert(
      fc.asyncProperty(variables, async (given) => {
        const text = stringifyJson(given)
        const id = await createLead(by, text, `+${++phone}`)
        for (const format of ['json', 'yaml']) {
          writeFileSync(join(by.cwd, `lead.${format}`), (await by.run(`leads get ${id} -o ${format}`)).stdout)
          expect(await by.run(`leads update ${id} --file lead.${format}`)).toMatchObject({ exitCode: 0 })
          expect(parseJson((await by.run(`leads get ${id} -o json`)).stdout).variables).toEqual(parseJson(text))
        }
      }),
      { numRuns: caseCount(60, 6) },
    )
  })
})

test('a large integer that is not an id is refused before anything is sent, and an id is sent with all its digits', async () => {
  const by = operator()
  expect(await by.run('tools update 2 --set-json timeout=9007199254740993')).toMatchObject({
    exitCode: 2,
    requests: [],
    stderr: expect.stringMatching(/integer|2\^53|between/),
  })
  const lead = `leads create --data '{"campaign_id":9007199254740993,"phone_number":"+14155550142"}'`
  expect(await by.run(lead)).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('campaign id field must be an integer'),
  })
  expect(await by.run('tools get 9007199254740993')).toMatchObject({
    exitCode: 4,
    requests: expect.arrayContaining(['GET /api/user/tools/9007199254740993']),
  })
})

test('a large integer where the specification says integer is refused by the server with its field', async () => {
  const ran = await operator().run('api leads.create --data \'{"campaign_id":1,"phone_number":"+14155550142"}\'', {
    through: (handle, request) =>
      handle({
        ...request,
        ...(request.body && { body: request.body.replace('"campaign_id":1', '"campaign_id":9007199254740993') }),
      }),
  })
  expect(ran).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('campaign_id: The campaign id field must be an integer.'),
  })
})

describe('a large integer in a run', () => {
  const definition = {
    trigger: hook,
    steps: [
      code('({ same: inputs.b, text: String(inputs.b.id), json: JSON.stringify(inputs.b), more: inputs.b.id + 1n })', {
        b: '{{trigger.body}}',
      }),
      respond({
        whole: '{{trigger.body.id}}',
        text: 'id {{trigger.body.id}}',
        code: '{{step_1}}',
        expression: '{{String(trigger.body.id) + "!"}}',
      }),
    ],
  }
  const payload = '{"id":7615917337495251231,"list":[9007199254740993,1]}'

  test('has all its digits in the payload, expressions, code and the response', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify(definition))
    const made = await by.run(['automate', 'create', '--name', 'Big', '--file', 'flow.json', '--sample', payload])
    expect(made).toMatchObject({ exitCode: 0 })
    const id = /Id: (\w+)/.exec(made.stdout)?.[1] ?? ''
    const { body, run } = await call(by, id, payload)
    expect(body).toBe(
      '{"whole":7615917337495251231,"text":"id 7615917337495251231",' +
        `"code":{"same":${payload},"text":"7615917337495251231","json":${JSON.stringify(payload)},"more":7615917337495251232},` +
        '"expression":"7615917337495251231!"}',
    )
    for (const line of [
      `runs get ${run}`,
      `runs get ${run} --full -o json`,
      `runs get ${run} -o yaml`,
      `runs list Big`,
    ])
      expect({ line, ...(await by.run(`automate ${line}`)) }).toMatchObject({
        line,
        exitCode: 0,
        ...(line.startsWith('runs get') && { stdout: expect.stringContaining('7615917337495251231') }),
      })
    const full = parseJson((await by.run(`automate runs get ${run} --full -o json`)).stdout)
    expect(stringifyJson(full.trigger.body)).toBe(payload)
    expect(await by.run(`automate runs save ${run} --as-test tests/big.yaml`)).toMatchObject({ exitCode: 0 })
    expect(await by.run('automate test tests')).toMatchObject({ exitCode: 0 })
  })
})

/** Calls the webhook of an automation with a JSON text. */
async function call(by: Operator, automation: string, text: string): Promise<{ body: string; run: string }> {
  const found = { body: '', run: '' }
  await by.run('automate list', {
    through: async (handle, request) => {
      const { headers, body } = await handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${automation}/sync`,
        headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
        body: text,
      })
      Object.assign(found, { body, run: headers['x-webhook-id'] })
      return handle(request)
    },
  })
  return found
}

test('a large integer in a definition survives pull and push, and is what the step gets', async () => {
  const by = operator()
  const step = code('inputs', { id: '@' })
  const flow = JSON.stringify({ trigger: hook, steps: [step, respond('{{step_1}}')] }).replace(
    '"@"',
    '9007199254740993',
  )
  writeFileSync(join(by.cwd, 'flow.json'), flow)
  const made = await by.run('automate create --name Big --file flow.json --sample {}')
  expect(made).toMatchObject({ exitCode: 0 })
  const id = /Id: (\w+)/.exec(made.stdout)?.[1] ?? ''
  expect((await call(by, id, '{}')).body).toBe('{"id":9007199254740993}')
  await by.run('pull')
  expect(readFileSync(join(by.cwd, 'parley/automations/big.yaml'), 'utf8')).toContain('9007199254740993')
  expect(await by.run('diff --check')).toMatchObject({ exitCode: 0 })
  expect((await by.run('push --yes')).requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  expect((await by.run(`automate get ${id} -o json`)).stdout).toContain('9007199254740993')
})
