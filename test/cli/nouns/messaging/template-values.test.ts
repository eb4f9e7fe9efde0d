import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const bad = [
  ['a line break', 'Mon\nday'],
  ['a line break', 'Mon\r\nday'],
  ['a line break', 'Mon\vday'],
  ['a line break', 'Mon\fday'],
  ['a line break', 'Mon\u0085day'],
  ['a tab', 'Mon\tday'],
  ['more than four spaces in a row', 'Mon     day'],
] as const
const sending = (value: string, ...more: string[]): string[] => [
  ...['messaging', 'send', '--sender', '1', '--template', 'appointment_reminder', '--to', '+14155550111'],
  ...['--var', '1=Anna', '--var', `2=${value}`, ...more],
]

describe.each(bad)('a value of a template with %s (%j)', (what, value) => {
  test('is refused before anything is sent, also in a dry run', async () => {
    const by = operator()
    for (const more of [[], ['--dry-run']]) {
      const { exitCode, stderr, requests } = await by.run(sending(value, ...more))
      expect([exitCode, requests.filter((it) => it.startsWith('POST'))]).toEqual([2, []])
      expect(stderr).toContain(`The value of placeholder 2 contains ${what}.`)
    }
  })

  test('in a row of a file is named with its line, also in a dry run', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'people.csv'), `phone,1,2\n+14155550111,Anna,Monday\n+14155550112,Bob,"${value}"\n`)
    for (const more of ['--dry-run', '--yes']) {
      const run = await by.run(`messaging send --sender 1 --template appointment_reminder --file people.csv ${more}`)
      expect(run.stdout + run.stderr).toContain(`Contains ${what}.`)
      expect(run.requests.filter((it) => it.startsWith('POST'))).toEqual([])
    }
  })

  test('is refused by the platform, and not charged', async () => {
    const by = operator()
    const balance = async () => (await by.json<{ balance: unknown }[]>('server accounts list'))[0]?.balance
    const before = await balance()
    const fields = { sender_id: 1, template_id: 1, recipient_phone: '+14155550111', variables: { 1: 'Anna', 2: value } }
    const sent = await by.run(['api', 'messaging.send', '--data', JSON.stringify(fields), '--yes'])
    expect(sent.exitCode).not.toBe(0)
    expect(sent.stdout + sent.stderr).toContain(`A value of the template contains ${what}.`)
    expect(await balance()).toEqual(before)
  })
})

test('a value with four spaces is sent', async () => {
  expect((await operator().run(sending('Mon    day', '--yes'))).exitCode).toBe(0)
})
