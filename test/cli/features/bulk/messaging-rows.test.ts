import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Handle, type Operator, type OperatorOptions, operator } from '../../../support/operator.ts'

const sends = (requests: readonly string[]): number =>
  requests.filter((it) => it === 'POST /api/user/messaging/send').length
const isSend = ({ url }: { readonly url: string }): boolean => url === '/api/user/messaging/send'

function withFile(text: string, options: OperatorOptions = {}): Operator {
  const by = operator(options)
  writeFileSync(join(by.cwd, 'people.csv'), text)
  return by
}

const rows = (n: number): string =>
  `phone,first_name,day\n${Array.from({ length: n }, (_, it) => `+1415555${1000 + it},Anna ${it},Monday\n`).join('')}`
const sending = 'messaging send --sender 1 --template appointment_reminder --map appointment_day=day --file people.csv'

describe('messages from a file', () => {
  test('each row is a message with the variables of its template', async () => {
    const by = withFile(
      'Name;Phone;First Name;2;note\nAnna Berg;+14155550111;Anna;Monday;x\n;+14155550112;Bob;"Tuesday; late";\n',
    )
    const bodies: unknown[] = []
    const { exitCode, stdout, stderr } = await by.run(
      'messaging send --sender 1 --template appointment_reminder --file people.csv --yes',
      {
        through: async (handle, request) => {
          if (isSend(request)) bodies.push(JSON.parse(request.body ?? ''))
          return handle(request)
        },
      },
    )
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^2 messages sent in/)])
    expect(stderr).toContain('Phone -> recipient_phone')
    expect(stderr).toContain('not sent: note')
    expect(bodies).toEqual([
      {
        sender_id: 1,
        template_id: 1,
        recipient_phone: '+14155550111',
        recipient_name: 'Anna Berg',
        variables: { first_name: 'Anna', appointment_day: 'Monday' },
      },
      {
        sender_id: 1,
        template_id: 1,
        recipient_phone: '+14155550112',
        variables: { first_name: 'Bob', appointment_day: 'Tuesday; late' },
      },
    ])
    expect(await by.json('ops list')).toHaveLength(2)
  })

  test('requires confirmation, and prints the cost', async () => {
    const by = withFile(rows(2))
    const { exitCode, stdout, stderr, requests } = await by.run(sending)
    expect([exitCode, stdout, sends(requests)]).toEqual([10, '', 0])
    expect(stderr).toContain(
      'Sending 2 messages from Northwind Dental (+14155550170) with the template "appointment_reminder" is charged to the balance',
    )
    expect(stderr).toContain('Cost: 0.016 USD, 0.008 USD per message. Your balance is 25.00 USD.')
    const asked = await by.run(sending, { answers: [[/Minimum duration: 0 s\. Send 2 messages .*\?$/, false]] })
    expect([asked.exitCode, sends(asked.requests)]).toEqual([10, 0])
  })

  test('prints the total cost of many messages', async () => {
    const by = withFile(rows(900))
    expect((await by.run(sending)).stderr).toMatch(
      /Sending 900 messages .* Cost: 7\.20 USD, 0\.008 USD per message\. Your balance is 25\.00 USD\./,
    )
  })

  test('the same command again sends nothing twice', async () => {
    const by = withFile(rows(3))
    expect(sends((await by.run(`${sending} --yes`)).requests)).toBe(3)
    const again = await by.run(`${sending} --yes`)
    expect([again.exitCode, sends(again.requests), again.stdout]).toEqual([
      0,
      0,
      expect.stringContaining('every row of people.csv is done'),
    ])
    expect(again.stderr).toBe('To send all rows a second time, and be charged again, pass --resend.\n')
  })

  test('--resend says before it asks how many messages repeat what their recipients were sent', async () => {
    const by = withFile(rows(3))
    expect(sends((await by.run(`${sending} --yes`)).requests)).toBe(3)
    const repeated = '3 of 3 messages repeat what the recipient was sent in the last 7 days.'
    const refused = await by.run(`${sending} --resend`)
    expect([refused.exitCode, sends(refused.requests)]).toEqual([10, 0])
    expect(refused.stderr).toContain(`error: ${repeated} Sending 3 messages from`)
    by.wait(2000)
    const asked = await by.run(`${sending} --resend`, {
      answers: [[/3 of 3 messages repeat .* Send 3 messages .*\?$/, true]],
    })
    expect([asked.exitCode, sends(asked.requests)]).toEqual([0, 3])
    expect((await by.run(`${sending} --resend --dry-run`)).stderr).toContain(repeated)
    // A file of other content repeats nothing.
    expect((await withFile(rows(3)).run(`${sending} --resend`)).stderr).not.toContain('repeat')
  })

  test.each([
    [
      'a placeholder without a column',
      'phone,first_name\n+14155550111,Anna\n',
      '--yes',
      'Missing column appointment_day.',
    ],
    [
      'a placeholder without a value',
      'phone,first_name,appointment_day\n+14155550111,,Monday\n',
      '--yes',
      'line 2, first_name: Missing value for {{1}}.',
    ],
    [
      'the same recipient twice',
      'phone,first_name,appointment_day\n+14155550111,A,M\n+1 415 555 0111,B,M\n',
      '--yes',
      'line 3, recipient_phone: Duplicate of line 2.',
    ],
    [
      'a name that is too long',
      `phone,first_name,appointment_day,name\n+14155550111,A,M,${'n'.repeat(256)}\n`,
      '--yes',
      'recipient_name:',
    ],
    [
      'an unknown variable',
      'phone,first_name,appointment_day\n+14155550111,A,M\n',
      '--yes --var town=Bern',
      'The template has no placeholder "town".',
    ],
    [
      'one recipient besides',
      'phone,first_name,appointment_day\n+14155550111,A,M\n',
      '--yes --to +14155550112',
      '--to cannot be combined with --file: it applies to a single message.',
    ],
  ])('%s is reported before anything is sent', async (_, text, flags, shown) => {
    const { exitCode, stderr, requests } = await withFile(text).run(
      `messaging send --sender 1 --template appointment_reminder --file people.csv ${flags}`,
    )
    expect([exitCode, sends(requests)]).toEqual([2, 0])
    expect(stderr).toContain(shown)
  })

  test('--var sets variables that rows do not have', async () => {
    const by = withFile('phone,first_name\n+14155550111,Anna\n')
    expect(
      await by.json('messaging send --sender 1 --template 1 --file people.csv --var 2=Monday --yes'),
    ).toMatchObject({ done: 1 })
  })

  test('more recipients than the limit of the sender are refused, and can be sent in parts', async () => {
    const by = withFile('phone\n+14155550111\n+14155550112\n+14155550113\n')
    const line = 'messaging send --sender 3 --template opening_hours --file people.csv --yes'
    const templates = await by.json<{ id: number; has_variables: boolean }[]>('messaging templates 3')
    const own = line.replace(
      'opening_hours',
      String(templates.find((it) => !it.has_variables)?.id ?? `${templates[0]?.id} --var 1=x`),
    )
    const { exitCode, stderr, requests } = await by.run(own)
    expect([exitCode, sends(requests)]).toEqual([2, 0])
    expect(stderr).toContain('people.csv has 3 recipients, but ')
    const part = await by.run(`${own} --limit 1 --json`)
    expect([part.exitCode, JSON.parse(part.stdout)]).toEqual([11, expect.objectContaining({ done: 1, left: 2 })])
  })

  test('flags for rows are refused with a single message', async () => {
    const { exitCode, stderr } = await operator().run(
      'messaging send --sender 1 --template opening_hours --to +14155550111 --again',
    )
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--again requires --file with rows.')])
  })
})

