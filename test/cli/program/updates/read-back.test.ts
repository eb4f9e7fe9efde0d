import { expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const json = (body: unknown, status = 200): PlainResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: body === undefined ? '' : JSON.stringify(body),
})

/** Answers writes with 204 after they were carried out, and changes what reads show after the first write. */
function silent(
  change: (body: unknown, reads: number, request: PlainRequest) => PlainResponse | unknown = (it) => it,
): { readonly through: Through; readonly reads: () => number } {
  let [isWritten, reads] = [false, 0]
  return {
    reads: () => reads,
    async through(handle, request) {
      const response = await handle(request)
      if (request.method !== 'GET') {
        isWritten = true
        return response.status < 300 ? { status: 204, headers: {}, body: '' } : response
      }
      if (!isWritten || response.status !== 200) return response
      reads += 1
      const changed = change(JSON.parse(String(response.body)), reads, request)
      return typeof changed === 'object' && changed !== null && 'status' in changed && 'headers' in changed
        ? (changed as PlainResponse)
        : { ...response, body: JSON.stringify(changed) }
    },
  }
}

/** Changes fields of the tool that is read alone. */
const withTool = (fields: object) => (body: unknown) =>
  Array.isArray(body) ? body : { ...(body as object), ...fields }

test('a replica that shows a change only at the third read is waited for, and the update is done', async () => {
  const by = operator()
  const replica = silent((body, reads) => (reads < 3 ? withTool({ timeout: 10 })(body) : body))
  expect(await by.run('tools update 1 --tool-timeout 9', { through: replica.through })).toMatchObject({
    exitCode: 0,
    stdout: 'Tool updated. Id: 1\n',
  })
  expect(replica.reads()).toBe(3)
})

test('a replica that shows a created resource only at the third read is waited for', async () => {
  const by = operator()
  const replica = silent((body, reads) => (reads < 3 ? { data: [] } : body))
  expect(await by.run('knowledge create --name Fresh -o id', { through: replica.through })).toMatchObject({
    exitCode: 0,
    stdout: '2\n',
  })
})

test('a field that still differs is exit 20, and is named with the sent and the read value in every format', async () => {
  const stale = (): Through => silent(withTool({ timeout: 10, description: 'Old.' })).through
  const line = 'tools update 1 --tool-timeout 9 --description New.'
  const table = await operator().run(line, { through: stale() })
  expect(table).toMatchObject({
    exitCode: 20,
    stdout:
      'The platform accepted the update, but the tool differs: description is "Old.", sent "New."; timeout is 10, sent 9. Id: 1\n',
  })
  const object = await operator().run(`${line} --json`, { through: stale() })
  expect({ exitCode: object.exitCode, shown: JSON.parse(object.stdout) }).toMatchObject({
    exitCode: 20,
    shown: { id: 1, timeout: 10, description: 'Old.' },
  })
  const quiet = await operator().run(`${line} -o id --quiet`, { through: stale() })
  expect(quiet).toMatchObject({ exitCode: 20, stdout: '1\n', stderr: expect.stringContaining('timeout is 10, sent 9') })
})

test('what a platform writes in another form counts as the same', async () => {
  const by = operator()
  const forms = silent(
    withTool({ timeout: '9', description: 'Finds\r\na patient. ', headers: '[{"name":"accept-x","value":"a/b"}]' }),
  )
  expect(
    await by.run(
      [
        'tools',
        'update',
        '1',
        '--tool-timeout',
        '9',
        '--description',
        'Finds a patient.',
        '--headers',
        '[{name: accept-x, value: a/b}]',
      ],
      { through: forms.through },
    ),
  ).toMatchObject({ exitCode: 0 })
})

test.each(['********', '••••1234', '[redacted]', '<secret>', 'sk-****-1234'])(
  'a secret that the platform shows as %s was accepted and cannot be shown',
  async (mask) => {
    const by = operator()
    const masked = silent(withTool({ headers: [{ name: 'X-Api-Key', value: mask }] }))
    const run = await by.run(['tools', 'update', '1', '--headers', '[{name: X-Api-Key, value: unmistakable}]'], {
      through: masked.through,
    })
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Accepted, cannot be shown: headers.') })
    expect(run.stdout + run.stderr).not.toContain('unmistakable')
  },
)

test('a password that no read shows was accepted and cannot be shown', async () => {
  const by = operator()
  const run = await by.run('sip-trunks update 5 --sip-password unmistakable', { through: silent().through })
  expect(run).toMatchObject({
    exitCode: 0,
    stdout: 'SIP trunk updated. Id: 5\n',
    stderr: expect.stringContaining('Accepted, cannot be shown: sip_password.'),
  })
  expect(run.stdout + run.stderr).not.toContain('unmistakable')
})

test('where the platform cannot show one resource, its list is read', async () => {
  const by = operator()
  const noGet = silent((body, _, { url }) =>
    /tools\/\d+$/.test(url) ? json({ message: 'Method Not Allowed' }, 405) : body,
  )
  expect(await by.run('tools update 1 --tool-timeout 9', { through: noGet.through })).toMatchObject({ exitCode: 0 })
})

test('a deletion that was accepted and not made is exit 20', async () => {
  const by = operator()
  const run = await by.run('labels delete 3 --yes', {
    through: async (handle, request) => (request.method === 'DELETE' ? json(undefined, 204) : handle(request)),
  })
  expect(run).toMatchObject({
    exitCode: 20,
    stdout: 'The platform accepted the deletion, but the label still exists.\n',
  })
})

test('an update whose result cannot be read is exit 12, and says that it was accepted', async () => {
  const by = operator()
  const broken = silent(() => json({ message: 'Server Error' }, 500))
  expect(await by.run('labels update 1 --name Evening', { through: broken.through })).toMatchObject({
    exitCode: 12,
    stderr: expect.stringContaining('It could not be read back: Server Error'),
  })
})

test('the previous state of a confirmed update is in the history, and the update can be undone', async () => {
  const by = operator()
  await by.run('numbers update 4 --nickname Desk', { through: silent().through })
  expect(await by.json('history list')).toMatchObject([{ state: 'done', noun: 'numbers' }])
  expect(await by.run('history undo 1', { through: silent().through })).toMatchObject({ exitCode: 0 })
  expect((await by.json('numbers get 4')).nickname).not.toBe('Desk')
})

test('a push to a platform that answers with 204 reads back what it wrote, and a second push has nothing to do', async () => {
  const by = operator()
  await by.run('pull .')
  await by.run('tools update 1 --tool-timeout 9')
  expect(await by.run('push . --yes --force-local', { through: silent().through })).toMatchObject({ exitCode: 0 })
  expect((await by.json('tools get 1')).timeout).toBe(10)
  expect(await by.run('push . --yes', { through: silent().through })).toMatchObject({
    exitCode: 0,
    requests: expect.not.arrayContaining([expect.stringContaining('PUT')]),
  })
})
