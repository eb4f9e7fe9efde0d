import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const sms = 'sms send --from "Front desk" --to +14155550142 --body Hello'
const template = 'messaging send --sender 1 --template 2 --to +14155550111'
const call = 'calls start +14155550142 --assistant Recall --yes'
const words = /The same \w+ was (?:sent|started) to (\+\d+) 20 s ago/

describe('a single message that repeats one of the last minute', () => {
  test.each([
    [sms, 'The same SMS was sent to +14155550142 20 s ago (0.01 USD).'],
    [template, 'The same message was sent to +14155550111 20 s ago (0.008 USD).'],
  ])('%s is asked about on a terminal, and sent only after Yes', async (line, text) => {
    const by = operator({ supports: 'neutral' })
    await by.run(line)
    by.wait(20_000)
    const question = `[local · simulated] ${text} Send it again?`
    const cancelled = await by.run(line, { answers: [[question, false]] })
    expect(cancelled.exitCode).toBe(10)
    expect(cancelled.requests.filter((it) => it.startsWith('POST'))).toEqual([])
    expect(await by.run(line, { answers: [[question, true]] })).toMatchObject({ exitCode: 0 })
    expect(await by.json('ops list')).toHaveLength(2)
  })

  test.each([[sms], [template], [call]])(
    '%s is a warning in scripts, also with -q, and is carried out',
    async (line) => {
      const by = operator({ supports: 'neutral' })
      const first = await by.run(line)
      expect(first.stderr).not.toMatch(words)
      by.wait(20_000)
      const again = await by.run(`${line} -q`)
      expect(again).toMatchObject({ exitCode: first.exitCode, stderr: expect.stringMatching(words) })
      expect(await by.json('ops list')).toHaveLength(2)
    },
  )

  test('is one also after the clock of the platform was moved, and the warning names the clock', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run(sms)
    await by.run('server clock advance 1h')
    by.wait(20_000)
    const again = await by.run(sms)
    expect(again.stderr).toContain(
      'The same SMS was sent to +14155550142 20 s ago by the clock of this computer (0.01 USD).',
    )
    by.wait(61_000)
    expect((await by.run(sms)).stderr).not.toContain('The same SMS')
    for (const line of ['sms send', 'messaging send', 'calls start'])
      expect((await by.run(`${line} --help`)).stdout.replaceAll(/\s+/g, ' ')).toMatch(
        /minute (is one )?of this computer/,
      )
  })

  test('is priced after the question: a price that rose while it was open is asked about and recorded', async () => {
    const by = operator({ supports: 'neutral' })
    const text = 'messaging send --sender 1 --template 2 --to +14155550111'
    await by.run(text)
    by.wait(20_000)
    let utility = 0.008
    const again = await by.run(text, {
      async through(handle, request) {
        const reply = await handle(request)
        if (!request.url.includes('/billing/summary')) return reply
        const body = JSON.parse(String(reply.body))
        for (const name of Object.keys(body.data.prices.messages)) body.data.prices.messages[name] = utility
        return { ...reply, body: JSON.stringify(body) }
      },
      answers: [
        [
          'Send it again?',
          () => {
            utility = 2
            return true
          },
        ],
        ['Cost: 2.00 USD', true],
      ],
    })
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Cost: 2.00 USD') })
  })

  test('is a warning with --yes on a terminal', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run(sms)
    by.wait(20_000)
    expect(await by.run(`${sms} --yes`, { terminal: true })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(words),
    })
  })

  test.each([
    ['another text', sms.replace('Hello', 'Goodbye'), 20_000],
    ['another recipient', sms.replace('0142', '0143'), 20_000],
    ['a minute later', sms, 61_000],
    ['a dry run', `${sms} --dry-run`, 20_000],
    ['a request that is only printed', `${sms} --print-curl`, 20_000],
  ])('is not one with %s', async (_, line, waitMs) => {
    const by = operator({ supports: 'neutral' })
    await by.run(sms)
    by.wait(waitMs)
    expect((await by.run(line, { terminal: { stderr: true } })).stderr).not.toMatch(/The same/)
  })

  test('is answered with the first one under its idempotency key, without a question', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run(`${sms} --idempotency-key once`)
    by.wait(20_000)
    expect((await by.run(`${sms} --idempotency-key once`)).stderr).not.toMatch(/The same/)
  })

  test('is explained in the help, with the flags that need --file', async () => {
    const by = operator()
    for (const line of ['sms send', 'messaging send']) {
      const help = (await by.run(`${line} --help`)).stdout.replaceAll(/\s+/g, ' ')
      expect(help).toContain('--resend and --within need --file.')
      expect(help).toContain('With --file: send again to recipients')
      expect(await by.run(`${line} --resend --to +14155550142`)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('a single message is sent again'),
      })
    }
  })
})
