import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

const number = '+14155550111'
const elsewhere = { through: notParleyServer }
const note = 'The list is on this computer, and other programs and campaigns do not know it.'

test('the list of a platform without opt-outs is on this computer, and each send says so', async () => {
  const by = operator()
  const sms = `sms send --from 4 --to ${number} --body Hello`
  expect((await by.run(sms, elsewhere)).stderr).not.toContain(note)
  expect(await by.run(`contacts block ${number} --channel all --reason "Asked by phone"`, elsewhere)).toMatchObject({
    exitCode: 0,
    stdout: 'Added 3 blocks.\n',
    stderr: expect.stringContaining(note),
  })
  for (const command of [
    `messaging send --sender 1 --template 1 --to ${number} --var 1=Anna --var 2=Monday`,
    `${sms} --ignore-open --yes`,
    `calls start ${number} --assistant 2 --yes`,
  ]) {
    const preview = await by.run(`${command} --dry-run`, elsewhere)
    expect([preview.exitCode, preview.stderr], command).toEqual([
      0,
      expect.stringContaining('It would be refused: the recipient has opted out.'),
    ])
    const { exitCode, stderr, requests } = await by.run(command, elsewhere)
    expect([command, exitCode]).toEqual([command, 5])
    expect(stderr).toContain('The recipient has opted out. Nothing was sent.')
    expect(stderr).toContain(note)
    expect(requests.filter((it) => /POST .*(?:send|sms|make_call)/.test(it))).toEqual([])
  }
  expect(await by.run('sms send --from 4 --to +14155550112 --body Hello', elsewhere)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(note),
  })
  // The platform does not know the list.
  expect(await by.json('contacts list')).toEqual([])
})

test('the list on this computer is listed, exported, imported and changed like that of a platform', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'blocked.csv'), `phone,channel,reason\n${number},sms,No\n+14155550112,call,\n`)
  expect(await by.json('contacts import --file blocked.csv', elsewhere)).toMatchObject({ rows: 2, done: 2 })
  expect(await by.json('contacts list --channel sms', elsewhere)).toEqual([
    { phone_number: number, channel: 'sms', reason: 'No', source: 'import', created_at: expect.any(String) },
  ])
  expect((await by.run('contacts export', elsewhere)).stdout.split('\n')).toHaveLength(4)
  expect(await by.run(`contacts unblock ${number} --channel all`, elsewhere)).toMatchObject({
    exitCode: 0,
    stdout: 'Removed 1 block.\n',
  })
  expect(await by.json('contacts list', elsewhere)).toMatchObject([{ phone_number: '+14155550112' }])
})

test('rows of a file are skipped, too', async () => {
  const by = operator()
  await by.run(`contacts block ${number} --channel sms`, elsewhere)
  writeFileSync(join(by.cwd, 'people.csv'), `to\n${number}\n+14155550112\n`)
  const { exitCode, stdout, stderr } = await by.run('sms send --from 4 --file people.csv --body Hello --yes', elsewhere)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('1 skipped: the recipient has opted out')
  expect(stderr).toContain(note)
})

test('words to opt out by reply need a platform with opt-outs', async () => {
  expect(await operator().run('contacts settings', elsewhere)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "opt-outs"'),
  })
})
