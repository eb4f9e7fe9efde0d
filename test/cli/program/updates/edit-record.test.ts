import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { editorCommand } from '../../../../src/node/operating-system.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// A record that is edited by hand: only changes are sent, an unchanged record is not sent, and typed text is never lost.

const edits = (editor: (text: string) => string): RunOptions => ({
  env: { EDITOR: 'vi', NO_COLOR: '1' },
  editor,
  terminal: true,
})
const slower = edits((text) => text.replace('timeout: 15', 'timeout: 20'))
const sent = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET'))

/** The saved file, which is deleted after the test. */
function savedIn(stderr: string): string {
  const [, file = ''] = /Your edits are saved in (\S+)\. To send them: /.exec(stderr.replaceAll(/\s+/g, ' ')) ?? []
  expect(file, stderr).not.toBe('')
  onTestFinished(() => rmSync(dirname(file), { recursive: true, force: true }))
  return file
}

test('the changes are sent and printed', async () => {
  const { run } = operator()
  const { exitCode, stderr, requests } = await run('tools update 2 --edit', slower)
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'Changed:\n  timeout: 15 -> 20\nNext: parley tools get 2\n',
  })
  expect(sent(requests)).toEqual(['PUT /api/user/tools/2'])
})

test.each([
  ['left as it is', (text: string) => text],
  ['changed in its remarks and its spacing alone', (text: string) => `# seen\n${text}\n\n`],
  ['changed and changed back', (text: string) => text.replace('timeout: 15', 'timeout:   15')],
])('a record that is %s changes nothing: exit 0, nothing is sent', async (_, editor) => {
  const { run } = operator()
  for (const line of ['tools update 2 --edit', 'assistants update 1 --edit', 'sip-trunks update Reception --edit']) {
    const { exitCode, stdout, stderr, requests } = await run(line, edits(editor))
    expect({ line, exitCode, stdout, stderr, sent: sent(requests) }).toEqual({
      line,
      exitCode: 0,
      stdout: 'No changes.\n',
      stderr: '',
      sent: [],
    })
  }
})

test('fields that only the platform sets are not offered', async () => {
  const { run, json } = operator()
  const { id } = (await json('sip-trunks list'))[0]
  for (const line of [`sip-trunks update ${id} --edit`, 'tools update 2 --edit', 'assistants update 1 --edit']) {
    let offered = ''
    await run(
      line,
      edits((text) => {
        offered = text
        return text
      }),
    )
    expect(offered, line).toMatch(/^name: |^nickname: /m)
    expect(offered, line).not.toMatch(/^(id|uuid|type: http|inbound_trunk_id|outbound_trunk_id|created_at)/m)
  }
})

test('flags are sent although the record was not edited, also a password that was never in the file', async () => {
  const { run, json } = operator()
  expect(
    (
      await run(
        'tools update 2 --edit --tool-timeout 9',
        edits((text) => text),
      )
    ).exitCode,
  ).toBe(0)
  expect((await json('tools get 2')).timeout).toBe(9)
  const { stderr } = await run(
    'sip-trunks update Reception --edit --sip-password unmistakable',
    edits((text) => text),
  )
  expect(stderr).toContain('sip_password: set (hidden)')
})

test.each([
  ['', 'is empty'],
  ['\n \n', 'is blank'],
  ['# only this\n', 'holds remarks alone'],
])('a file that is saved as %j is refused: exit 2, nothing is sent', async (text) => {
  const { run } = operator()
  const { exitCode, stdout, stderr, requests } = await run(
    'tools update 2 --edit',
    edits(() => text),
  )
  expect({ exitCode, stdout, stderr, sent: sent(requests) }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error: Cancelled: the file is empty.\nhint: Nothing was changed.\n',
    sent: [],
  })
})

test('a deleted line changes nothing, and a note says so', async () => {
  const { run } = operator()
  const { exitCode, stdout, stderr } = await run(
    'tools update 2 --edit',
    edits((text) => text.replace('timeout: 15\n', '')),
  )
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'No changes.\n' })
  expect(stderr).toBe('Removed from the file and not changed: timeout. To clear a field, set it to null.\n')
})

