import { expect, test } from 'vitest'
import { withheld } from '../../../support/altered-responses.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'
import { all, desk, pulled, read } from '../../features/as-code/code-folder.ts'

const elsewhere = (
  answer: (path: string) => { status: number; body: unknown; type?: string },
): { connect: NonNullable<RunOptions['connect']> } => ({
  connect: async (base) => ({
    base,
    async send({ url }) {
      const { status, body, type = 'application/json' } = answer(url)
      return { status, headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) }
    },
    close: async () => {},
  }),
})

test('a path that a deployment does not have is named with its vocabulary', async () => {
  const by = operator({ supports: 'neutral' })
  await by.run('profile set there --url https://assistants.example --api-key-stdin', { stdin: '1|abcdefghijklmnop' })
  await by.run('profile use there')
  const answers = [
    { status: 404, body: { message: 'Not Found' } },
    { status: 404, body: { message: 'The route api/user/messaging/senders could not be found.' } },
    { status: 404, body: '<html><title>404 | Not Found</title></html>', type: 'text/html' },
  ]
  for (const answer of answers) {
    const { exitCode, stderr } = await by.run(
      'messaging senders',
      elsewhere(() => answer),
    )
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: expect.stringContaining(
        'https://assistants.example has no GET /api/user/messaging/senders (404), a path of the neutral vocabulary.',
      ),
    })
    expect(stderr).toContain('parley help vocabulary')
  }
  await by.run('profile set there --vocabulary public')
  expect(
    (
      await by.run(
        'messaging senders',
        elsewhere(() => answers[0] as never),
      )
    ).stderr,
  ).toContain('has no GET /api/user/whatsapp/senders (404), a path of the public vocabulary.')
  const missing = await by.run(
    'tools get 7',
    elsewhere(() => ({ status: 404, body: { message: 'Tool not found' } })),
  )
  expect(missing).toMatchObject({ exitCode: 4, stderr: expect.not.stringContaining('vocabulary') })
})

test('a number that would be rounded is sent with all its digits, from a body, a file, a flag and a row', async () => {
  const by = operator()
  const bodies: string[] = []
  const text = '{"phone_number":"+14155550142","variables":{"ref":12345678901234567890}}'
  for (const line of [
    `leads create --campaign 1 --data '${text}'`,
    'leads create --campaign 1 --file -',
    'leads create --campaign 1 --phone-number +14155550142 --set-json variables.ref=12345678901234567890',
    'leads import --campaign 1 --file - --format ndjson --yes',
  ]) {
    const through: RunOptions['through'] = (handle, request) => {
      if (request.method !== 'POST') return handle(request)
      bodies.push(String(request.body))
      return Promise.resolve({ status: 422, headers: {}, body: '{}' })
    }
    await by.run(line, { stdin: `${text}\n`, through })
  }
  expect(bodies).toHaveLength(4)
  for (const body of bodies) expect(body).toContain('"variables":{"ref":12345678901234567890}')
})

test('a pull continues without a list that the platform does not show, and does not change the files of that kind', async () => {
  const by = operator()
  // The only reference to an automation, which becomes an id without the list.
  expect(await by.run('tools delete reschedule_visit --confirm reschedule_visit')).toMatchObject({ exitCode: 0 })
  expect(await by.run('pull')).toMatchObject({ exitCode: 0 })
  const before = all(by)
  expect(Object.keys(before)).toContain('automations/move-a-visit.yaml')
  for (const status of [403, 404, 501]) {
    const ran = await by.run('pull', withheld(status, '/api/user/automate/flows'))
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('warning: Skipped the files of automations, which could not be read'),
    })
    expect(all(by)).toEqual(before)
  }
  await by.run('tools update 2 --tool-timeout 20')
  expect(await by.run('pull', withheld(404, '/api/user/automate/flows', '/api/user/assistants/get'))).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('tools/'),
  })
  expect(Object.keys(all(by))).toEqual(Object.keys(before))
  // A push that cannot compare does nothing.
  expect(await by.run('push', withheld(404, '/api/user/automate/flows'))).toMatchObject({ exitCode: 4 })
  expect(await by.run('pull', withheld(500, '/api/user/automate/flows'))).toMatchObject({ exitCode: 8 })
})

