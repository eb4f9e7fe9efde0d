import { describe, expect, test } from 'vitest'
import { altered, at, item, withheld } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET '))

describe.each([
  {
    line: 'tools delete 1',
    name: 'lookup_patient',
    loss: 'The assistant "Front desk" (1) can no longer use it during calls.',
  },
  {
    line: 'numbers release 4',
    name: '+14157683069',
    loss: 'Calls to +14157683069 are no longer answered: "Front desk" (1) loses it.',
  },
  {
    line: 'knowledge delete 1',
    name: 'Practice handbook',
    loss: 'The assistant "Front desk" (1) can no longer search it.',
  },
])('a resource in use: $line', ({ line, name, loss }) => {
  test('requires its name: --yes is not enough, and the error shows what would be lost', async () => {
    const { run } = operator()
    for (const more of ['', ' --yes', ' --yes --json']) {
      const { exitCode, stdout, stderr, requests } = await run(line + more)
      expect({ exitCode, stdout, writes: writes(requests) }, more).toEqual({ exitCode: 10, stdout: '', writes: [] })
      expect(stderr).toContain('requires confirmation by name because it is in use')
      expect(more.includes('json') ? JSON.parse(stderr).error.message : stderr).toContain(loss)
    }
    expect(await run([...line.split(' '), '--confirm', name])).toMatchObject({ exitCode: 0 })
  })

  test('is shown on a terminal with what would be lost, and the name is typed', async () => {
    const { run } = operator()
    const wrong = await run(line, { answers: [['It is in use.', 'x']] })
    expect(wrong).toMatchObject({ exitCode: 10, stdout: '', stderr: expect.stringContaining(loss) })
    expect(writes(wrong.requests)).toEqual([])
    expect(await run(line, { answers: [['It is in use.', name]] })).toMatchObject({ exitCode: 0 })
  })
})

test('the refusal of a deletion names the resource, as the question does', async () => {
  const { run, json } = operator()
  for (const [noun, kind] of [
    ['keys', 'API key'],
    ['folders', 'folder'],
    ['automate', 'automation'],
  ] as const) {
    const [{ id, name }] = await json(`${noun} list`)
    const { exitCode, stderr } = await run(`${noun} delete "${name}"`)
    expect(exitCode).toBe(10)
    expect(stderr).toContain(`Deleting ${kind} "${name}" (${id}) `)
  }
})

test('a number is also called by its nickname', async () => {
  expect(await operator().run('numbers release 4 --confirm "Front desk"')).toMatchObject({ exitCode: 0 })
})

test('a resource that is not live: shows what is lost, and --yes is enough', async () => {
  const { run } = operator()
  await run('assistants delete "Front desk" --confirm "Front desk"')
  const refused = await run('numbers release 4')
  expect(refused).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('The campaign "Check-up" can no longer send.'),
  })
  expect(refused.stderr).toContain('Pass --yes to confirm.')
  expect(await run('numbers release 4 --yes')).toMatchObject({
    exitCode: 0,
    stderr: 'The campaign "Check-up" can no longer send.\n',
  })
})

test('a running campaign makes the difference for its number', async () => {
  const { run } = operator()
  const options = altered({ [at.campaigns]: item(1, { status: 'in-progress', phone_number_ids: [2] }) })
  expect(await run('numbers release 2 --yes', options)).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('The campaign "Call back", which is in progress, no longer calls from it.'),
  })
  expect(await run('numbers release 2 --yes')).toMatchObject({ exitCode: 0 })
})

test.each([
  ['folders delete 1', 'The assistant "Front desk" (1) stays, uncategorized.'],
  ['labels delete 1', 'The assistant "Front desk" (1) loses the label.'],
])('grouping resources are listed and need no name: %s', async (line, loss) => {
  const { run } = operator()
  expect(await run(line)).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(loss) })
  expect(await run(`${line} --yes`)).toMatchObject({ exitCode: 0, stderr: `${loss}\nUndo: parley history undo 1\n` })
})

