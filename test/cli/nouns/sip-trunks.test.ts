import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

const fields = {
  'sip-trunk-type': 'extension',
  'phone-number': '2002',
  'sip-username': 'desk-2002',
  'sip-address': 'pbx.example',
  'sip-calling-format': '+e164',
  'inbound-authorization-type': 'auth',
  'country-code': 'US',
}
const line = (change: Record<string, string | undefined> = {}): string =>
  `sip-trunks create ${Object.entries({ ...fields, ...change })
    .flatMap(([name, value]) => (value === undefined ? [] : [`--${name} "${value}"`]))
    .join(' ')}`
const secret = 'unmistakable-password'

test('the sample account has a trunk with a password and one with an address list; the list omits their provisioned trunks', async () => {
  const { json } = operator()
  const [first, second] = await json('sip-trunks list')
  expect(first).toMatchObject({ phone_number: '2001', inbound_authorization_type: 'auth', allowed_inbound_ips: null })
  expect(second).toMatchObject({
    inbound_authorization_type: 'ip',
    allowed_inbound_ips: ['203.0.113.10', '198.51.100.0/24'],
    outbound_proxy: true,
  })
  expect(first).not.toHaveProperty('inbound_trunk_id')
  const whole = await json('sip-trunks get Reception')
  expect(whole).toMatchObject({
    ...first,
    inbound_trunk_id: expect.stringMatching(/^trunk_/),
    outbound_trunk_id: expect.stringMatching(/^trunk_/),
  })
  expect(await json(`sip-trunks get ${first.id}`)).toEqual(whole)
  expect((await json('sip-trunks get +14155550177')).id).toBe(second.id)
})

test('trunk 1 requires addresses for admission by address, and then recreates only its inbound trunk', async () => {
  const { run, json } = operator()
  const before = await json('sip-trunks get 1')
  const line = 'sip-trunks update 1 --inbound-authorization-type ip'
  expect(await run(line)).toMatchObject({
    exitCode: 6,
    stdout: '',
    stderr: expect.stringContaining('--allowed-inbound-ips'),
  })
  expect(await json('sip-trunks get 1')).toEqual(before)
  const after = await json(`${line} --allowed-inbound-ips '[203.0.113.10]'`)
  expect(after).toMatchObject({ id: 1, inbound_authorization_type: 'ip', outbound_trunk_id: before.outbound_trunk_id })
  expect(after.inbound_trunk_id).not.toBe(before.inbound_trunk_id)
})

test('the same seed creates the same trunks', async () => {
  const [one, other] = await Promise.all([operator(), operator()].map(({ json }) => json('sip-trunks get Reception')))
  expect(one).toEqual(other)
})

describe('a password', () => {
  const ways: readonly [string, string, { stdin?: string }][] = [
    ['by its flag', `${line()} --sip-password ${secret}`, {}],
    ['by --set', `${line()} --set sip_password=${secret}`, {}],
    ['on standard input', `${line()} --sip-password-stdin`, { stdin: `${secret}\n` }],
  ]
  test.each(ways)('is passed %s', async (_, words, options) => {
    const { json } = operator()
    expect(await json(words, options)).toMatchObject({ phone_number: '2002', outbound_proxy: false })
  })

  test('is prompted for, hidden, on a terminal; and again when it is too short', async () => {
    const { run } = operator()
    const { exitCode, asked, stdout, stderr } = await run(line(), {
      answers: [
        ['Password', 'ab'],
        ['at least 3 characters', secret],
      ],
    })
    expect(exitCode, stderr).toBe(0)
    expect(asked).toHaveLength(2)
    expect(stdout).toContain('SIP trunk created successfully. Id: ')
    expect(stdout + stderr).not.toContain(secret)
  })

  test('is read from a hidden prompt when standard input is a terminal', async () => {
    const { run } = operator()
    expect(
      await run('sip-trunks update Reception --sip-password-stdin', { answers: [['Password', secret]] }),
    ).toMatchObject({ exitCode: 0 })
  })

  test.each(['--dry-run', '--dry-run --json', '--print-curl', '--debug', '--debug --print-curl', '--verbose'])(
    'is masked with %s',
    async (flag) => {
      const { run } = operator()
      for (const command of [
        `${line()} --sip-password ${secret}`,
        `sip-trunks update Reception --sip-password ${secret}`,
        `api sipTrunks.update --data '{id: 1, sip_password: ${secret}}'`,
      ]) {
        const { exitCode, stdout, stderr } = await run(`${command} ${flag}`)
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
        expect(stdout + stderr).not.toContain(secret)
        if (/dry|curl/.test(flag)) expect(stdout).toContain('[hidden]')
      }
    },
  )

  test('is masked if the platform refuses it', async () => {
    const { run } = operator()
    const { exitCode, stdout, stderr } = await run(
      `${line({ 'sip-address': 'fail.sip.example' })} --sip-password ${secret} --debug --json`,
    )
    expect(exitCode).toBe(8)
    expect(stdout + stderr).not.toContain(secret)
  })

  test('cannot be passed twice, or from a standard input that is already used', async () => {
    const { run } = operator()
    expect(await run(`${line()} --sip-password ${secret} --sip-password-stdin`)).toMatchObject({
      exitCode: 2,
      requests: [],
    })
    expect(await run('sip-trunks create --file - --sip-password-stdin', { stdin: '{}' })).toMatchObject({
      exitCode: 2,
      requests: [],
    })
    expect(await run(`${line()} --sip-password-stdin`, { stdin: 'ab\n' })).toMatchObject({
      exitCode: 2,
      requests: [],
      stderr: expect.stringContaining('must be at least 3 characters'),
    })
  })

  test('is named if it is missing without a terminal, and nothing is sent', async () => {
    const { run } = operator()
    const { exitCode, requests, stderr } = await run(line())
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
    expect(stderr).toContain('Missing --sip-password.')
  })

  test('of an edited record is never written to the file', async () => {
    const { run, json } = operator()
    let seen = ''
    const { exitCode } = await run(`sip-trunks update Reception --edit --sip-password ${secret}`, {
      terminal: true,
      env: { EDITOR: 'ed' },
      editor: (text) => {
        seen = text
        return text.replace('pbx.northwind.example', 'pbx2.northwind.example')
      },
    })
    expect(exitCode).toBe(0)
    expect(seen).toContain('sip_username: northwind-2001')
    expect(seen).not.toContain(secret)
    expect((await json('sip-trunks get Reception')).sip_address).toBe('pbx2.northwind.example')
  })
})

