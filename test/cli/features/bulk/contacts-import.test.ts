import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const path = '/api/user/blocked-contacts'
const numberOf = (n: number): string => `+1415${6_000_000 + n}`

test('rows are sent 500 at a time, with the channel of the row or of the command', async () => {
  const by = operator()
  const lines = Array.from({ length: 1200 }, (_, n) => `${numberOf(n)},${n % 2 ? 'call' : ''},Reason ${n}\n`)
  writeFileSync(join(by.cwd, 'blocked.csv'), `Mobile,Channel,Reason\n${lines.join('')}`)
  const { exitCode, stdout, requests } = await by.run('contacts import --file blocked.csv --channel sms --json')
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ rows: 1200, done: 1200, failed: 0 })])
  expect(requests.filter((it) => it === `POST ${path}`)).toHaveLength(3)
  expect((await by.json('contacts list --envelope --per-page 1')).total).toBe(1200)
  expect(await by.json(`contacts list --phone-number ${numberOf(3)}`)).toMatchObject([
    { channel: 'call', reason: 'Reason 3', source: 'import' },
  ])
})

test('an export is imported again without a difference after contacts were unblocked', async () => {
  const by = operator()
  await by.run('contacts block +14155550111 --channel all --reason "No, thanks" --source form')
  const exported = (await by.run('contacts export')).stdout
  writeFileSync(join(by.cwd, 'blocked.csv'), exported)
  for (let i = 0; i < 2; i++) {
    await by.run('contacts unblock +14155550111 --channel all')
    expect(await by.json('contacts import --file blocked.csv')).toMatchObject({ rows: 3, done: 3 })
    const withoutTime = (text: string) => text.replaceAll(/,[^,]*$/gm, '')
    expect(withoutTime((await by.run('contacts export')).stdout)).toBe(withoutTime(exported))
  }
})

test('two channels of one contact are two rows, and not two contacts', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'blocked.csv'), 'phone,channel\n+14155550111,sms\n+14155550111,call\n')
  expect((await by.run('contacts import --file blocked.csv')).stdout).toMatch(/^2 rows on the list of blocked contacts/)
  writeFileSync(join(by.cwd, 'bad.csv'), 'phone,channel\n+14155550111,fax\n+14155550111,call\n')
  expect(await by.run('contacts import --file bad.csv --dry-run')).toMatchObject({
    exitCode: 20,
    stdout: 'Nothing would be sent: 1 of 2 rows is invalid.\n',
    stderr: expect.stringContaining('pass --skip-invalid: 1 row would be on the list of blocked contacts.'),
  })
})

test('a row that is invalid is named, and nothing is sent', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'blocked.csv'), 'phone,channel\n+14155550111,sms\n0171,sms\n+14155550112,fax\n')
  const { exitCode, stderr } = await by.run('contacts import --file blocked.csv')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('line 3')
  expect(stderr).toContain('line 4')
  expect(await by.json('contacts list')).toEqual([])
  writeFileSync(join(by.cwd, 'no-channel.csv'), 'phone\n+14155550111\n')
  const missing = await by.run('contacts import --file no-channel.csv')
  expect(missing.exitCode).toBe(2)
  expect(missing.stderr).toContain('channel')
})

test('a file that was imported before is imported again, and is not said to have been sent to anybody', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'blocked.csv'), 'phone,channel\n+14155550101,sms\n')
  await by.run('contacts import --file blocked.csv')
  const { stdout, stderr } = await by.run('contacts import --file blocked.csv --dry-run')
  expect(stderr).not.toContain('was sent in')
  expect(stdout).toBe('1 row would be on the list of blocked contacts.\n')
  expect((await by.run('contacts import --file blocked.csv')).stdout).toContain('1 row on the list')
})
