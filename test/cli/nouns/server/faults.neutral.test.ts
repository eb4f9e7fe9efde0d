import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { driftOperations, socketFaults } from '../../../../src/contract/control/faults.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const magic = 'numbers buy +15005550006 --yes --retries 0'

/** What a read and a spend come to under a fault, by exit code. */
async function codes(by: Operator, more = ''): Promise<readonly [read: number, spend: number]> {
  return [(await by.run(`tools list --retries 0 ${more}`)).exitCode, (await by.run(magic)).exitCode]
}

describe('parley server faults', () => {
  test('fit a narrow terminal when empty, and work without JSON', async () => {
    const by = operator({ supports: 'neutral' })
    const { stderr } = await by.run('server faults list', { terminal: true, columns: 40 })
    for (const line of stderr.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40)
    await by.run('server faults create tools.list --socket html')
    expect(await by.run('tools list')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('caused by a fault rule: parley server faults list.'),
    })
  })

  test('makes commands fail with an error of the platform, until it is exhausted', async () => {
    const by = operator()
    const added = await by.run('server faults create numbers.buy --error numbers.payment_failed --times 1')
    expect(added).toMatchObject({
      exitCode: 0,
      stdout: 'Fault rule created successfully. Id: 1\n',
      stderr: 'Next: parley server faults delete 1\n',
    })
    expect(await by.run(magic)).toMatchObject({
      exitCode: 13,
      stdout: '',
      stderr: expect.stringContaining('Payment failed. Please update your payment method.'),
    })
    expect(await by.run(magic)).toMatchObject({ exitCode: 0 })
    const { stdout } = await by.run('server faults list', { terminal: true, columns: 120 })
    expect(stdout).toMatch(/numbers\.buy +numbers\.payment_failed +all requests +exhausted +1 /)
    expect(await by.json('server status --fields faults,faults_fired')).toEqual({ faults: 1, faults_fired: 1 })
  })

  test('makes the outcome of a purchase unknown by losing its response, and reconcile finds it', async () => {
    const by = operator()
    await by.run('server faults create numbers.buy --socket drop --where phone_number=+15005550006 --times 1')
    expect(await by.run(magic)).toMatchObject({
      exitCode: 12,
      stdout: '',
      stderr: expect.stringContaining('parley ops reconcile'),
    })
    expect((await by.json('ops reconcile')).map((it: { state: string }) => it.state)).toEqual(['done'])
    expect(
      (await by.json('numbers list')).filter((it: { phone_number: string }) => it.phone_number === '+15005550006'),
    ).toHaveLength(1)
  })

  test.each([
    ['--socket cut', [9, 12]],
    ['--socket drop', [9, 12]],
    ['--socket truncate', [9, 12]],
    ['--socket html', [8, 12]],
    ['--socket garbage', [8, 12]],
    ['--socket html --status 502', [8, 12]],
    ['--status 503', [8, 12]],
    ['--status 404', [4, 4]],
    ['--error throttled', [7, 7]],
    ['--error unavailable', [8, 12]],
    ['--error unauthenticated', [3, 3]],
    ['--drift "null ."', [8, 12]],
    ['--drift "wrap . result"', [8, 12]],
  ])('of %s exits with %j for a read and a purchase, in process and over a socket', async (flags, expected) => {
    const by = operator({ clock: 'real' })
    await by.run(`server faults create tools.list ${flags}`)
    await by.run(`server faults create numbers.buy ${flags}`)
    expect(await codes(by)).toEqual(expected)
    const interrupt = new AbortController()
    const ended = by.run('server start --port 0', { interrupt })
    try {
      await expect.poll(() => existsSync(join(by.dataDir, 'server.json')), { interval: 5 }).toBe(true)
      expect(await codes(by)).toEqual(expected)
    } finally {
      interrupt.abort(130)
      await ended
    }
  })

  test('of a delay ends a command with a shorter timeout, and delays one with a longer timeout', async () => {
    const by = operator({ clock: 'real' })
    await by.run('server faults create tools.list --latency-ms 300')
    expect((await codes(by, '--timeout 0.1'))[0]).toBe(9)
    expect((await codes(by, '--timeout 5'))[0]).toBe(0)
  })

  test('is retried by a read, which then succeeds', async () => {
    const by = operator()
    await by.run('server faults create tools.list --socket cut --times 2')
    const { exitCode, requests } = await by.run('tools list')
    expect({ exitCode, tries: requests.length }).toEqual({ exitCode: 0, tries: 3 })
  })

  test('is listed, deleted and cleared; other folders are not affected', async () => {
    const [by, other] = [operator(), operator()]
    for (const endpoint of ['tools.list', 'tools.get', '"*"'])
      await by.run(`server faults create ${endpoint} --status 503`)
    expect((await by.json('server faults list')).map((it: { endpoint: string }) => it.endpoint)).toEqual([
      'tools.list',
      'tools.get',
      '*',
    ])
    expect(await by.run('server faults delete 3')).toMatchObject({
      exitCode: 0,
      stdout: 'Fault rule deleted successfully.\n',
    })
    expect(await by.run('keys list')).toMatchObject({ exitCode: 0 })
    expect(await by.run('server faults delete 9')).toMatchObject({ exitCode: 4 })
    expect(await other.run('tools list')).toMatchObject({ exitCode: 0 })
    expect(await by.run('server faults clear')).toMatchObject({ exitCode: 0, stdout: 'Fault rules deleted: 2.\n' })
    expect(await by.run('server faults list', { terminal: true })).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('No fault rules.'),
    })
    expect(await by.run('tools list')).toMatchObject({ exitCode: 0 })
  })

  test('an endpoint or a change of the response in another form is refused with the possible forms', async () => {
    const by = operator()
    const refused = { exitCode: 6, stdout: '' }
    expect(await by.run('server faults create nope')).toMatchObject({
      ...refused,
      stderr: expect.stringContaining('the name of an endpoint such as numbers.buy, numbers.* or *.'),
    })
    const { exitCode, stderr } = await by.run(['server', 'faults', 'create', 'numbers.buy', '--drift', 'nope'])
    expect(exitCode).toBe(6)
    for (const form of Object.keys(driftOperations)) expect(stderr).toContain(form)
  })

  test('reports unknown values', async () => {
    const by = operator()
    expect(await by.run('server faults create tools.list --error tools.nope')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('For all errors, see parley help errors.'),
    })
    expect(await by.run('server faults create tools.nope --status 503')).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('Possible values: tools.list, tools.get'),
    })
    expect(await by.run('server faults create tools.list --where name')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Use path=value.'),
    })
    const { stdout } = await by.run('server faults create --help')
    for (const word of Object.keys(socketFaults)) expect(stdout).toContain(`--socket ${word}: `)
    for (const word of Object.keys(driftOperations)) expect(stdout).toContain(`--drift "${word}": `)
  })
})
