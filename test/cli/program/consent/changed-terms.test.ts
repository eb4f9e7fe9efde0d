import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// What a person agreed to is what is sent: price, file, template, assistant and leads are read again after the answer.

const posts = (requests: readonly string[], path: string): number =>
  requests.filter((it) => it === `POST ${path}` || it === `PUT ${path}`).length

type Change = { prices?: Record<string, unknown>; templates?: (template: Record<string, unknown>) => void }

/** A platform whose prices and templates change once `happen` is called. */
function changing({ prices, templates }: Change) {
  let hasHappened = false
  const through: NonNullable<RunOptions['through']> = async (handle, request) => {
    const reply = await handle(request)
    if (!hasHappened || request.method !== 'GET') return reply
    const body = JSON.parse(String(reply.body))
    if (prices && request.url.includes('/billing/summary')) Object.assign(body.data.prices, prices)
    if (templates && request.url.includes('/templates')) for (const template of body.data) templates(template)
    return { ...reply, body: JSON.stringify(body) }
  }
  const happen = (): true => {
    hasHappened = true
    return true
  }
  return { through, happen }
}

describe('calls start', () => {
  const line = 'calls start +14155550142 --assistant Recall'

  test('an unchanged price is one call', async () => {
    const { requests, exitCode, asked } = await operator({ supports: 'neutral' }).run(line, {
      answers: [['0.10 USD per minute, length unknown', true]],
    })
    expect([exitCode, posts(requests, '/api/user/make_call'), asked.length]).toEqual([0, 1, 1])
  })

  test('a price that rose is asked about again, and No places no call', async () => {
    const { through, happen } = changing({ prices: { call_minute: 0.3 } })
    const { requests, exitCode, stderr } = await operator({ supports: 'neutral' }).run(line, {
      through,
      answers: [
        ['0.10 USD per minute', happen],
        ['0.30 USD per minute', false],
      ],
    })
    expect([exitCode, posts(requests, '/api/user/make_call')]).toEqual([10, 0])
    expect(stderr).toContain(
      'The price changed from 0.10 USD per minute, length unknown to 0.30 USD per minute, length unknown.',
    )
  })

  test('an assistant that was renamed or deleted is asked about again', async () => {
    const by = operator({ supports: 'neutral' })
    const { requests, exitCode, stderr } = await by.run(line, {
      answers: [
        [
          'with the assistant "Recall" (2)?',
          async () => (await by.run('assistants update 2 --name Reminder')).exitCode === 0,
        ],
        ['with the assistant "Reminder" (2)?', false],
      ],
    })
    expect([exitCode, posts(requests, '/api/user/make_call')]).toEqual([10, 0])
    expect(stderr).toContain('The assistant changed from "Recall" (2) to "Reminder" (2).')
  })

  test('a platform that does not publish prices says so', async () => {
    const { asked } = await operator({ supports: 'neutral' }).run(line, {
      through: notParleyServer,
      answers: [['Price: unknown', false]],
    })
    expect(asked).toHaveLength(1)
  })
})

describe('campaigns start', () => {
  const path = '/api/user/campaigns/update-status'

  test('shows the price of a minute and asks again when leads were added', async () => {
    const by = operator({ supports: 'neutral' })
    const { requests, exitCode, stderr } = await by.run('campaigns start 1', {
      answers: [
        [
          /calls \d+ new leads?, .*Price: 0\.10 USD per minute, length unknown/,
          async () => (await by.run('leads create --campaign 1 --phone-number +14155550177')).exitCode === 0,
        ],
        ['Start campaign', false],
      ],
    })
    expect([exitCode, posts(requests, path)]).toEqual([10, 0])
    expect(stderr).toMatch(/The number of new leads changed from \d+ to \d+\./)
  })

  test('asks again when a lead that would be skipped was unblocked', async () => {
    const by = operator({ supports: 'neutral' })
    const [{ phone_number }] = await by.json('leads list --campaign 2')
    await by.run(`contacts block ${phone_number} --channel messaging`)
    const unblock = `contacts unblock ${phone_number} --channel messaging --yes`
    const { requests, exitCode, stderr } = await by.run('campaigns start 2', {
      answers: [
        [/1 opted out\. It messages 1 new lead,/, async () => (await by.run(unblock)).exitCode === 0],
        [/^(?!.*opted out).*It messages 2 new leads/, false],
      ],
    })
    expect([exitCode, posts(requests, path)]).toEqual([10, 0])
    expect(stderr).toContain('The number of skipped leads changed from 1 to 0.')
  })

  test('asks again when the template changed, and starts once', async () => {
    const { through, happen } = changing({
      templates: (it) => void (it.body_text = `${it.body_text} Now with 20 % off.`),
    })
    const by = operator({ supports: 'neutral' })
    const { requests, exitCode, stderr } = await by.run('campaigns start 2', {
      through,
      answers: [
        ['0.008 USD per message', happen],
        ['0.008 USD per message', true],
      ],
    })
    expect([exitCode, posts(requests, path)], stderr).toEqual([0, 1])
    expect(stderr).toContain('The text of the template changed from')
  })
})

