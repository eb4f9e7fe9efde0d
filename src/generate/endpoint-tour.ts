import type * as z from 'zod'
import { isRequired } from '../contract/endpoint/coerce.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { endpoints } from '../contract/resources/index.ts'
import { exampleInput } from './example-input.ts'
import type { Answered, TourPlatform as Api } from './tour-platform.ts'

type Step = readonly [name: string, answer: Answered]

/**
 * Creates, changes and deletes one resource of each kind. An endpoint with parameters or a body has a separate step.
 */
const resources: Readonly<Record<string, (api: Api) => AsyncGenerator<Step, void>>> = {
  async *keys({ ask }) {
    yield ['keys.create', await ask('POST', '/api/user/api-keys', { body: { name: 'tour' } })]
    const { id } = (await ask('GET', '/api/user/api-keys')).body.api_keys.at(-1)
    yield ['keys.delete', await ask('DELETE', `/api/user/api-keys/${id}`)]
  },

  async *approvals({ ask, control }) {
    const plan = {
      summary: '[staging · https://parley.example] Buy +15005550006 for 1.15 USD/month. Maximum cost: 1.15 USD.',
      command: ['numbers', 'buy', '+15005550006'],
      folder: '/home/ada/desk',
      profile: 'staging',
      platform: 'https://parley.example',
      maximum_usd: 1.15,
      requests: [
        {
          endpoint: 'numbers.buy',
          method: 'POST',
          path: '/api/user/phone-numbers/purchase',
          body: '{"phone_number":"+15005550006"}',
        },
      ],
    }
    const made = await ask('POST', '/api/user/approvals', { body: { plan, asked_by: 'Claude Code' } })
    yield ['approvals.create', made]
    const { id, hash } = made.body.data
    const path = `/api/user/approvals/${id}`
    const { token: key } = (await control('POST', '/control/accounts/1/keys', { name: 'Ada', scope: 'approve' })).body
    yield ['approvals.get', await ask('GET', path)]
    yield [
      'approvals.decide',
      await ask('POST', `${path}/decision`, { key, body: { decision: 'approved', hash, reason: null } }),
    ]
    const runner = 'laptop:4711'
    yield ['approvals.start', await ask('POST', `${path}/start`, { body: { runner } })]
    for (const outcome of ['open', 'done'])
      yield ['approvals.recordRequest', await ask('POST', `${path}/requests`, { body: { runner, number: 0, outcome } })]
    yield ['approvals.end', await ask('POST', `${path}/end`, { body: { runner, end: 'done' } })]
  },

  async *billing({ ask }) {
    yield ['billing.summary', await ask('GET', '/api/user/billing/summary')]
    yield ['billing.usage', await ask('GET', '/api/user/billing/usage?by=assistant&since=2020-01-01T00:00:00Z')]
  },

  async *tools({ ask }) {
    const made = await ask('POST', '/api/user/tools', {
      body: {
        name: 'tour',
        description: 'A tour.',
        endpoint: 'https://example.com/{x}',
        method: 'POST',
        static_fields: [{ key: 'k' }],
        schema: [{ name: 'x', type: 'float', description: 'A number' }],
      },
    })
    yield ['tools.create', made]
    const path = `/api/user/tools/${made.body.data.id}`
    yield ['tools.get', await ask('GET', path)]
    yield ['user.references', await ask('GET', '/api/user/references?kind=tools&id=2')]
    yield ['tools.update', await ask('PUT', path, { body: { timeout: 3 } })]
    yield ['tools.delete', await ask('DELETE', path)]
  },

  async *numbers({ ask, buy }) {
    yield ['numbers.search', await ask('GET', '/api/user/phone-numbers/search?country_code=PL&contains=22')]
    const bought = await buy('+15005550006')
    yield ['numbers.buy', bought]
    const path = `/api/user/phone-numbers/${bought.body.data.id}`
    yield ['numbers.update', await ask('PUT', path, { body: { nickname: 'Tour' } })]
    yield ['numbers.release', await ask('DELETE', path)]
    yield ['numbers.list', await ask('GET', '/api/user/phone-numbers/all')]
  },

  async *sipTrunks({ ask }) {
    const made = await ask('POST', '/api/user/phone-numbers/sip-trunks', {
      body: {
        sip_trunk_type: 'number',
        phone_number: '+14155550123',
        sip_username: 'tour',
        sip_password: 'secret',
        sip_address: 'sip.example.com',
        sip_calling_format: '+e164',
        inbound_authorization_type: 'auth',
        country_code: 'US',
      },
    })
    yield ['sipTrunks.create', made]
    const path = `/api/user/phone-numbers/sip-trunks/${made.body.data.id}`
    yield ['sipTrunks.get', await ask('GET', path)]
    yield ['sipTrunks.update', await ask('PUT', path, { body: { nickname: 'Tour' } })]
    yield ['sipTrunks.list', await ask('GET', '/api/user/phone-numbers/sip-trunks')]
  },

  async *assistants({ ask }) {
    const body = {
      name: 'Tour',
      voice_id: 1,
      language_id: 1,
      type: 'outbound',
      mode: 'pipeline',
      timezone: 'Europe/Berlin',
      initial_message: 'Hello.',
      system_prompt: 'You show people around.',
      llm_model_id: 2,
    }
    const made = await ask('POST', '/api/user/assistant', { body })
    yield ['assistants.create', made]
    const { id } = made.body.data
    yield [
      'assistants.update',
      await ask('PUT', `/api/user/assistant/${id}`, { body: { max_duration: 60, record: true } }),
    ]
    yield [
      'assistants.setStatus',
      await ask('POST', `/api/user/assistant/${id}/status`, { body: { status: 'active' } }),
    ]
    yield ['assistants.list', await ask('GET', '/api/user/assistants/get?per_page=1')]
    for (const [what, path] of [
      ['ConversationEnded', 'conversation-ended-webhook'],
      ['PostCall', 'webhook'],
      ['Inbound', 'inbound-webhook'],
    ] as const) {
      const turn = (verb: string, more: object) =>
        ask('POST', `/api/user/assistants/${verb}-${path}`, { body: { assistant_id: id, ...more } })
      yield [`assistants.enable${what}Webhook`, await turn('enable', { webhook_url: 'https://example.com/hook' })]
      yield [`assistants.disable${what}Webhook`, await turn('disable', {})]
    }
    yield ['assistants.delete', await ask('DELETE', `/api/user/assistant/${id}`)]
  },

  async *messaging({ ask }) {
    const [sender] = (await ask('GET', '/api/user/messaging/senders')).body.data
    const templates = await ask('GET', `/api/user/messaging/senders/${sender.id}/templates`)
    yield ['messaging.templates', templates]
    const path = `/api/user/messaging/senders/${sender.id}/assistant`
    yield ['messaging.updateAssignment', await ask('PUT', path, { body: { assistant_id: 1 } })]
    const [template] = templates.body.data
    const recipient = { sender_id: sender.id, recipient_phone: '+14155550142' }
    const variables = Object.fromEntries(template.variables.map((_: string, n: number) => [String(n + 1), 'x']))
    yield [
      'messaging.send',
      await ask('POST', '/api/user/messaging/send', { body: { ...recipient, template_id: template.id, variables } }),
    ]
    yield [
      'messaging.sendFreeform',
      await ask('POST', '/api/user/messaging/send-freeform', { body: { ...recipient, message: 'Hello' } }),
    ]
    yield [
      'messaging.session',
      await ask('GET', `/api/user/messaging/session-status?sender_id=${sender.id}&recipient_phone=%2B14155550142`),
    ]
  },

  async *conversations({ ask }) {
    const [assistant] = (await ask('GET', '/api/user/assistants/get')).body.data
    const made = await ask('POST', '/api/conversations', {
      body: { assistant_id: assistant.uuid, variables: { name: 'Tour' } },
      key: null,
    })
    yield ['conversations.create', made]
    const uuid = made.body.conversation_id
    yield [
      'conversations.send',
      await ask('POST', `/api/conversations/${uuid}/messages`, { body: { message: '#function' }, key: null }),
    ]
    yield ['conversations.disableAi', await ask('POST', `/api/automate/conversations/${uuid}/disable-ai`)]
    yield ['conversations.enableAi', await ask('POST', `/api/automate/conversations/${uuid}/enable-ai`)]
    for (const conversation of (await ask('GET', '/api/user/conversations?per_page=100')).body.data)
      yield ['conversations.get', await ask('GET', `/api/conversations/${conversation.id}`, { key: null })]
    yield ['conversations.list', await ask('GET', '/api/user/conversations?type=widget&per_page=1&page=2')]
  },

  async *calls({ ask }) {
    const body = { phone_number: '+14155550111', assistant_id: 1 }
    yield ['calls.start', await ask('POST', '/api/user/make_call', { body })]
    const [call] = (await ask('GET', '/api/user/calls')).body.data
    yield ['calls.get', await ask('GET', `/api/user/calls/${call.id}`)]
    yield ['calls.stop', await ask('POST', `/api/user/calls/${call.id}/stop`)]
    yield ['calls.delete', await ask('DELETE', `/api/user/calls/${call.id}`)]
  },

  async *replies({ ask }) {
    const body = { assistant_id: 1, customer_identifier: 'tour', message: 'Hello', variables: { name: 'Tour' } }
    yield ['replies.generate', await ask('POST', '/api/user/ai/generate-reply', { body })]
  },

  async *sms({ ask }) {
    const number = (await ask('GET', '/api/user/phone-numbers/all')).body.data.find(
      (it: { sms_capable: boolean }) => it.sms_capable,
    )
    yield [
      'sms.send',
      await ask('POST', '/api/user/sms', { body: { from: number.id, to: '+14155550111', body: 'Hello' } }),
    ]
  },

  async *contacts({ ask }) {
    const contact = { phone_number: '+14155550188', channel: 'sms' }
    const body = { contacts: [{ ...contact, reason: 'Asked by phone', source: 'operator' }] }
    yield ['contacts.block', await ask('POST', '/api/user/blocked-contacts', { body })]
    yield ['contacts.list', await ask('GET', '/api/user/blocked-contacts?channel=sms')]
    const unblock = { contacts: [contact] }
    yield ['contacts.unblock', await ask('POST', '/api/user/blocked-contacts/unblock', { body: unblock })]
    yield ['contacts.settings', await ask('GET', '/api/user/opt-out-settings')]
    const settings = { languages: ['en'], stop_words: ['no more'] }
    yield ['contacts.updateSettings', await ask('PUT', '/api/user/opt-out-settings', { body: settings })]
    yield ['contacts.hours', await ask('GET', '/api/user/contact-hours')]
    const call = { phone_number: '+14155550188', assistant_id: 1 }
    // One of these hours is not the present one, so that the call waits.
    for (const hour of ['03', '15']) {
      const windows = [{ start: `${hour}:33`, end: `${hour}:34` }]
      await ask('PUT', '/api/user/contact-hours', { body: { schedule_windows: windows } })
      if ((await ask('POST', '/api/user/make_call', { body: call })).status === 202) break
    }
    const waiting = await ask('GET', '/api/user/waiting-contacts')
    yield ['contacts.waiting', waiting]
    const cancel = `/api/user/waiting-contacts/${waiting.body.data[0].id}/cancel`
    yield ['contacts.cancelWaiting', await ask('POST', cancel)]
    const { waiting: other } = (await ask('POST', '/api/user/make_call', { body: call })).body
    yield ['contacts.sendWaiting', await ask('POST', `/api/user/waiting-contacts/${other.id}/send`)]
    const hours = { schedule_windows: [{ start: '09:00', end: '20:00' }], holidays: ['2026-12-25'] }
    yield ['contacts.updateHours', await ask('PUT', '/api/user/contact-hours', { body: hours })]
    await ask('PUT', '/api/user/contact-hours', { body: { schedule_windows: null, holidays: null } })
  },

  async *campaigns({ ask }) {
    const made = await ask('POST', '/api/user/campaign', { body: { name: 'Tour', assistant_id: 1 } })
    yield ['campaigns.create', made]
    const path = `/api/user/campaign/${made.body.data.id}`
    yield ['campaigns.get', await ask('GET', path)]
    await ask('POST', '/api/user/lead', { body: { campaign_id: made.body.data.id, phone_number: '+14155550188' } })
    yield ['campaigns.update', await ask('PUT', path, { body: { max_retries: 2 } })]
    const body = { campaign_id: made.body.data.id, action: 'start' }
    yield ['campaigns.updateStatus', await ask('POST', '/api/user/campaigns/update-status', { body })]
    yield ['campaigns.delete', await ask('DELETE', path)]
  },

  async *leads({ ask }) {
    const secondary_contacts = [{ phone_number: '+14155550124', variables: { first_name: 'Ben' } }]
    const made = await ask('POST', '/api/user/lead', {
      body: { campaign_id: 1, phone_number: '+14155550123', secondary_contacts },
    })
    yield ['leads.create', made]
    const batch = [
      { phone_number: '+14155550125', variables: { first_name: 'Cleo' } },
      { phone_number: '+14155550123' },
    ]
    yield ['leads.createBatch', await ask('POST', '/api/user/lead-batches', { body: { campaign_id: 1, leads: batch } })]
    const path = `/api/user/leads/${made.body.data.id}`
    yield ['leads.list', await ask('GET', '/api/user/leads?campaign_id=1&phone_number=0123&date_from=2020-01-01')]
    yield ['leads.update', await ask('PUT', path, { body: { variables: { first_name: 'Anna' } } })]
    yield ['leads.delete', await ask('DELETE', path)]
  },

  async *automate({ ask }) {
    const settings = { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } }
    const flow = (code: string) => ({
      trigger: { name: 'trigger', type: 'PIECE_TRIGGER', settings },
      steps: [
        {
          type: 'CODE',
          settings: {
            sourceCode: { code: `export const code = async (inputs) => (${code})`, packageJson: '{}' },
            input: {},
          },
        },
      ],
    })
    const made = await ask('POST', '/api/user/automate/flows', { body: { name: 'Tour', flow: flow('1') } })
    yield ['automate.create', made]
    const path = `/api/user/automate/flows/${made.body.automation_id}`
    yield ['automate.get', await ask('GET', path)]
    yield ['automate.listDefinitions', await ask('GET', '/api/user/automate/definitions?limit=1')]
    yield ['automate.update', await ask('PUT', path, { body: { name: 'Toured', enabled: false } })]
    yield ['automate.update', await ask('PUT', path, { body: { flow: flow('inputs.missing.field') } })]
    yield ['automate.list', await ask('GET', '/api/user/automate/flows')]
    const failed = (await ask('GET', `${path}/runs`)).body.runs[0]
    yield ['automate.runs', await ask('GET', `${path}/runs`)]
    yield ['automate.runs', await ask('GET', `${path}/runs?run_id=${failed.id}`)]
    yield ['automate.listRuns', await ask('GET', '/api/user/automate/runs')]
    yield ['automate.getRun', await ask('GET', `/api/user/automate/runs/${failed.id}`)]
    yield ['automate.rerun', await ask('POST', `/api/user/automate/runs/${failed.id}/rerun`, { body: {} })]
    yield ['automate.cancelRun', await ask('POST', `/api/user/automate/runs/${failed.id}/cancel`)]
    yield ['automate.retry', await ask('POST', `${path}/runs/${failed.id}/retry`)]
    yield ['automate.versions', await ask('GET', `${path}/versions`)]
    yield ['automate.version', await ask('GET', `${path}/versions/1`)]
    yield ['automate.restoreVersion', await ask('POST', `${path}/versions/1/restore`)]
    yield ['automate.restore', await ask('POST', `${path}/restore`)]
    yield ['automate.delete', await ask('DELETE', path)]
    yield ['automate.templates', await ask('GET', '/api/user/automate/templates')]
    const applied = { params: { campaign_id: '99' }, confirm_side_effects: true }
    yield ['automate.apply', await ask('POST', '/api/user/automate/templates/lead-intake-webhook', { body: applied })]
  },

  folders: groupings('folder'),
  labels: groupings('label'),

  async *knowledge({ ask }) {
    const base = await ask('POST', '/api/user/knowledgebases', { body: { name: 'Tour' } })
    yield ['knowledge.create', base]
    const path = `/api/user/knowledgebases/${base.body.data.id}`
    yield ['knowledge.get', await ask('GET', path)]
    yield ['knowledge.update', await ask('PUT', path, { body: { description: 'A tour' } })]
    const document = await ask('POST', `${path}/documents`, {
      body: { name: 'Page', type: 'website', url: 'https://example.com/' },
    })
    yield ['knowledge.createDocument', document]
    const below = `${path}/documents/${document.body.data.id}`
    yield ['knowledge.search', await ask('GET', `${path}/search?query=opening`)]
    yield ['knowledge.listDocuments', await ask('GET', `${path}/documents`)]
    yield ['knowledge.getDocument', await ask('GET', below)]
    yield ['knowledge.updateDocument', await ask('PUT', below, { body: { name: 'Renamed' } })]
    yield ['knowledge.deleteDocument', await ask('DELETE', below)]
    yield ['knowledge.delete', await ask('DELETE', path)]
  },
}