test.each([
  [403, 3],
  [500, 8],
])('a list that answers %d ends the deletion with exit code %d', async (status, code) => {
  const { run, json } = operator()
  const options = withheld(status, at.assistants)
  const { exitCode, stderr } = await run('tools delete 1 --yes --retries 0', options)
  expect(exitCode).toBe(code)
  expect(stderr).toMatch(/^error: Could not check what uses the tool, because assistants could not be read: /)
  expect(await json('tools get 1')).toMatchObject({ id: 1 })
})

test('a list that the platform does not have causes a warning', async () => {
  const { run } = operator()
  const { exitCode, stderr } = await run('tools delete 1 --yes', withheld(501, at.assistants))
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'warning: Not checked, because the platform does not list them: assistants.\nUndo: parley history undo 1\n',
  })
})

test('a completed campaign no longer needs its resources', async () => {
  const { run } = operator()
  const options = altered({ [at.campaigns]: item(1, { status: 'completed', phone_number_ids: [2] }) })
  expect(await run('numbers release 2 --yes', options)).toMatchObject({ exitCode: 0, stderr: '' })
})

test('only lists that can reference it are read', async () => {
  const { requests } = await operator().run('labels delete 2 --yes')
  expect(requests).toEqual([
    'GET /api/user/labels?per_page=100',
    'GET /api/user/assistants/get?per_page=100',
    'DELETE /api/user/label/2',
    // The deletion is read back.
    'GET /api/user/labels?per_page=100',
  ])
})

test('a preview of a call reads only what names it', async () => {
  for (const more of ['--dry-run', '--print-curl'])
    expect((await operator().run(`tools delete lookup_patient ${more}`)).requests).toEqual(['GET /api/user/tools'])
  expect((await operator().run('automate disable "Opening hours" --dry-run')).requests).toEqual([
    // The capabilities of the platform, which decide what the list shows.
    'GET /api/user/api-keys',
    'GET /api/user/automate/flows',
  ])
})

describe('an automation that a tool of an assistant calls', () => {
  const asked = async () => {
    const by = operator()
    const [{ id }] = await by.json('automate list')
    expect(
      await by.run(`tools update 1 --endpoint https://platform.example/automate/api/v1/webhooks/${id}/sync`),
    ).toMatchObject({ exitCode: 0 })
    return by
  }
  const loss = 'The tool "lookup_patient" (1) no longer gets a response from it.'

  test('is deleted only after confirmation by name', async () => {
    const { run } = await asked()
    expect(await run('automate delete "Opening hours" --yes')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining(loss),
    })
    expect(await run('automate delete "Opening hours" --confirm "Opening hours"')).toMatchObject({ exitCode: 0 })
  })

  test('is disabled after a confirmation, because it can be enabled again', async () => {
    const { run } = await asked()
    for (const line of ['automate disable "Opening hours"', 'automate update "Opening hours" --no-enabled']) {
      const refused = await run(line)
      expect(refused).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(loss) })
      expect(refused.stderr).toContain('Pass --yes or --confirm "Opening hours" to confirm.')
      expect(writes(refused.requests)).toEqual([])
    }
    expect(
      await run('automate disable "Opening hours"', { answers: [['It is in use.', 'Opening hours']] }),
    ).toMatchObject({ exitCode: 0 })
    expect(await run('automate disable "Opening hours"')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes. It is disabled.'),
    })
    await run('automate enable "Opening hours"')
    expect(await run('automate disable "Opening hours" --yes')).toMatchObject({ exitCode: 0 })
  })

  test('is restored after its callers were shown', async () => {
    const { run } = await asked()
    const refused = await run('automate restore "Opening hours"')
    expect(refused).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('The tool "lookup_patient" (1) uses it.'),
    })
    expect(await run('automate restore "Opening hours" --yes')).toMatchObject({ exitCode: 0 })
  })
})

test('an automation that an event starts is disabled after a confirmation', async () => {
  const { run } = operator()
  await run('server connections create --kind mail')
  const applied =
    'automate apply post-call-transcript-email --assistant-id 2 --param recipient_email=team@northwind.example --name Mails --confirm-side-effects'
  expect(await run(applied)).toMatchObject({ exitCode: 0 })
  expect(await run('automate disable Mails')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('post_call of "Recall" (2) no longer starts an automation.'),
  })
})