describe('the edited text is saved', () => {
  const ways: readonly (readonly [what: string, editor: (text: string) => string, code: number, text: string])[] = [
    ['is no YAML', (text) => `${text}\nbroken: [`, 2, 'Invalid YAML'],
    ['is no record', () => 'hello', 2, 'The edited file has no fields.'],
    ['is refused by the platform', (text) => text.replace('timeout: 15', 'timeout: 99'), 6, '--tool-timeout'],
  ]
  test.each(ways)(
    'when the platform %s, readable by its owner only, with the command that sends it',
    async (_, editor, code, text) => {
      const { run, json } = operator()
      let typed = ''
      const { exitCode, stderr } = await run(
        'tools update book_appointment --edit',
        edits((text) => {
          typed = editor(text)
          return typed
        }),
      )
      expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(text) })
      const file = savedIn(stderr)
      expect(readFileSync(file, 'utf8')).toBe(typed)
      expect([statSync(file).mode & 0o077, statSync(dirname(file)).mode & 0o077]).toEqual([0, 0])
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`To send them: parley tools update 2 --file ${file}`)
      expect((await json('tools get 2')).timeout).toBe(15)
    },
  )

  const failing: RunOptions['through'] = (handle, request) =>
    request.method === 'PUT'
      ? Promise.resolve({ status: 503, headers: {}, body: '{"message":"Later."}' })
      : handle(request)
  test.each([
    ['the platform fails', { through: failing }, '', 8],
    ['it was a dry run', {}, ' --dry-run', 0],
  ])('when %s, and can be sent unchanged', async (_, options, flag, code) => {
    const by: Operator = operator()
    const { exitCode, stderr } = await by.run(`tools update 2 --edit${flag}`, { ...slower, ...options })
    expect(exitCode).toBe(code)
    const file = savedIn(stderr)
    expect((await by.json('tools get 2')).timeout).toBe(15)
    await by.run(`tools update 2 --file ${file}`)
    expect((await by.json('tools get 2')).timeout).toBe(20)
  })

  test('but not without edits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-edits-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { run } = operator()
    for (const options of [slower, edits((text) => `${text}\n`), edits(() => '')])
      expect((await run('tools update 2 --edit', options)).stderr).not.toContain('Your edits are saved')
    expect(readdirSync(folder).filter((it) => it.startsWith('parley-edit-'))).toEqual([])
  })
})

test('the editor is a command line, also on Windows, which has no shell for it', () => {
  expect(editorCommand('linux', 'code --wait', '/tmp/a b')).toEqual([
    'sh',
    ['-c', 'code --wait "$1"', 'sh', '/tmp/a b'],
  ])
  expect(editorCommand('win32', '"C:\\My Editor\\e.exe" --wait', 'C:\\a b')).toEqual([
    'C:\\My Editor\\e.exe',
    ['--wait', 'C:\\a b'],
  ])
})

describe('a record that someone else changes while the editor is open', () => {
  const editing = (by: Operator, theirs: readonly string[], mine: readonly [string, string]): RunOptions => ({
    ...edits((text) => text),
    async editor(text) {
      expect(await by.run(theirs)).toMatchObject({ exitCode: 0 })
      expect(text).toContain(mine[0])
      return text.replace(...mine)
    },
  })

  test('is merged with the edits where the fields are different', async () => {
    const by = operator()
    const theirs = ['tools', 'update', '2', '--description', 'Theirs']
    expect(await by.run('tools update 2 --edit', editing(by, theirs, ['timeout: 15', 'timeout: 20']))).toMatchObject({
      exitCode: 0,
    })
    expect(await by.json('tools get 2')).toMatchObject({ timeout: 20, description: 'Theirs' })
  })

  test('is merged with the edits where the entries of a list are different', async () => {
    const by = operator()
    const { schema } = await by.json('tools get 2')
    const theirs = schema.map((it: { name: string }) => (it.name === 'time' ? { ...it, description: 'Theirs' } : it))
    const run = await by.run(
      'tools update 2 --edit',
      editing(by, ['tools', 'update', '2', '--schema', JSON.stringify(theirs)], ['Day of the', 'Mine']),
    )
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('schema.time') })
    const [day, time] = (await by.json('tools get 2')).schema
    expect([day.description, time.description]).toEqual([expect.stringMatching(/^Mine/), 'Theirs'])
  })

  test('is asked about with the three values where the field is the same, and not overwritten without a yes', async () => {
    const by = operator()
    const options = editing(by, ['tools', 'update', '2', '--tool-timeout', '25'], ['timeout: 15', 'timeout: 20'])
    const refused = await by.run('tools update 2 --edit', { ...options, answers: [['Overwrite', false]] })
    expect(refused).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('timeout: was 15; now 25; yours 20'),
    })
    expect(sent(refused.requests)).toEqual([])
    savedIn(refused.stderr)
    const by2 = operator()
    const again = editing(by2, ['tools', 'update', '2', '--tool-timeout', '25'], ['timeout: 15', 'timeout: 20'])
    const agreed = await by2.run('tools update 2 --edit', { ...again, answers: [['Overwrite', true]] })
    expect(agreed.exitCode, agreed.stderr).toBe(0)
    expect((await by2.json('tools get 2')).timeout).toBe(20)
    const [last] = await by2.json<{ entry: number }[]>('history list --noun tools')
    expect((await by2.json(`history get ${last?.entry}`)).before).toMatchObject({ timeout: 25 })
  })

  test('is asked about where only the time of the change shows that a secret may be another one', async () => {
    const by = operator()
    const secret = (value: string) => ['tools', 'update', '2', '--header', `Authorization: Bearer ${value}-secret`]
    expect(await by.run(secret('first'))).toMatchObject({ exitCode: 0 })
    const hidden: RunOptions = {
      async through(handle, request) {
        const answer = await handle(request)
        return { ...answer, body: String(answer.body).replaceAll(/Bearer [a-z]+-secret/g, '********') }
      },
    }
    by.wait(60_000)
    const options = { ...hidden, ...editing(by, secret('their'), ['••• hidden', 'Bearer mine-secret']) }
    const refused = await by.run('tools update 2 --edit', { ...options, answers: [['Overwrite', false]] })
    expect(refused, refused.stderr).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('a secret, which is not shown'),
    })
    expect(sent(refused.requests)).toEqual([])
    savedIn(refused.stderr)
  })
})