test('a reference to an automation is its id in files while automations cannot be listed', async () => {
  const by = await pulled()
  expect(read(by, 'tools/reschedule-visit.yaml')).toContain('automation: Move a visit\n')
  await by.run('pull', withheld(403, '/api/user/automate/flows'))
  expect(read(by, 'tools/reschedule-visit.yaml')).toMatch(/^automation: \w{21}$/m)
})

test('a pull continues without a list of names, and writes ids to the files', async () => {
  const by = operator()
  const ran = await by.run('pull', withheld(403, '/api/user/assistants/voices'))
  expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('warning: voices.list could not be read') })
  expect(read(by, desk)).toContain('voice_id: 1\n')
  expect(read(by, desk)).toContain('language_id: English')
})

test('an id beyond 2^53 is sent with all digits, and no other resource is requested', async () => {
  const by = operator()
  for (const line of [
    'tools get 9007199254740993',
    'tools delete 9007199254740993 --yes',
    'assistants update 9007199254740993 --max-duration 60',
    'leads list --campaign 9007199254740993',
    'campaigns stop 99999999999999999999 --yes',
  ]) {
    const { exitCode, requests } = await by.run(line)
    const [id] = /\d{16,}/.exec(line) as RegExpExecArray
    const others = requests.filter((it) => /\/\d|_id=/.test(it) && !it.includes(id))
    // A field of a request is validated.
    expect({ line, exitCode, others }).toEqual({ line, exitCode: /campaign/.test(line) ? 6 : 4, others: [] })
  }
})

test('a UUID in capital letters names the same assistant and the same conversation', async () => {
  const by = operator()
  const { uuid } = (await by.json('assistants get 1')) as { uuid: string }
  expect(await by.json(`assistants get ${uuid.toUpperCase()}`)).toMatchObject({ id: 1 })
  expect(await by.run(`assistants update ${uuid.toUpperCase()} --max-duration 90`)).toMatchObject({ exitCode: 0 })
  const [first] = (await by.json('conversations list --type widget')) as { id: string }[]
  expect(await by.run(`conversations get ${first?.id.toUpperCase()}`)).toMatchObject({ exitCode: 0 })
})

test('lists that a deployment pages without documenting it are read completely by every command', async () => {
  const by = operator({ supports: 'neutral' })
  await by.run('profile set there --url https://assistants.example --api-key-stdin', { stdin: '1|abcdefghijklmnop' })
  await by.run('profile use there')
  const row = (id: number) => ({
    id,
    phone_number: `+1415555${String(1000 + id)}`,
    country_code: 'US',
    type: 'normal',
    type_label: 'Normal',
    sms_capable: true,
    region: null,
    has_active_subscription: true,
    nickname: `n${id}`,
    created_at: '2026-01-01T00:00:00.000000Z',
  })
  const paged = elsewhere((url) => {
    const page = Number(new URLSearchParams(url.split('?')[1]).get('page') ?? 1)
    const data = Array.from({ length: page < 3 ? 10 : 5 }, (_, n) => row((page - 1) * 10 + n + 1))
    return {
      status: 200,
      body: {
        data,
        links: { next: page < 3 ? `https://x.example/?page=${page + 1}` : null },
        meta: { current_page: page, last_page: 3, per_page: 10, total: 25 },
      },
    }
  })
  expect(((await by.json('numbers list', paged)) as unknown[]).length).toBe(25)
  expect(await by.run('numbers list --limit 3 -o id', paged)).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\n' })
  // A name on the last page is found.
  expect(await by.run('numbers update n24 --nickname Lobby --dry-run', paged)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('/24'),
  })
})
