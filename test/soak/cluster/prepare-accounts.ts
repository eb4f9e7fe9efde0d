import { code, delay, hook, http, keep } from '../../support/flow-definitions.ts'
import { type Answer, type Call, LoadClient } from './load-client.ts'

/** Account of the load, with what it needs. */
export interface LoadAccount {
  readonly id: number
  readonly token: string
  readonly campaign: number
  readonly assistant: number
  readonly assistantUuid: string
  /** Tools, each changed by one client at a time. */
  readonly tools: readonly number[]
  readonly sender: number
  readonly template: number
  /** Path of the webhook of an automation with code, a request and a short delay. */
  readonly webhook: string
  /** Path of the webhook of an automation whose first request to `/probe` has no response. */
  readonly probe: string
}

interface Template {
  readonly status: string
  readonly variables: readonly unknown[]
}

const assistant = {
  name: 'Soak',
  voice_id: 1,
  language_id: 1,
  type: 'outbound',
  mode: 'pipeline',
  timezone: 'UTC',
  initial_message: 'Hello',
  system_prompt: 'You help.',
  llm_model_id: 2,
}

const ask = (url: string) => http('POST', url, { body_type: 'json', body: { data: { n: "{{trigger['body']['n']}}" } } })

/** Creates accounts with money, tools, a sender and automations that send to `receiver`. */
export async function prepareAccounts(
  url: string,
  control: string,
  receiver: string,
  count: number,
): Promise<LoadAccount[]> {
  const client = new LoadClient()
  const must = async (call: Call): Promise<NonNullable<Answer>['body']> => {
    const answer = await client.send(url, call)
    if (!answer || answer.status >= 300)
      throw new Error(`${call.method} ${call.path}: ${answer?.status} ${JSON.stringify(answer?.body)}`)
    return answer.body
  }
  const accounts: LoadAccount[] = []
  for (let n = 0; n < count; n++) {
    const made = await must({
      method: 'POST',
      path: '/control/accounts',
      control,
      body: { name: `Account ${n}`, balance: 10_000, payment_method: 'pm_card_visa' },
    })
    const token = made.token as string
    const post = (path: string, body: object) => must({ method: 'POST', path: `/api${path}`, token, body })
    const found = await post('/user/assistant', assistant)
    const campaign = await post('/user/campaign', { name: 'Soak', assistant_id: idOf(found) })
    await must({ method: 'POST', path: `/control/accounts/${made.data.id}/senders`, control })
    const senders = await must({ method: 'GET', path: '/api/user/messaging/senders?status=all', token })
    const sender = senders.data.find((it: { status: string }) => it.status === 'online')
    const templates = await must({
      method: 'GET',
      path: `/api/user/messaging/senders/${sender.id}/templates`,
      token,
    })
    const tools: number[] = []
    for (let tool = 0; tool < 4; tool++)
      tools.push(
        idOf(
          await post('/user/tools', {
            name: `look_up_${tool}`,
            description: '0',
            endpoint: 'https://crm.example/orders',
            method: 'GET',
          }),
        ),
      )
    const assistants = await must({ method: 'GET', path: '/api/user/assistants/get', token })
    const flow = async (name: string, steps: readonly object[]): Promise<string> => {
      const body = { name, flow: { trigger: hook, steps }, confirm_side_effects: true, sample: { n: `sample-${name}` } }
      const { webhook_url } = await post('/user/automate/flows', body)
      return new URL(webhook_url).pathname
    }
    accounts.push({
      id: made.data.id,
      token,
      campaign: idOf(campaign),
      assistant: idOf(found),
      assistantUuid: assistants.data[0].uuid ?? found.data?.uuid,
      tools,
      sender: sender.id,
      template: templates.data.find((it: Template) => it.status === 'approved' && it.variables.length === 0).id,
      webhook: await flow('work', [
        code('({ n: inputs.n })', { n: "{{trigger['body']['n']}}" }),
        ask(`${receiver}/step`),
        delay({ unit: 'seconds', delayFor: 1 + (n % 3) }),
        keep('last', "{{trigger['body']['n']}}"),
        ask(`${receiver}/step`),
      ]),
      probe: await flow('probe', [ask(`${receiver}/probe`)]),
    })
    await post('/user/assistants/enable-conversation-ended-webhook', {
      assistant_id: idOf(found),
      webhook_url: `${receiver}/event`,
    })
  }
  client.close()
  return accounts
}

/** Returns the id in a response, at the top or in `data`. */
const idOf = (response: { id?: number; data?: { id?: number } }): number => Number(response.id ?? response.data?.id)
