import { describe, expect, test } from 'vitest'
import { readOnlyFields } from '../../../../src/contract/endpoint/read-only-fields.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const updates = (await allCommands()).flatMap(([words, command]) =>
  command.endpoint?.method === 'PUT' &&
  command.endpoint.body &&
  !command.allowedFields &&
  command.endpoint.auth !== 'control'
    ? [...readOnlyFields(command.endpoint)].map((field) => [words, field] as const)
    : [],
)
const by = operator({ lasts: 'file' })

describe('a field that the platform sets', () => {
  test.each(updates)('is refused when it is set: %s --set %s=x', async (words, field) => {
    for (const flag of [`--set ${field}=x`, `--set-json ${field}=1`, `--unset ${field}`, `--set ${field}.0.x=1`]) {
      const { exitCode, stdout, stderr, requests } = await by.run(`${words} 1 ${flag}`)
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] })
      expect(stderr).toContain(`Field "${field}" is read-only in "parley ${words}". Nothing was sent.`)
    }
  })

  test('such as the status of an assistant is refused, and the commands that set it are named', async () => {
    const { exitCode, stderr } = await by.run('assistants update 1 --set status=active')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Run parley assistants activate or parley assistants deactivate.')
    expect((await by.run('assistants create --set status=active')).stderr).toContain('New assistants are inactive.')
  })

  test('is accepted in a file that was printed by get', async () => {
    const tool = await by.json('tools get 1')
    expect(await by.run(`tools update 1 --data '${JSON.stringify({ ...tool, timeout: 9 })}'`)).toMatchObject({
      exitCode: 0,
    })
  })
})

test('a misspelt field of --set is refused with a suggestion', async () => {
  const { exitCode, stderr, requests } = await by.run('tools update 1 --set descripton=x')
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
  expect(stderr).toContain(
    'Unknown field "descripton" in "parley tools update". Did you mean "description"? Nothing was sent.',
  )
  expect(stderr).toContain('parley api tools.update')
})

describe('an assistant', () => {
  const needed =
    'assistants create --name Desk --type inbound --language-id 1 --timezone Europe/London --initial-message Hello --system-prompt "Help." --mode pipeline --llm-model-id 2 --voice-id 1'

  test('that was created is inactive, and the command that activates it is named', async () => {
    const own = operator()
    const { stderr } = await own.run(needed)
    expect(stderr).toContain('The assistant is inactive. Activate it: parley assistants activate 3')
    expect(await own.run('assistants activate 3')).toMatchObject({
      exitCode: 0,
      stdout: 'Assistant "Desk" is active. Id: 3\n',
    })
    expect(await own.json('assistants get 3')).toMatchObject({ status: 'active' })
    expect(await own.json('assistants deactivate Desk')).toMatchObject({ id: 3, status: 'inactive' })
    expect(await own.json('assistants get 3')).toMatchObject({ status: 'inactive' })
    expect((await own.run('assistants activate 99')).exitCode).toBe(4)
  })

  test('is not activated on a platform without an API for it', async () => {
    const own = operator({ supports: 'neutral' })
    const through = notParleyServer
    const { exitCode, stderr, requests } = await own.run('assistants activate 1', { through })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(
      'does not have the capability "assistant-status", which "parley assistants activate" requires.',
    )
    expect(stderr).toContain('Set the status in the web interface of the platform.')
    expect(requests.filter((it) => it.startsWith('POST'))).toEqual([])
    expect((await own.run(needed, { through })).stderr).toContain('Activate it in the web interface of the platform.')
  })

  test('is not a success when the status differs from the request', async () => {
    const own = operator({ supports: 'neutral' })
    await own.json('assistants deactivate 1')
    const through = async (handle: (response: never) => Promise<object>, request: { method: string }) =>
      request.method === 'POST'
        ? {
            status: 200,
            headers: {},
            body: JSON.stringify({
              message: 'ok',
              data: { id: 1, name: 'x', status: 'active', type: 'inbound', mode: 'pipeline' },
            }),
          }
        : handle(request as never)
    const { exitCode, stderr } = await own.run('assistants activate 1', { through: through as never })
    expect(exitCode).toBe(20)
    expect(stderr).toContain('The assistant 1 still differs from what was sent: status is "inactive", sent "active".')
  })
})