function groupings(what: 'folder' | 'label') {
  return async function* ({ ask }: Api): AsyncGenerator<Step, void> {
    const made = await ask('POST', `/api/user/${what}`, { body: { name: 'Tour', color: 'teal' } })
    yield [`${what}s.create`, made]
    const path = `/api/user/${what}/${made.body.data.id}`
    yield [`${what}s.update`, await ask('PUT', path, { body: { color: null } })]
    yield [`${what}s.list`, await ask('GET', `/api/user/${what}s`)]
    yield [`${what}s.delete`, await ask('DELETE', path)]
  }
}

/**
 * Calls every endpoint at least once: those without required input directly, the others by the steps of their resource. The
 * first success of an endpoint is its example in the OpenAPI document, so a step that comes earlier changes it. Tests expect
 * each step to succeed.
 */
export async function* tour(api: Api): AsyncGenerator<Step, void> {
  const needsNothing = (endpoint: Endpoint): boolean =>
    endpoint.method === 'GET' &&
    !endpoint.params &&
    !Object.values(endpoint.query?.shape ?? {}).some((field) => isRequired(field as z.ZodType))
  const visited = new Set<string>()
  const visit = (step: Step): Step => {
    visited.add(step[0])
    return step
  }
  for (const { name, path } of endpoints.filter(needsNothing)) yield visit([name, await api.ask('GET', path)])
  for (const steps of Object.values(resources)) for await (const step of steps(api)) yield visit(step)
  // Endpoints without steps of their own, with what the conformance check sends.
  for (const endpoint of endpoints.filter(({ name }) => !visited.has(name))) {
    const body: Record<string, unknown> = { ...exampleInput(endpoint, {}) }
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, field: string) => {
      const value = String(body[field] ?? 1)
      delete body[field]
      return value
    })
    yield [
      endpoint.name,
      await api.ask(endpoint.method, path, endpoint.method === 'GET' || endpoint.method === 'DELETE' ? {} : { body }),
    ]
  }
}