describe('messages whose response is lost', () => {
  const losing =
    (lost: number, how: 'before' | 'after') =>
    async (handle: Handle, request: Parameters<Handle>[0]): Promise<Awaited<ReturnType<Handle>>> => {
      if (!isSend(request) || request.headers['parley-recall'] || lost-- <= 0) return handle(request)
      const answer = how === 'after' ? await handle(request) : { status: 200, headers: {}, body: '{}' }
      return { ...answer, cut: 'answer' }
    }

  test('are reported as unknown, next to those that were sent', async () => {
    const by = withFile(rows(4))
    const { exitCode, stdout, stderr } = await by.run(`${sending} --yes --json`, { through: losing(1, 'after') })
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      11,
      expect.objectContaining({ done: 3, unknown: 1, failed: 0, left: 0 }),
    ])
    expect(stderr).toContain('The outcome of 1 message is unknown, so it is not sent again.')
  })

  test('are resolved by the next run, and are not sent again', async () => {
    const by = withFile(rows(4))
    await by.run(`${sending} --yes`, { through: losing(1, 'after') })
    const again = await by.run(`${sending} --yes --json`)
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([
      0,
      expect.objectContaining({ done: 1, done_before: 3, unknown: 0 }),
    ])
    expect(await by.json('ops list --open')).toEqual([])
    expect(readFileSync(join(by.dataDir, 'spends.ndjson'), 'utf8').match(/"intent"/g)).toHaveLength(4)
  })

  test('are sent once if they never arrived', async () => {
    const by = withFile(rows(4))
    await by.run(`${sending} --yes`, { through: losing(1, 'before') })
    expect(await by.json(`${sending} --yes`)).toMatchObject({ done: 1, done_before: 3, unknown: 0 })
    expect(await by.json('ops list --open')).toEqual([])
  })

  test('stop the run after several lost responses in a row: exit code 12 if none is known to be sent', async () => {
    const by = withFile(rows(5))
    const { exitCode, stdout, requests } = await by.run(`${sending} --yes`, { through: losing(5, 'after') })
    expect([exitCode, stdout, sends(requests)]).toEqual([12, '', expect.any(Number)])
    expect(sends(requests)).toBeLessThanOrEqual(5)
  })

  test('stay unknown on a platform that does not report outcomes, and are never sent again', async () => {
    const by = withFile(rows(2))
    await by.run(`${sending} --yes`, { through: losing(1, 'after') })
    const again = await by.run(`${sending} --yes --json`, {
      through: async (handle, request) => {
        if (isSend(request)) return handle(request)
        const answer = await handle(request)
        const { 'parley-assumed': _, 'parley-capabilities': __, ...headers } = answer.headers
        return { ...answer, headers }
      },
    })
    expect([again.exitCode, sends(again.requests), JSON.parse(again.stdout)]).toEqual([
      11,
      0,
      expect.objectContaining({ unknown: 1, done_before: 1 }),
    ])
  })
})

