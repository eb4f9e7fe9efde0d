import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

/** A deployment that accepts a field and does not save it, without saying so. */
const dropping = (field: string): RunOptions => ({
  through: async (handle, request) => {
    if (request.method === 'GET' || !request.body) return handle(request)
    const { [field]: _, ...rest } = JSON.parse(String(request.body))
    return handle({ ...request, body: JSON.stringify(rest) })
  },
})
const tool = 'tools create --name crm --description CRM --endpoint https://crm.example --method GET --tool-timeout 7'
const assistant =
  'assistants create --name A --type inbound --mode pipeline --llm-model-id 2 --language-id 1 --voice-id 1 --timezone Europe/London --initial-message Hello --system-prompt Hi --max-duration 90'

describe('a field that the platform accepted and did not save', () => {
  test.each([
    ['tools update 1 --tool-timeout 7', 'timeout'],
    ['assistants update 1 --max-duration 90', 'max_duration'],
    ['assistants update 1 --data "{max_duration: 90}"', 'max_duration'],
    ['campaigns update 2 --max-retries 4', 'max_retries'],
    ['numbers update 1 --nickname Desk', 'nickname'],
  ])('ends %s with exit code 20, and is named', async (line, field) => {
    const by = operator()
    const shown = await by.run(`${line} --json`, dropping(field))
    expect(shown, shown.stderr).toMatchObject({ exitCode: 20 })
    expect(JSON.parse(shown.stdout).ignored).toEqual([field])
    const printed = await by.run(line, dropping(field))
    expect(printed).toMatchObject({
      exitCode: 20,
      stderr: expect.stringContaining(`differs from what was sent: ${field} is `),
    })
    expect(printed.stdout).not.toContain('successfully')
  })

  test.each([
    [tool, 'timeout', 'tools list'],
    [assistant, 'max_duration', 'assistants list'],
  ])('ends %s with exit code 20, the id, and the advice not to repeat it', async (line, field, list) => {
    const by: Operator = operator()
    const run = await by.run(`${line} -o id`, dropping(field))
    expect(run, run.stderr).toMatchObject({ exitCode: 20, stdout: expect.stringMatching(/^\d+\n$/) })
    expect(run.stderr).toMatch(/was created, but differs from what was sent: .* Do not repeat the command\./)
    expect((await by.json(list)).map((it: { id: number }) => it.id)).toContain(Number(run.stdout))
    const again = await by.run(`${line.replace('--name crm', '--name crm2')} --json`, dropping(field))
    expect(JSON.parse(again.stdout)).toMatchObject({ id: expect.any(Number), ignored: [field] })
  })

  test('that the platform names itself is an outcome of a raw request as well', async () => {
    const raw = await operator().run(`api assistants.update --data '{"id": 2, "fillers": true}'`)
    expect(raw).toMatchObject({ exitCode: 20, stderr: expect.stringContaining('fillers is null, sent true') })
  })

  test('is not one that it saved', async () => {
    const run = await operator().run('assistants update 1 --max-duration 90 --json')
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining('ignored') })
  })
})
