import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { delay, hook, http, keep } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'
import type { Answered } from '../../../support/platform/platform-api.ts'

// Everything that `write` excludes, although most of it is a change as others are. A key with `spend` does the same, so that
// none of it is refused for another reason.

/** Sends requests with one key. Returns the status and body of the last answer. */
type Ask = (method: string, path: string, body?: object) => Promise<Answered>

/** What an account has for one act. */
interface Sample {
  readonly by: Owner
  /** A request with the key of the owner, for preparation. */
  readonly owner: Ask
}

const send = http('POST', 'https://effects.example/')
const url = 'https://data.example/'
const trunk = {
  sip_trunk_type: 'number',
  phone_number: '+14155550199',
  sip_address: 'sip.example.com',
  sip_username: 'office',
  sip_password: 'a-long-password',
  sip_calling_format: '+e164',
  inbound_authorization_type: 'auth',
  country_code: 'US',
}

describe.each(databases)('a write key on $name', (database) => {
  const platform = automationPlatform(database)
  const requestsOf =
    ({ key }: { key: string }): Ask =>
    (method, path, body) =>
      platform.api().ask(method, `/api/user/${path}`, { key, ...(body && { body }) })
  const created = (answer: Answered): Answered => {
    expect(answer.status, `${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer
  }

  /** Creates a campaign with one lead. Returns its id and that of the lead. */
  async function campaign({ by, owner }: Sample, status: 'draft' | 'in-progress' | 'scheduled') {
    const starts = new Date(platform.time.ms + 7 * 86_400_000).toISOString().slice(0, 16)
    const body = {
      name: 'Recall',
      assistant_id: by.assistant,
      timezone: 'UTC',
      mark_complete_when_no_leads: false,
      ...(status === 'scheduled' && { scheduled_start_at: starts }),
    }
    const { id } = created(await owner('POST', 'campaign', body)).body.data
    const lead = created(await owner('POST', 'lead', { campaign_id: id, phone_number: '+14155550142' })).body.data.id
    if (status !== 'draft') {
      const started = await owner('POST', 'campaigns/update-status', { campaign_id: id, action: 'start' })
      expect(created(started).body.data.status).toBe(status)
    }
    return { id, lead }
  }
  const automation = async ({ owner }: Sample, steps: object[], enabled = true): Promise<string> => {
    const body = { name: 'Flow', flow: { trigger: hook, steps }, confirm_side_effects: true }
    const { automation_id: id } = created(await owner('POST', 'automate/flows', body)).body
    if (!enabled) created(await owner('PUT', `automate/flows/${id}`, { enabled: false }))
    return id
  }
  const flow = (...steps: object[]) => ({ flow: { trigger: hook, steps }, confirm_side_effects: true })
  const tool = { name: 'lookup', description: 'Looks up', endpoint: url, method: 'POST' }

  /** Prepares an act, and returns the request that a key makes. */
  const acts: Readonly<Record<string, (sample: Sample) => Promise<(ask: Ask) => Promise<Answered>>>> = {
    'creates a key': async () => (ask) => ask('POST', 'api-keys', { name: 'other', scope: 'read' }),
    'deletes a key': async ({ owner }) => {
      created(await owner('POST', 'api-keys', { name: 'old' }))
      const { id } = (await owner('GET', 'api-keys')).body.api_keys.at(-1)
      return (ask) => ask('DELETE', `api-keys/${id}`)
    },
    'reads the secrets of an automation': async (sample) => {
      const id = await automation(sample, [keep('a', 1)])
      return (ask) => ask('GET', `automate/flows/${id}?include_secrets=true`)
    },
    'reads the secrets of a version': async (sample) => {
      const id = await automation(sample, [keep('a', 1)])
      return (ask) => ask('GET', `automate/flows/${id}/versions/1?include_secrets=true`)
    },
    'creates a SIP trunk': async () => (ask) => ask('POST', 'phone-numbers/sip-trunks', trunk),
    'changes a SIP trunk': async ({ owner }) => {
      const { id } = created(
        await owner('POST', 'phone-numbers/sip-trunks', { ...trunk, phone_number: '+14155550198' }),
      ).body.data
      return (ask) => ask('PUT', `phone-numbers/sip-trunks/${id}`, { nickname: 'Other' })
    },
    'releases the number of a SIP trunk': async ({ owner }) => {
      const { id } = created(
        await owner('POST', 'phone-numbers/sip-trunks', { ...trunk, phone_number: '+14155550197' }),
      ).body.data
      return (ask) => ask('DELETE', `phone-numbers/${id}`)
    },
    'starts a campaign': async (sample) => {
      const { id } = await campaign(sample, 'draft')
      return (ask) => ask('POST', 'campaigns/update-status', { campaign_id: id, action: 'start' })
    },
    'starts a call':
      async ({ by }) =>
      (ask) =>
        ask('POST', 'make_call', { assistant_id: by.assistant, phone_number: '+14155550142' }),
    'publishes a new automation with effects': async () => (ask) =>
      ask('POST', 'automate/flows', { name: 'New', ...flow(send) }),
    'publishes effects in an automation': async (sample) => {
      const id = await automation(sample, [keep('a', 1)])
      return (ask) => ask('PUT', `automate/flows/${id}`, flow(send))
    },
    'enables an automation with effects': async (sample) => {
      const id = await automation(sample, [send], false)
      return (ask) => ask('PUT', `automate/flows/${id}`, { enabled: true })
    },
    'restores an automation with effects': async (sample) => {
      const id = await automation(sample, [send])
      created(await sample.owner('PUT', `automate/flows/${id}`, flow(keep('a', 1))))
      return (ask) => ask('POST', `automate/flows/${id}/restore`)
    },
    'restores a version with effects': async (sample) => {
      const id = await automation(sample, [send])
      created(await sample.owner('PUT', `automate/flows/${id}`, flow(keep('a', 1))))
      return (ask) => ask('POST', `automate/flows/${id}/versions/1/restore`)
    },
    'repeats a run': async (sample) => {
      const id = await automation(sample, [keep('a', 1)])
      const [run] = (await sample.owner('GET', `automate/flows/${id}/runs`)).body.runs
      return (ask) => ask('POST', `automate/runs/${run.id}/rerun`, { confirm_side_effects: true })
    },
    'adds a lead to a running campaign': async (sample) => {
      const { id } = await campaign(sample, 'in-progress')
      return (ask) => ask('POST', 'lead', { campaign_id: id, phone_number: '+14155550143' })
    },
    'adds a lead to a scheduled campaign': async (sample) => {
      const { id } = await campaign(sample, 'scheduled')
      return (ask) => ask('POST', 'lead', { campaign_id: id, phone_number: '+14155550143' })
    },
    'queues a lead of a running campaign again': async (sample) => {
      const { lead } = await campaign(sample, 'in-progress')
      return (ask) => ask('PUT', `leads/${lead}`, { status: 'created' })
    },
    'changes the number of a lead of a running campaign': async (sample) => {
      const { lead } = await campaign(sample, 'in-progress')
      return (ask) => ask('PUT', `leads/${lead}`, { phone_number: '+14155550144' })
    },
    'moves a lead into a running campaign': async (sample) => {
      const { id } = await campaign(sample, 'in-progress')
      const { lead } = await campaign(sample, 'draft')
      return (ask) => ask('PUT', `leads/${lead}`, { campaign_id: id })
    },
    'creates a tool, whose URL receives data': async () => (ask) => ask('POST', 'tools', tool),
    'changes the URL of a tool': async ({ owner }) => {
      const { id } = created(await owner('POST', 'tools', tool)).body.data
      return (ask) => ask('PUT', `tools/${id}`, { endpoint: 'https://other.example/' })
    },
    'sets the webhook of an assistant':
      async ({ by }) =>
      (ask) =>
        ask('PUT', `assistant/${by.assistant}`, { is_webhook_active: true, webhook_url: url }),
    ...Object.fromEntries(
      ['enable-webhook', 'enable-inbound-webhook', 'enable-conversation-ended-webhook'].map((path) => [
        `sets a webhook with ${path}`,
        async ({ by }: Sample) =>
          (ask: Ask) =>
            ask('POST', `assistants/${path}`, { assistant_id: by.assistant, webhook_url: url }),
      ]),
    ),
  }

  let sample: Sample
  beforeAll(async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 100 })
    sample = { by, owner: requestsOf(by) }
  })

  const keyWith = async (scope: string): Promise<Ask> =>
    requestsOf({ key: created(await sample.owner('POST', 'api-keys', { name: scope, scope })).body.api_key.token })

  test.each(Object.keys(acts))('is refused when it %s, and a spend key is not', async (name) => {
    const act = await acts[name]?.(sample)
    expect(await act?.(await keyWith('write'))).toMatchObject({
      status: 403,
      body: { error: 'KEY_SCOPE_MISSING', required_scope: 'spend' },
    })
    const answer = await act?.(await keyWith('spend'))
    expect(answer?.status, JSON.stringify(answer?.body)).toBeLessThan(300)
  })

  test('changes what costs nothing and sends nothing out', async () => {
    const ask = await keyWith('write')
    const { id, lead } = await campaign(sample, 'draft')
    const inside = { name: 'Inside', flow: { trigger: hook, steps: [delay({ unit: 'hours', delayFor: 1 })] } }
    for (const [method, path, body] of [
      ['POST', 'lead', { campaign_id: id, phone_number: '+14155550145' }],
      ['PUT', `leads/${lead}`, { variables: { name: 'Ada' } }],
      ['POST', 'automate/flows', inside],
      ['PUT', `assistant/${sample.by.assistant}`, { name: 'Front desk' }],
    ] as const)
      created(await ask(method, path, body))
    const running = await campaign(sample, 'in-progress')
    created(await ask('POST', 'campaigns/update-status', { campaign_id: running.id, action: 'stop' }))
  })
})
