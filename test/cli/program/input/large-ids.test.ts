import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withLargeIds, withLargeTextIds } from '../../../support/large-ids.ts'
import { operator } from '../../../support/operator.ts'

const [first, second, third, fourth] = ['9007199254740993', '9007199254740994', '9007199254740995', '9007199254740996']

describe.each([
  ['numbers', withLargeIds],
  ['texts', withLargeTextIds],
])('ids above 2^53 that are %s', (_, through) => {
  test('attach and detach tools of an assistant', async () => {
    const by = operator()
    const toolIds = async (): Promise<string> =>
      (await by.run(`assistants get ${first} --json --fields tool_ids`, { through })).stdout.replaceAll(/["\s]/g, '')
    const update = (flags: string) => by.run(`assistants update ${first} ${flags}`, { through })
    expect(await toolIds()).toBe(`{tool_ids:[${first},${second},${third}]}`)
    expect(await update(`--add-tool ${second}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes'),
    })
    expect(await update(`--remove-tool ${second}`)).toMatchObject({ exitCode: 0 })
    expect(await toolIds()).toBe(`{tool_ids:[${first},${third}]}`)
  })

  test.each([
    [
      'messages',
      `messaging send --sender ${first} --template ${first} --var appointment_day=Monday`,
      'POST /api/user/messaging/send',
      2,
    ],
    [
      'messages, with names',
      'messaging send --sender +14155550170 --template appointment_reminder --var appointment_day=Monday',
      'POST /api/user/messaging/send',
      2,
    ],
    ['SMS', `sms send --from ${fourth} --body "Hello {{first_name}}"`, 'POST /api/user/sms', 2],
    ['leads', `leads import --campaign ${first}`, 'POST /api/user/lead-batches', 1],
    ['leads, with a name', 'leads import --campaign "Call back"', 'POST /api/user/lead-batches', 1],
  ])('%s from a file carry them with all digits, and are done once', async (_name, line, request, sent) => {
    const by = operator()
    writeFileSync(join(by.cwd, 'people.csv'), 'phone,first_name\n+14155550111,Anna\n+14155550112,Bob\n')
    const send = async () => {
      const run = await by.run(`${line} --file people.csv --yes`, { through })
      expect(run.exitCode, run.stderr).toBe(0)
      return run.requests.filter((it) => it === request).length
    }
    expect([await send(), await send()]).toEqual([sent, 0])
  })

  test.each([
    [
      `messaging send --sender ${first} --template ${first} --to +14155550111 --var 1=Anna --var 2=Monday`,
      'messaging send --sender +14155550170 --template appointment_reminder --var 2=Monday',
      'message',
    ],
    [
      'sms send --from "Front desk" --to +14155550111 --body "Hello Anna"',
      `sms send --from ${fourth} --body "Hello {{first_name}}"`,
      'SMS',
    ],
  ])('a file repeats nothing that a single message sent: %s', async (single, rows, what) => {
    const by = operator()
    expect(await by.run(single, { through })).toMatchObject({ exitCode: 0 })
    writeFileSync(join(by.cwd, 'people.csv'), 'phone,first_name\n+14155550111,Anna\n')
    expect((await by.run(`${rows} --file people.csv --yes`, { through })).stderr).toContain(`Skipped 1 ${what}`)
  })

  test('calls follow reads the call with the given id until it has ended', async () => {
    const by = operator()
    const started = [
      await by.json('calls start +14155550142 --assistant 2 --yes'),
      await by.json('calls start +14155550143 --assistant 2 --yes'),
    ]
    // A number holds an even id above 2^53 exactly.
    const large = String(BigInt(started.find(({ id }) => id % 2 === 1).id) + 9007199254740992n)
    const followed = await by.run(`calls follow ${large}`, {
      through: async (handle, request) => {
        by.wait(15_000)
        return through(handle, request)
      },
    })
    expect([0, 20], followed.stderr).toContain(followed.exitCode)
    expect(followed.stdout).toContain(`Call ${large} ended`)
    const reads = followed.requests.filter((it) => it.startsWith('GET /api/user/calls/'))
    expect(new Set(reads)).toEqual(new Set([`GET /api/user/calls/${large}`]))
    expect(reads.length).toBeGreaterThan(1)
  })

  test('a campaign takes the template of a sender by name', async () => {
    const by = operator()
    const create = `campaigns create --name Reminder --channel messaging --messaging-sender-id ${first} --messaging-template-id appointment_reminder`
    const created = await by.run(`${create} --json --fields messaging_template_id`, { through })
    expect([created.exitCode, created.stdout], created.stderr).toEqual([0, expect.stringContaining(first)])
  })

  test('an automation of a template is not built while its assistant lacks a variable', async () => {
    const by = operator()
    const apply = (id: string, options = {}) =>
      by.run(
        `automate apply post-call-hot-lead-alert --assistant-id ${id} --param alert_email=team@northwind.example`,
        options,
      )
    expect((await apply('1')).stderr).toMatch(/^warning: Assistant .* does not extract status/)
    expect((await apply(first, { through })).stderr).toMatch(/^warning: Assistant .* does not extract status/)
  })

  test.each([
    [`messaging send --sender ${first} --template ${first} --to +14155550111 --var 1=Anna --var 2=Monday`],
    [`campaigns start ${first} --yes`],
  ])('the price of a paid request is read with them: %s', async (line) => {
    const by = operator()
    const price = async (text: string, options = {}) =>
      /This can cost [\d.]+ USD/.exec((await by.run(`${text} --budget 0.0001`, options)).stderr)?.[0]
    const known = await price(line.replaceAll(/9007199254740993/g, '1'))
    expect(known).toMatch(/USD/)
    expect(await price(line, { through })).toBe(known)
  })
})