describe('a trunk', () => {
  const refusals: readonly [
    flag: keyof typeof fields | 'allowed-inbound-ips' | 'nickname' | 'sip-password',
    value: string,
    text: string,
  ][] = [
    ['phone-number', '1234567890123456', 'must not be greater than 15 characters.'],
    ['sip-username', 'ab', 'must be at least 3 characters.'],
    ['sip-username', 'x'.repeat(129), 'must not be greater than 128 characters.'],
    ['sip-password', 'ab', 'must be at least 3 characters.'],
    ['nickname', 'x'.repeat(51), 'must not be greater than 50 characters.'],
    ['sip-address', 'pbx.example:5060', 'must be the address of a server, without a port.'],
    ['sip-address', 'sip:pbx.example', 'must be the address of a server, without a port.'],
    ['sip-address', '[2001:db8::1]:5060', 'must be the address of a server, without a port.'],
    ['sip-address', 'pbx..example', 'must be the address of a server, without a port.'],
    ['sip-address', 'pbx example', 'must be the address of a server, without a port.'],
    ['country-code', 'us', 'format is invalid.'],
    ['allowed-inbound-ips', '[203.0.113.300]', 'must be a valid IP address.'],
    ['allowed-inbound-ips', '[10.0.0.0/33]', 'must be a valid IP address.'],
  ]
  test.each(refusals)('with %s %s is refused by name on create and update', async (flag, value, text) => {
    const { run } = operator()
    for (const command of [
      line({ 'sip-password': secret, [flag]: value }),
      `sip-trunks update Reception --${flag} "${value}"`,
    ]) {
      const { exitCode, stderr } = await run(command)
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 6, stderr: expect.stringContaining(text) })
      expect(stderr).toContain(`--${flag}`)
    }
  })

  const takes: readonly [flag: keyof typeof fields | 'allowed-inbound-ips', value: string][] = [
    ['phone-number', '7'],
    ['phone-number', '+14155550123456'],
    ['sip-username', 'x'.repeat(128)],
    ['sip-address', 'localhost'],
    ['sip-address', '203.0.113.7'],
    ['sip-address', '[2001:db8::1]'],
    ['sip-address', '2001:db8::1'],
    ['country-code', 'US-CA'],
    ['allowed-inbound-ips', '[203.0.113.7, 10.0.0.0/8, "2001:db8::/32"]'],
  ]
  test.each(takes)('accepts %s %s', async (flag, value) => {
    const { json } = operator()
    const made = await json(line({ 'sip-password': secret, [flag]: value.replaceAll('"', "'") }))
    if (flag !== 'allowed-inbound-ips') expect(made[flag.replaceAll('-', '_')]).toBe(value)
    else expect(made.allowed_inbound_ips).toHaveLength(3)
  })

  test('with admission by address prompts for the addresses on a terminal, and is refused without them elsewhere', async () => {
    const { run, json } = operator()
    const words = line({ 'sip-password': secret, 'inbound-authorization-type': 'ip' })
    const { exitCode, stderr } = await run(words)
    expect(exitCode).toBe(6)
    expect(stderr).toContain(
      '--allowed-inbound-ips: The allowed inbound ips field is required when inbound authorization type is ip.',
    )
    expect(await run(words, { answers: [['comma-separated', '203.0.113.7, 10.0.0.0/8']] })).toMatchObject({
      exitCode: 0,
    })
    expect((await json('sip-trunks list')).at(-1).allowed_inbound_ips).toEqual(['203.0.113.7', '10.0.0.0/8'])
  })

  test('changes only edited fields when its output is sent back', async () => {
    const { run, json, cwd } = operator()
    for (const name of ['Reception', '"After hours"']) {
      const before = await json(`sip-trunks get ${name}`)
      writeFileSync(
        join(cwd, 'trunk.yaml'),
        (await run(`sip-trunks get ${name} -o yaml`)).stdout.replace(
          /sip_calling_format: .*/,
          'sip_calling_format: national',
        ),
      )
      const { exitCode, stderr } = await run(`sip-trunks update ${name} --file trunk.yaml`)
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      const { updated_at: _, ...after } = await json(`sip-trunks get ${name}`)
      expect({ ...after, updated_at: before.updated_at }).toEqual({ ...before, sip_calling_format: 'national' })
    }
  })

  test('with the same number, user and server is a conflict; one that cannot be set up is a failure of the platform', async () => {
    const { run } = operator()
    const words = line({ 'sip-password': secret })
    expect(await run(words)).toMatchObject({ exitCode: 0 })
    expect(await run(words)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('already exists') })
    expect(await run(line({ 'sip-password': secret, 'sip-address': 'fail.sip.example' }))).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('Nothing was saved'),
    })
    expect(await run('sip-trunks update Reception --sip-address fail.sip.example')).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining('Failed to update SIP trunk.'),
    })
  })

  test('with nothing to change is exit 2', async () => {
    expect(await operator().run('sip-trunks update 1')).toMatchObject({ exitCode: 2, requests: [] })
  })
})

