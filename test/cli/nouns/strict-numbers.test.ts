import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

const spellings = ['+1 415 555 1071', '+1-415-555-1071', '+1 (415) 555-1071', ' +14155551071']

describe.each(spellings)('the number %j', (number) => {
  test.each([
    ['leads.create', { campaign_id: 1, phone_number: number }],
    ['leads.create', { campaign_id: 1, phone_number: '+14155551099', secondary_contacts: [{ phone_number: number }] }],
    ['leads.update', { id: 1, phone_number: number }],
    ['calls.start', { assistant_id: 1, phone_number: number }],
    ['messaging.send', { sender_id: 1, template_id: 1, recipient_phone: number, variables: { 1: 'a', 2: 'b' } }],
  ])('is refused by the platform for %s', async (endpoint, fields) => {
    const { exitCode, stdout, stderr } = await operator().run([
      'api',
      endpoint,
      '--data',
      JSON.stringify(fields),
      '--yes',
    ])
    expect(exitCode, stdout + stderr).toBe(6)
    expect(stderr).toMatch(/number/i)
  })

  test('is sent by the terminal as E.164', async () => {
    const by = operator()
    const contacts = JSON.stringify([{ phone_number: number.replace('1071', '1072') }])
    const created = await by.run([
      ...['leads', 'create', '--campaign', '1', '--phone-number', number, '--secondary-contacts', contacts, '--json'],
    ])
    expect(created.exitCode, created.stderr).toBe(0)
    expect(created.stdout).toContain('+14155551071')
    expect(created.stdout).toContain('+14155551072')
    const sent = await by.run([
      ...['messaging', 'send', '--sender', '1', '--template', 'appointment_reminder', '--to', number],
      ...['--var', '1=Anna', '--var', '2=Monday', '--yes'],
    ])
    expect([sent.exitCode, sent.stdout]).toEqual([0, expect.stringContaining('+14155551071')])
  })
})

test.each(["'+14155550189", '\u2019+1 415 555 0189', '\u200b+1\u200b4155550189', '+1\u00a0(415)\u00a0555\u20110189'])(
  'a number with marks of a spreadsheet or web page is read: %j',
  async (number) => {
    const by = operator()
    const { exitCode, stderr } = await by.run(['leads', 'create', '--campaign', '1', '--phone-number', number])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect((await by.json('leads list'))[0].phone_number).toBe('+14155550189')
  },
)
