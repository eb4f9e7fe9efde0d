import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import { type Receiver, receiver } from '../../../support/servers/http-receiver.ts'

let server: Receiver
beforeAll(async () => {
  server = await receiver()
})
beforeEach(() => server.answer(() => ({ body: { name: 'Ada' } })))
afterAll(() => server.close())

const schema = `--schema '[{name: phone, type: string, description: Number of the patient, required: true}, {name: days, type: number, description: Days to look ahead}]'`
const secret = `--headers '[{name: Authorization, value: Bearer abcdef123456}]'`

/** An operator with a tool that calls the receiver. */
async function practice(more = '--method GET'): Promise<Operator> {
  const by = operator()
  await by.json(
    `tools create --name find --description "Find a patient" --endpoint ${server.url}/patients/{phone}?clinic={{clinic}} ${schema} ${secret} ${more}`,
  )
  return by
}
const input = `--input phone=+14155550142 --input '{"days": "3"}'`

describe('tools test', () => {
  test('sends the request that an assistant would send, and prints the result for the assistant', async () => {
    const by = await practice()
    const run = await by.run(`tools test find ${input} --var clinic=north`)
    expect(run.exitCode).toBe(0)
    expect(server.got).toMatchObject([
      {
        method: 'GET',
        url: '/patients/%2B14155550142?clinic=north&days=3',
        headers: { authorization: 'Bearer abcdef123456' },
      },
    ])
    expect(run.stdout).toContain(`GET ${server.url}/patients/%2B14155550142?clinic=north&days=3`)
    expect(run.stdout).toMatch(/^Status 200 after \d+ ms$/m)
    expect(run.stdout).toContain('The assistant receives: {"name":"Ada"}')
    expect(run.stdout).not.toContain('abcdef123456')
    expect((await by.run(`tools test find ${input} --unmask`)).stdout).toContain('Bearer abcdef123456')
  })

  test('masks a credential that the response repeats', async () => {
    const by = await practice()
    server.answer(({ headers }) => ({ body: { echo: headers.authorization, token: 'abcdef123456', name: 'Ada' } }))
    for (const form of ['', ' --json']) {
      const run = await by.run(`tools test find ${input}${form}`)
      expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Ada') })
      expect(run.stdout).not.toContain('abcdef123456')
    }
    expect(await by.json(`tools test find ${input} --unmask`)).toMatchObject({ result: { token: 'abcdef123456' } })
  })

  test('prints one record for programs', async () => {
    const by = await practice()
    expect(await by.json(`tools test find ${input}`)).toMatchObject({
      tool: { name: 'find' },
      request: { method: 'GET', body: null, timeout_ms: 10_000 },
      response: { status: 200, body: '{"name":"Ada"}' },
      result: { name: 'Ada' },
      error: null,
    })
  })

  test('requires confirmation for methods that can change data, and sends nothing without it', async () => {
    const by = await practice('--method POST')
    expect(await by.run(`tools test find ${input}`)).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('Sending POST to 127.0.0.1'),
    })
    expect(server.got).toEqual([])
    expect((await by.run(`tools test find ${input} --yes`)).exitCode).toBe(0)
    expect(JSON.parse(server.got[0]?.body ?? '')).toEqual({ days: 3 })
  })

  test('takes --input beside the global flag --no-input', async () => {
    const by = await practice()
    for (const line of [`--no-input tools test find ${input}`, `tools test find ${input} --no-input`])
      expect((await by.run(line)).exitCode).toBe(0)
    expect((await by.run('tools test find --no-input')).stderr).toContain('The parameter phone is required.')
  })

  test('with --dry-run only shows the request', async () => {
    const by = await practice('--method POST')
    const run = await by.run(`tools test find ${input} --dry-run`)
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('{"days":3}') })
    expect(run.stderr).toContain('Dry run. Nothing was sent.')
    expect(server.got).toEqual([])
  })

  test('exits with 20 when the assistant receives an error', async () => {
    const by = await practice()
    server.answer(() => ({ status: 404, body: { message: 'No patient' } }))
    const refused = await by.run(`tools test find ${input} --json`)
    expect(refused.exitCode).toBe(20)
    expect(JSON.parse(refused.stdout)).toMatchObject({
      response: { status: 404 },
      result: { error: 'The server returned status 404.', answer: { message: 'No patient' } },
    })
    const missing = await by.run('tools test find')
    expect(missing).toMatchObject({ exitCode: 20, stderr: expect.stringContaining('The parameter phone is required.') })
    server.answer(() => 'drop')
    expect(await by.run(`tools test find ${input}`)).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('The assistant receives: {"error":'),
    })
  })

  test.each([
    ['tools test find --input 3', 2, 'Invalid --input "3". Use name=value'],
    ['tools test find --input @nofile.json', 2, 'Could not read nofile.json: no such file'],
    [`tools test find --input '{"phnoe": 1}'`, 2, 'The tool has no parameter "phnoe".'],
    ['tools test Nobody', 4, 'No tool "Nobody" found.'],
    ['tools test find --var clinic', 2, 'Use name=value.'],
  ])('%s is refused before anything is sent', async (line, exitCode, message) => {
    const by = await practice()
    expect(await by.run(line)).toMatchObject({ exitCode, stderr: expect.stringContaining(message) })
    expect(server.got).toEqual([])
  })

  test('never contacts the metadata service of a cloud', async () => {
    const by = operator()
    await by.json('tools create --name steal --description Steal --endpoint http://169.254.169.254/ --method GET')
    expect(await by.run('tools test steal')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No platform sends requests to 169.254.169.254.'),
    })
  })
})

describe('tools test, whose tool a colleague changes while the question is open', () => {
  const line = `tools test find ${input} --var clinic=north`

  test('shows the change, and sends the current request only after another yes', async () => {
    const by = await practice('--method POST')
    server.got.length = 0
    const changed = async () => {
      expect(await by.run(['tools', 'update', 'find', '--method', 'DELETE'])).toMatchObject({ exitCode: 0 })
      return true
    }
    const refused = await by.run(line, {
      answers: [
        ['This sends POST', changed],
        ['This sends DELETE', false],
      ],
    })
    expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringMatching(/method: .*POST.* -> .*DELETE/) })
    expect(server.got).toEqual([])
    const agreed = await by.run(line, { answers: [['This sends DELETE', true]] })
    expect(agreed.exitCode, agreed.stderr).toBe(0)
    expect(server.got).toMatchObject([{ method: 'DELETE' }])
  })

  test('names a changed credential without showing it', async () => {
    const by = await practice('--method POST')
    const changed = async () => {
      await by.run(['tools', 'update', 'find', '--header', 'Authorization: Bearer their-secret-value'])
      return true
    }
    const refused = await by.run(line, {
      answers: [
        ['This sends POST', changed],
        ['This sends POST', false],
      ],
    })
    expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('Authorization') })
    expect(refused.stderr).not.toMatch(/their-secret|abcdef123456/)
  })
})