describe('deleting a trunk', () => {
  test('requires confirmation, lists what is deleted, and deletes at once', async () => {
    const { run, json } = operator()
    const without = await run('sip-trunks delete Reception')
    expect(without).toMatchObject({ exitCode: 10 })
    expect(without.requests.filter((it) => it.startsWith('DELETE'))).toEqual([])
    const { exitCode, stdout, asked } = await run('sip-trunks delete Reception', {
      answers: [['Delete SIP trunk 1 at pbx.northwind.example and its number 2001 ("Reception")?', true]],
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Deleted SIP trunk 1 and its number 2001.\n' })
    expect(asked).toHaveLength(1)
    expect((await json('sip-trunks list')).map((it: { phone_number: string }) => it.phone_number)).toEqual([
      '+14155550177',
    ])
    expect((await json('numbers list')).some((it: { phone_number: string }) => it.phone_number === '2001')).toBe(false)
  })

  test('never releases a number that is not a SIP trunk', async () => {
    const { run, json } = operator()
    const before = await json('numbers list')
    const { exitCode, requests } = await run('sip-trunks delete 2 --yes')
    expect(exitCode).toBe(4)
    expect(requests.filter((it) => it.startsWith('DELETE'))).toEqual([])
    expect(await json('numbers list')).toEqual(before)
  })

  test('shows what it would send with --dry-run', async () => {
    const { run } = operator()
    const { stdout, requests } = await run('sip-trunks delete 1 --dry-run')
    expect(stdout).toContain('/api/user/phone-numbers/1')
    expect(requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })

  test('gives programs the response of the platform', async () => {
    expect(await operator().json('sip-trunks delete 1 --yes')).toEqual({
      id: 1,
      message: 'Phone number deleted successfully.',
    })
  })
})

test.each([
  ['is gone', (file: string) => rmSync(file, { force: true }), 2, /encryption key is missing or empty: secret\.key/],
  [
    'is gone, which was accepted,',
    (file: string) => {
      rmSync(file, { force: true })
      rmSync(join(file, '..', 'folder.json'))
    },
    8,
    /encrypted with a different key than the one in secret\.key\. Restore the original secret\.key, or enter the secret again/,
  ],
  [
    'is damaged',
    (file: string) => writeFileSync(file, 'nothing'),
    8,
    /secret\.key in the data folder is damaged\. Copy it back from a backup/,
  ],
])(
  'a trunk that must be recreated when the key of the data folder %s prints the reason and the fix',
  async (_, harm, exit, words) => {
    const { run, json, dataDir } = operator({ supports: 'neutral' })
    const { id } = (await json('sip-trunks list'))[0]
    harm(join(dataDir, 'secret.key'))
    const { exitCode, stdout, stderr } = await run(`sip-trunks update ${id} --sip-username abcd`)
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: exit, stdout: '', stderr: expect.stringMatching(words) })
    for (const name of ['secret.key', 'folder.json']) rmSync(join(dataDir, name), { force: true })
    expect(await run(`sip-trunks update ${id} --sip-username abcd --sip-password another`)).toMatchObject({
      exitCode: 0,
    })
  },
)
