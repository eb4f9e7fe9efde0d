import { describe, expect, test } from 'vitest'
import { operator, type RunOptions } from '../../../support/operator.ts'

const writes = (requests: readonly string[]): string[] => requests.filter((it) => !it.startsWith('GET'))

describe('digits that are not an id', () => {
  test('are the short number of a trunk, for every command', async () => {
    const { run, json } = operator()
    const [{ id }] = await json('sip-trunks list')
    expect(await json('sip-trunks get 2001')).toMatchObject({ id, phone_number: '2001' })
    expect(await json('sip-trunks update 2001 --nickname Lobby')).toMatchObject({ id, nickname: 'Lobby' })
    expect(await json('numbers update 2001 --nickname Desk')).toMatchObject({ id, nickname: 'Desk' })
    expect(JSON.parse((await run('numbers release 2001 --dry-run --json')).stdout)).toMatchObject({
      path: `/api/user/phone-numbers/${id}`,
    })
    expect(await json('numbers release 2001 --yes')).toMatchObject({ id })
  })

  test('are a name if no resource has that id', async () => {
    const { run, json } = operator()
    const { id } = await json('knowledge create --name 2024')
    expect(await json('knowledge get 2024')).toMatchObject({ id, name: '2024' })
    expect(await json('knowledge update 2024 --description x')).toMatchObject({ id, description: 'x' })
    expect(await json('knowledge documents list 2024')).toEqual([])
    const refused = await run('knowledge update 2025 --description x')
    expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Knowledgebase not found.') })
    expect(await json('knowledge delete 2024 --yes')).toMatchObject({ id })
  })

  test('and the name of several exit with 2 and list them', async () => {
    const { run } = operator()
    for (const id of [1, 2]) await run(`numbers update ${id} --nickname 77`)
    expect(await run('numbers release 77 --yes')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Several numbers are named "77": 1, 2.'),
    })
  })
})

describe('digits that are an id', () => {
  test('are used without reading the list if nothing can be lost', async () => {
    const { run } = operator()
    expect((await run('tools get 1')).requests).toEqual(['GET /api/user/tools/1'])
    expect(writes((await run('tools update 1 --tool-timeout 9')).requests)).toHaveLength(1)
    expect((await run('tools update 1 --tool-timeout 9')).requests).toEqual([
      'GET /api/user/tools/1',
      'PUT /api/user/tools/1',
    ])
  })

  test('and the number of another resource are the id in reads, and refused in writes', async () => {
    const { run, json } = operator()
    const lobby = `--sip-trunk-type extension --phone-number 1 --sip-username lobby --sip-address pbx.example --sip-calling-format +e164`
    const made = await run(
      `sip-trunks create ${lobby} --inbound-authorization-type auth --country-code US --sip-password secret`,
    )
    expect(made.stderr).toContain('parley sip-trunks get 6')
    expect((await json('sip-trunks get 1')).phone_number).toBe('2001')
    for (const line of [
      'sip-trunks delete 1 --yes',
      'sip-trunks update 1 --nickname x',
      'numbers release 1 --yes',
      'numbers update 1 --nickname x',
    ]) {
      const { exitCode, stdout, stderr, requests } = await run(line)
      expect({ line, exitCode, stdout, writes: writes(requests) }).toEqual({
        line,
        exitCode: 2,
        stdout: '',
        writes: [],
      })
      expect(stderr).toMatch(
        /^error: "1" is the id of one (SIP trunk|number) and the number or name of another:\n {2}2001 .*\(1\)\n {2}1 .*\(6\)\n/,
      )
      expect(stderr).toContain('hint: Pass "2001" for the first one, or 6 for the second one.\n')
    }
    expect(await json('sip-trunks delete 6 --yes')).toMatchObject({ id: 6 })
    expect(await json('sip-trunks delete 1 --yes')).toMatchObject({ id: 1 })
  })

  test('and the name of another resource are refused for a deletion', async () => {
    const { run, json } = operator()
    await run('keys create --name 2')
    const { exitCode, stderr, requests } = await run('keys delete 2 --yes')
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: ['GET /api/user/api-keys'] })
    expect(stderr).toBe(
      'error: "2" is the id of one key and the name of another:\n  ci (2)\n  2 (4)\nhint: Pass "ci" for the first one, or 4 for the second one.\n',
    )
    expect(await json('keys delete ci --yes')).toMatchObject({ id: 2 })
    expect(await json('keys delete 2 --yes')).toMatchObject({ id: 4 })
  })

  test('are used on a platform without the list', async () => {
    const { json } = operator()
    const through: RunOptions['through'] = async (handle, request) =>
      request.method === 'GET' ? { status: 404, headers: {}, body: '{"message":"Not found"}' } : handle(request)
    expect(await json('tools delete 3 --yes', { through })).toMatchObject({ id: 3 })
  })

  test('are refused for a deletion if the list cannot be read', async () => {
    const through: RunOptions['through'] = async (handle, request) =>
      request.method === 'GET' ? { status: 500, headers: {}, body: '{"message":"Server error"}' } : handle(request)
    const { exitCode, requests } = await operator().run('tools delete 3 --yes --retries 0', { through })
    expect({ exitCode, writes: writes(requests) }).toEqual({ exitCode: 8, writes: [] })
  })
})

describe('a resource that is not found by its id', () => {
  test.each([
    ['tools get 999', 'tools list'],
    ['tools update 999 --tool-timeout 5', 'tools list'],
    ['tools delete 999 --yes', 'tools list'],
    ['keys delete 999 --yes', 'keys list'],
    ['numbers update 999 --nickname x', 'numbers list'],
    ['numbers release 999 --yes', 'numbers list'],
    ['sip-trunks get 999', 'sip-trunks list'],
    ['knowledge get 999', 'knowledge list'],
    ['knowledge documents list 999', 'knowledge list'],
    ['knowledge documents get 99 --knowledge 1', 'knowledge documents list 1'],
    ['knowledge documents delete 99 --knowledge 1 --yes', 'knowledge documents list 1'],
    ['folders update 999 --name x', 'folders list'],
    ['labels delete 999 --yes', 'labels list'],
    ['assistants get 999', 'assistants list'],
    ['assistants delete 999 --yes', 'assistants list'],
    ['server accounts ledger 999', 'server accounts list'],
    ['messaging templates 999', 'messaging senders --status all'],
  ])('%s is reported with the list command', async (line, list) => {
    const { exitCode, stdout, stderr } = await operator().run(line)
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(stderr).toContain(`: parley ${list}.\n`)
    expect(JSON.parse((await operator().run(`${line} --json`)).stderr).error.hint).toContain(`parley ${list}.`)
  })

  test('is reported without the list command if the whole path was not found', async () => {
    const through: RunOptions['through'] = async () => ({
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<h1>Nothing here</h1>',
    })
    const { exitCode, stderr } = await operator().run('keys list', { through })
    const hint = /^hint: (.*)$/m.exec(stderr)?.[1]
    expect({ exitCode, hint }).toEqual({
      exitCode: 4,
      hint: expect.stringMatching(/^Is --base-url the address|parley server faults list\.$/),
    })
  })
})
