import { beforeAll, describe, expect, test } from 'vitest'
import { sqlite } from '../support/databases.ts'
import type { Api } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'

const path = '/api/user/lead'
const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

describe('a lead', () => {
  let api: Api
  /** A campaign of each channel, by the channel. */
  const campaigns: Record<string, { id: number; name: string }> = {}
  let last = 4_155_550_200
  const phone = (): string => `+1${last++}`
  beforeAll(async () => {
    api = await fresh(sqlite, { seed: 7 })
    for (const campaign of (await api.ask('GET', '/api/user/campaigns')).body) campaigns[campaign.channel] = campaign
  })
  const create = (body: object, key?: string) => api.ask('POST', path, { body, ...(key !== undefined && { key }) })
  const made = async (body: object) => {
    const { status, body: answer } = await create(body)
    expect({ status, message: answer.message }).toEqual({ status: 200, message: 'Lead created successfully' })
    return answer.data
  }

  test('is returned with all its fields after its creation', async () => {
    const { id, name } = campaigns.call as { id: number; name: string }
    const draft = { campaign_id: id, phone_number: phone(), variables: { first_name: 'Anna', visits: 3 } }
    const lead = await made(draft)
    expect(lead).toMatchObject({
      ...draft,
      id: expect.any(Number),
      status: 'created',
      campaign: { id, name },
      secondary_contacts: [],
    })
    for (const field of ['created_at', 'updated_at']) expect(lead[field], field).toMatch(time)
    const known = [
      'id',
      'campaign_id',
      'phone_number',
      'variables',
      'status',
      'created_at',
      'updated_at',
      'campaign',
      'secondary_contacts',
    ]
    expect(Object.keys(lead).filter((it) => !known.includes(it))).toEqual([])
  })

  test('has secondary contacts that are created with it in a campaign that calls', async () => {
    const contacts = [{ phone_number: phone(), variables: { first_name: 'Ben' } }, { phone_number: phone() }]
    const lead = await made({ campaign_id: campaigns.call?.id, phone_number: phone(), secondary_contacts: contacts })
    expect(lead.secondary_contacts).toEqual(
      contacts.map((contact) => ({
        variables: {},
        ...contact,
        id: expect.any(Number),
        status: 'created',
        created_at: expect.stringMatching(time),
        updated_at: expect.stringMatching(time),
      })),
    )
  })

  test.each(['messaging', 'sms'])('is refused with secondary contacts in a campaign of %s', async (channel) => {
    const { status, body } = await create({
      campaign_id: campaigns[channel]?.id,
      phone_number: phone(),
      secondary_contacts: [{ phone_number: phone() }],
    })
    expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: ['secondary_contacts'] })
    await made({ campaign_id: campaigns[channel]?.id, phone_number: phone(), secondary_contacts: [] })
  })

  test.each(['call', 'messaging', 'sms'])('keeps the variables of a campaign of %s, or has none', async (channel) => {
    const variables = { first_name: 'Anna', appointment_day: 'Monday' }
    expect((await made({ campaign_id: campaigns[channel]?.id, phone_number: phone(), variables })).variables).toEqual(
      variables,
    )
    expect((await made({ campaign_id: campaigns[channel]?.id, phone_number: phone() })).variables).toEqual({})
  })

  test('requires a number in E.164, a campaign and valid fields', async () => {
    const errors = async (body: object) => Object.keys((await create(body)).body.errors ?? {})
    expect(await errors({})).toEqual(['phone_number', 'campaign_id'])
    const whole = { campaign_id: campaigns.call?.id, phone_number: phone() }
    expect(await errors({ ...whole, campaign_id: 'one' })).toEqual(['campaign_id'])
    expect(await errors({ ...whole, variables: 'Anna' })).toEqual(['variables'])
    expect(await errors({ ...whole, allow_dupplicate: 'yes' })).toEqual(['allow_dupplicate'])
    expect(await errors({ ...whole, allow_duplicate: true })).toEqual(['allow_duplicate'])
    expect(await errors({ ...whole, secondary_contacts: [{}] })).toEqual(['secondary_contacts.0.phone_number'])
    for (const phone_number of ['0415', 'Anna', '+1'])
      expect((await create({ ...whole, phone_number })).status, phone_number).toBe(422)
  })

  test('can be twice in a campaign only if duplicates are allowed', async () => {
    const twice = { campaign_id: campaigns.call?.id, phone_number: phone() }
    const first = await made(twice)
    expect((await create(twice)).status).toBe(422)
    expect((await create({ ...twice, allow_dupplicate: false })).status).toBe(422)
    expect((await made({ ...twice, allow_dupplicate: true })).id).not.toBe(first.id)
    await made({ ...twice, campaign_id: campaigns.sms?.id })
  })

  test('finds no campaign of another account', async () => {
    const stranger = await api.account()
    for (const campaign_id of [campaigns.call?.id, 99_999])
      expect(await create({ campaign_id, phone_number: phone() }, stranger.key)).toMatchObject({
        status: 404,
        body: { message: 'Campaign not found' },
      })
  })
})
