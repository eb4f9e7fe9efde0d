import { describe, expect, test } from 'vitest'
import { createParser } from '../../../../src/cli/program/commandline/parser.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

describe('a flag that takes the id of a resource', () => {
  test.each([
    ['campaigns create --name X --timezone UTC --assistant Recall', '--assistant', '--assistant-id'],
    [
      'campaigns create --name X --channel sms --from "Front desk" --sms-body Hi',
      '--from',
      '--sms-from-phone-number-id',
    ],
    ['calls start +14155550142 --assistant Recall', '--assistant', '--assistant-id'],
    ['messaging send --sender 1 --template 2 --to +14155550111', '--sender', '--sender-id'],
    ['messaging send --sender 1 --template 2 --to +14155550111', '--template', '--template-id'],
    ['leads create --campaign 1 --phone-number +14155550177', '--campaign', '--campaign-id'],
    ['events fire inbound --assistant 1', '--assistant', '--assistant-id'],
  ])('%s accepts %s as %s too', async (line, short, long) => {
    const by = operator({ supports: 'neutral' })
    const expected = await by.run(`${line} --dry-run -o json`)
    expect(expected.exitCode, expected.stderr).toBe(0)
    expect(await by.run(`${line.replace(short, long)} --dry-run -o json`)).toMatchObject({
      exitCode: 0,
      stdout: expected.stdout,
    })
  })

  test('has both spellings on every command, and help shows one', async () => {
    const missing: string[] = []
    for (const [words, command] of await allCommands()) {
      const parser = createParser(words, command)
      const has = (long: string): boolean => parser.options.some((own) => own.long === long)
      for (const { flags } of command.flags ?? []) {
        const [long, placeholder] = flags.split(' ')
        if (placeholder === '<id>' && !/-id$/.test(long ?? '') && !has(`${long}-id`))
          missing.push(`${words} ${long}-id`)
      }
      for (const { long, hidden } of parser.options)
        if (long && !hidden && /\w-id$/.test(long) && !has(long.replace(/-id$/, '')))
          missing.push(`${words} ${long.replace(/-id$/, '')}`)
    }
    expect(missing).toEqual([])
  })
})

describe('the name of an event', () => {
  test.each(['call.ended', 'call_ended', 'call-ended', 'Call ended', 'post_call', 'post-call', 'fired.post_call'])(
    '"%s" fires the event after a call',
    async (name) => {
      const by = operator({ supports: 'neutral' })
      const { exitCode, stdout } = await by.run([
        'events',
        'fire',
        name,
        '--assistant',
        'Recall',
        '--dry-run',
        '-o',
        'json',
      ])
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout).body).toMatchObject({ kind: 'post_call' })
    },
  )

  test.each(['conversation.ended', 'conversation_ended', 'conversation-ended'])(
    '"%s" is accepted by each command',
    async (name) => {
      const by = operator({ supports: 'neutral' })
      await by.run('events fire conversation_ended --assistant Recall')
      for (const line of [
        `events fire ${name} --assistant Recall`,
        `events list --kind ${name}`,
        `events list --filter kind=${name}`,
        `server deliveries list --event ${name}`,
        `assistants enable-webhook 1 --event ${name} --webhook-url https://hooks.example/x`,
      ]) {
        const run = await by.run(line)
        expect(run.exitCode, `${line}: ${run.stderr}`).toBe(0)
      }
    },
  )

  test('selects the same events in each spelling', async () => {
    const by = operator({ supports: 'neutral' })
    await by.run('sms send --from "Front desk" --to +14155550142 --body Hello')
    const exact = (await by.run('events list --kind sms.sent -o id')).stdout
    expect(exact).not.toBe('')
    for (const line of [
      'events list --kind sms_sent',
      'events list --filter kind=sms-sent',
      'events list --filter Event=SMS.sent',
    ])
      expect((await by.run(`${line} -o id`)).stdout, line).toBe(exact)
  })

  test('that is unknown leads to the one that was meant', async () => {
    const by = operator({ supports: 'neutral' })
    expect((await by.run('events fire calls_ended --assistant 1')).stderr).toContain('Did you mean post_call?')
    expect((await by.run('events fire inbond --assistant 1')).stderr).toContain('Did you mean inbound?')
  })
})