describe('a file of messages', () => {
  const line = 'messaging send --sender 1 --template opening_hours --file people.csv'
  const path = '/api/user/messaging/send'
  const write = (by: Operator, n: number, text = ''): void =>
    writeFileSync(
      join(by.cwd, 'people.csv'),
      `phone${text}\n${Array.from({ length: n }, (_, it) => `+1415555${1000 + it}\n`).join('')}`,
    )

  test('that does not change is sent once, for the price that was shown', async () => {
    const by = operator({ supports: 'neutral' })
    write(by, 2)
    const { exitCode, requests, stderr } = await by.run(line, {
      answers: [['Cost: 0.016 USD, 0.008 USD per message', true]],
    })
    expect([exitCode, posts(requests, path)]).toEqual([0, 2])
    expect(stderr).toContain('Cost: 0.016 USD.')
  })

  test.each(['in place', 'by another file'])(
    'that changes %s while the question is open is checked and asked about again',
    async (how) => {
      const by = operator({ supports: 'neutral' })
      write(by, 2)
      const { exitCode, requests, stderr } = await by.run(line, {
        answers: [
          [
            'Send 2 messages',
            () => {
              if (how !== 'in place') rmSync(join(by.cwd, 'people.csv'))
              write(by, 5)
              return true
            },
          ],
          ['Send 5 messages', false],
        ],
      })
      expect([exitCode, posts(requests, path)]).toEqual([10, 0])
      expect(stderr).toContain('people.csv changed while the question was open. Its rows are checked again.')
    },
  )

  test('that changes while the question about invalid rows is open is checked again', async () => {
    const by = operator({ supports: 'neutral' })
    writeFileSync(join(by.cwd, 'people.csv'), 'phone\n+14155551000\nnone\n')
    const { exitCode, requests } = await by.run(line, {
      answers: [
        [
          'Skip it',
          () => {
            write(by, 3)
            return true
          },
        ],
        ['Send 3 messages', true],
      ],
    })
    expect([exitCode, posts(requests, path)]).toEqual([0, 3])
  })

  test('is asked about again when the price rose, and ends with exit 5 above --budget', async () => {
    for (const [flags, exit] of [
      ['', 10],
      ['--budget 0.02', 5],
    ] as const) {
      const by = operator({ supports: 'neutral' })
      write(by, 2)
      const { through, happen } = changing({ prices: { messages: { utility: 0.05, marketing: 0.05 } } })
      const { exitCode, requests, stderr } = await by.run(`${line} ${flags}`, {
        through,
        answers: [
          ['0.008 USD per message', happen],
          ...(exit === 10 ? ([['Cost: 0.10 USD, 0.05 USD per message', false]] as const) : []),
        ],
      })
      expect([exitCode, posts(requests, path)], stderr).toEqual([exit, 0])
    }
  })

  test('shows its cost in a dry run and in the result, as a number in JSON', async () => {
    const by = operator({ supports: 'neutral' })
    write(by, 2)
    expect(await by.json(`${line} --dry-run`)).toMatchObject({ left: 2, cost_usd: 0.016 })
    expect((await by.run(`${line} --dry-run`)).stderr).toContain('Cost: 0.016 USD.')
    expect(await by.json(`${line} --yes`)).toMatchObject({ done: 2, cost_usd: 0.016 })
  })

  test('of SMS counts the segments of each row', async () => {
    const by = operator({ supports: 'neutral' })
    writeFileSync(join(by.cwd, 'sms.csv'), `phone,body\n+14155551000,Hello\n+14155551001,${'x'.repeat(161)}\n`)
    const sms = 'sms send --from 4 --file sms.csv'
    expect(await by.json(`${sms} --dry-run`)).toMatchObject({ left: 2, cost_usd: 0.03 })
    const { through, happen } = changing({ prices: { sms_segment: 0.02 } })
    const declined = await by.run(sms, {
      through,
      answers: [
        ['Cost: 0.03 USD, 0.01 USD per segment', happen],
        ['Cost: 0.06 USD, 0.02 USD per segment', false],
      ],
    })
    expect([declined.exitCode, posts(declined.requests, '/api/user/sms')]).toEqual([10, 0])
    const { phone_number: from } = await by.json('numbers get 4')
    expect(declined.asked[0]).toContain(`Send 2 SMS from ${from} (4)?`)
    expect(await by.json(`${sms} --yes`)).toMatchObject({ done: 2, cost_usd: 0.03 })
  })
})

test('leads of a campaign that starts while the question is open are asked about again', async () => {
  const by = operator({ supports: 'neutral' })
  writeFileSync(join(by.cwd, 'leads.csv'), 'phone\n+14155551000\n')
  const { exitCode, stderr } = await by.run('leads import --campaign 1 --file leads.csv', {
    answers: [
      ['Import 1 lead', async () => (await by.run('campaigns start 1 --yes')).exitCode === 0],
      ['Import 1 lead', false],
    ],
  })
  expect(exitCode).toBe(10)
  expect(stderr).toContain('The status of the campaign changed from paused to in-progress.')
})

describe('api', () => {
  const line = ['api', 'sms.send', '--data', '{from: 4, to: "+14155550142", body: Hello}']

  test('asks with the price, and again after it changed', async () => {
    const { through, happen } = changing({ prices: { sms_segment: 0.9 } })
    const by = operator({ supports: 'neutral' })
    const run = await by.run(line, {
      through,
      answers: [
        ['Price: 0.01 USD. Call sms.send?', happen],
        ['Price: 0.90 USD. Call sms.send?', false],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('from 0.01 USD to 0.90 USD') })
    expect(posts(run.requests, '/api/user/sms')).toBe(0)
    const agreed = await by.run(line, { answers: [['Price: 0.01 USD', true]] })
    expect([agreed.exitCode, agreed.asked.length], agreed.stderr).toEqual([0, 1])
  })

  test('asks again about a resource that was changed', async () => {
    const by = operator({ supports: 'neutral' })
    const run = await by.run(['api', 'tools.delete', '--data', '{id: 1}'], {
      answers: [
        [
          'Call tools.delete',
          async () => {
            expect(await by.run('tools update 1 --tool-timeout 19')).toMatchObject({ exitCode: 0 })
            return true
          },
        ],
        ['Call tools.delete', false],
      ],
    })
    expect(run).toMatchObject({ exitCode: 10, stderr: expect.stringContaining('timeout: 10 -> 19') })
    expect(run.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })
})
