import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const to = '+14155550142'

describe('sms send', () => {
  test('sends one SMS from a number by id, number or nickname, and prints segments and cost', async () => {
    const by = operator()
    const { phone_number } = await by.json('numbers get 4')
    for (const from of ['4', phone_number, '"Front desk"']) {
      const run = await by.run(`sms send --from ${from} --to ${to} --body Hello`)
      expect(run).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^SMS to \+14155550142 \w+\. Segments: 1\. Cost: 0\.01 USD\. Id: \d+\n$/),
      })
    }
    expect(
      await by.json(`sms send --from 4 --to "(415) 555-0142" --body "${'ü'.repeat(161)}" --dry-run`),
    ).toMatchObject({
      method: 'POST',
    })
    expect(await by.json(`sms send --from 4 --to ${to} --body "${'a'.repeat(161)}"`)).toMatchObject({ segments: 2 })
  })

  test.each(['', ' --json'])('that the carrier does not accept is exit 20 with a warning%s', async (format) => {
    const ran = await operator().run(`sms send --from 4 --to ${to} --body Hello${format}`, {
      through: async (handle, request) => {
        const answer = await handle(request)
        if (request.method !== 'POST') return answer
        const { data, ...rest } = JSON.parse(String(answer.body))
        return { ...answer, body: JSON.stringify({ ...rest, data: { ...data, status: 'failed' } }) }
      },
    })
    expect(ran).toMatchObject({ exitCode: 20, stderr: expect.stringContaining('The carrier did not accept the SMS.') })
    expect(ran.stdout).toContain('failed')
  })

  test.each([
    ['sms send', 2, 'Missing --from, --to, --body.'],
    [`sms send --from 1 --to ${to} --body Hello`, 6, 'not SMS capable'],
    [`sms send --from 4 --to ${to} --body "${'a'.repeat(301)}"`, 6, '300'],
    [`sms send --from 4 --to ${to} --body Hello --resend`, 2, '--resend requires --file'],
    [`sms send --from Nobody --to ${to} --body Hello`, 4, 'No number "Nobody" found'],
  ])('%s is refused', async (line, exitCode, message) => {
    expect(await operator().run(line)).toMatchObject({ exitCode, stderr: expect.stringContaining(message) })
  })

  test('with a file, sends the text with the columns of each row once, after confirmation', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'patients.csv'), 'phone,first_name\n+14155550161,Ada\n+14155550162,Grace\n')
    const line = 'sms send --from 4 --file patients.csv --body "Hello {{first_name}}, see you on Monday."'
    expect(await by.run(line)).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('Sending 2 SMS from'),
    })
    const run = await by.run(`${line} --yes`)
    expect(run.exitCode).toBe(0)
    expect(run.requests.filter((it) => it === 'POST /api/user/sms')).toHaveLength(2)
    const again = await by.run(`${line} --yes`)
    expect(again.exitCode).toBe(0)
    expect(again.requests.filter((it) => it === 'POST /api/user/sms')).toHaveLength(0)
    expect((await by.json('ops list')).map((it: { endpoint: string }) => it.endpoint)).not.toContain('unknown')
  })

  test('with a file, a row without a value for the text is an error before anything is sent', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'patients.csv'), 'phone,first_name\n+14155550161,Ada\n+14155550162,\n')
    const run = await by.run('sms send --from 4 --file patients.csv --body "Hello {{first_name}}" --yes')
    expect(run.exitCode).not.toBe(0)
    expect(run.stderr).toContain('{{first_name}}')
    expect(run.requests.filter((it) => it.startsWith('POST'))).toEqual([])
  })

  test('with a file, each row may have its own text', async () => {
    const by = operator()
    writeFileSync(join(by.cwd, 'a.ndjson'), `{"to":"${to}","body":"One"}\n{"to":"+14155550143","body":"Two"}\n`)
    const sent: string[] = []
    const run = await by.run('sms send --from 4 --file a.ndjson --yes', {
      through: (handle, request) => {
        if (request.method === 'POST') sent.push(JSON.parse(String(request.body)).body)
        return handle(request)
      },
    })
    expect(run.exitCode).toBe(0)
    expect(sent.sort()).toEqual(['One', 'Two'])
  })
})

describe('replies generate', () => {
  test('prints the reply, and continues one conversation of the customer', async () => {
    const by = operator()
    const line = 'replies generate --assistant "Front desk" --customer-identifier anna@clinic.example --message'
    const first = await by.json(`${line} Hello`)
    const second = await by.json(`${line} "When are you open?"`)
    expect(first).toMatchObject({ success: true, reply: expect.any(String) })
    expect(second.conversation_id).toBe(first.conversation_id)
    const people = await by.run(`${line} Thanks`)
    expect(people).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^assistant\t/) })
    expect(people.stderr).toContain(`parley conversations get ${first.conversation_id}`)
  })

  test('names what is missing', async () => {
    expect(await operator().run('replies generate --assistant 1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--message'),
    })
  })
})
