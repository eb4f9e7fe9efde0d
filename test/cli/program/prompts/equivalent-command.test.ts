import { describe, expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'
import type { Answer } from '../../../support/scripted-prompts.ts'
import { splitWords } from '../../../support/split-words.ts'

interface Asked {
  readonly line: string
  readonly answers: readonly Answer[]
  /** What both worlds show afterwards. */
  readonly shows: string
  /** What variables of the shell hold. */
  readonly variables?: Readonly<Record<string, string>>
  /** Lines before. */
  readonly after?: readonly string[]
}

const cases: readonly Asked[] = [
  { line: 'keys create', answers: [['Name of the key', "Anna's laptop"]], shows: 'keys list --fields name' },
  {
    line: 'tools delete',
    answers: [
      ['Which tool?', /\(2\)|^2 |book/i],
      ['Delete', 'book_appointment'],
    ],
    shows: 'tools list',
  },
  { line: 'tools get', answers: [['Which tool?', /./]], shows: 'tools list' },
  {
    line: 'numbers buy --country US --contains 415',
    answers: [
      ['Which number?', /./],
      ['Buy', true],
    ],
    shows: 'numbers list --fields phone_number',
  },
  {
    line: 'messaging send',
    answers: [
      ['Which sender?', /./],
      ['Recipient number', '+14155550111'],
      ['Which template?', 'opening_hours'],
    ],
    shows: 'messaging session --sender 1 --to +14155550111 --fields has_conversation,session_status',
  },
  {
    line: 'campaigns create',
    answers: [
      ['Which channel', 'call'],
      ['Name', 'Spring'],
      ['Which assistant?', 'Recall'],
    ],
    shows: 'campaigns list --fields name,channel,assistant_id',
  },
  {
    line: 'leads create --var first_name=Anna',
    answers: [
      ['Which campaign?', /./],
      ['number', '+14155550111'],
    ],
    shows: 'leads list --fields campaign_id,phone_number,variables',
  },
  {
    line: 'assistants create --name Desk --type inbound --initial-message "Hello there" --system-prompt Help.',
    answers: [
      ['Which engine mode?', 'pipeline'],
      ['Which language?', 'English'],
      ['Which voice?', /./],
      ['Which model?', /./],
      ['Which time zone?', 'UTC'],
    ],
    shows: 'assistants list --fields name,mode,language_id,voice_id,llm_model_id,timezone',
  },
  {
    line: 'assistants enable-webhook',
    answers: [
      ['Which event?', 'post-call'],
      ['Which assistant?', 'Recall'],
      ['', 'https://hooks.example/x?a=1&b=2'],
    ],
    shows: 'assistants list --fields webhook_url',
  },
  {
    line: 'sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk --sip-address pbx.example --sip-calling-format e164 --inbound-authorization-type ip --country-code US',
    answers: [
      ['', 'secret word'],
      ['IP addresses', '203.0.113.7, 203.0.113.0/24'],
    ],
    variables: { SIP_PASSWORD: 'secret word' },
    shows: 'sip-trunks list --fields sip_username,allowed_inbound_ips',
  },
  {
    line: 'server snapshot restore',
    after: ['server snapshot save now', 'keys create --name gone'],
    answers: [
      ['Which snapshot?', 'now'],
      ['Restore the platform in', true],
    ],
    shows: 'keys list --fields name',
  },
]

const shown = async (by: Operator, line: string): Promise<unknown> => by.json(line)

describe('prompts print the equivalent command, which does the same without questions', () => {
  test.each(cases)('parley $line', async ({ line, answers, shows, variables = {}, after = [] }) => {
    const [asked, unasked] = [operator(), operator()]
    for (const by of [asked, unasked]) for (const before of after) expect((await by.run(before)).exitCode).toBe(0)
    const ran = await asked.run(line, { answers })
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
    expect(ran.asked.length).toBeGreaterThan(0)
    const [, same = ''] = /Equivalent command: parley (.*)\n/.exec(ran.stderr) ?? []
    for (const value of Object.values(variables)) expect(ran.stderr).not.toContain(value)
    const words = splitWords(same).map((word) =>
      word.replace(/\$([A-Z_]+)/, (_, name: string) => variables[name] ?? ''),
    )
    expect(await unasked.run(words)).toMatchObject({ exitCode: 0, asked: [] })
    expect(await shown(unasked, shows)).toEqual(await shown(asked, shows))
  })
})