describe('a refusal of the channel', () => {
  test('of a second message to a recipient does not stop the others', async () => {
    const by = withFile(rows(3))
    let n = 0
    const { exitCode, stdout } = await by.run(`${sending} --yes --json`, {
      through: async (handle, request) =>
        isSend(request) && n++ === 1
          ? {
              status: 422,
              headers: {},
              body: '{"success":false,"error":"Not on the channel","error_code":"PROVIDER_ERROR_63024"}',
            }
          : handle(request),
    })
    const { failed_file, ...result } = JSON.parse(stdout)
    expect([exitCode, result]).toEqual([11, expect.objectContaining({ done: 2, failed: 1 })])
    expect(readFileSync(failed_file, 'utf8')).toMatch(
      /^parley_error,parley_row,phone,first_name,day\nNot on the channel,[0-9a-f-]+,\+1\d+,Anna \d,Monday\n$/,
    )
    expect(readdirSync(by.cwd).sort()).toEqual(['people.csv', 'people.failed.csv'])
  })

  test.each([
    ['the sender is offline', 422, 'SENDER_OFFLINE', 6],
    ['the balance is empty', 402, 'INSUFFICIENT_BALANCE', 13],
    ['the limit of the day is reached', 422, 'PROVIDER_ERROR_63018', 6],
  ])('of every message ends the run at once: %s', async (_, status, code, exit) => {
    const by = withFile(rows(5))
    const { exitCode, requests } = await by.run(`${sending} --yes`, {
      through: async (handle, request) =>
        isSend(request)
          ? { status, headers: {}, body: JSON.stringify({ success: false, error: 'No.', error_code: code }) }
          : handle(request),
    })
    expect([exitCode, sends(requests)]).toEqual([exit, 1])
  })

  test('because of the rate limit is retried after the wait', async () => {
    const by = withFile(rows(12), { clock: 'real' })
    const start = performance.now()
    expect(await by.json(`${sending} --yes`)).toMatchObject({ done: 12, failed: 0 })
    expect(performance.now() - start).toBeGreaterThan(2000)
  })
})
