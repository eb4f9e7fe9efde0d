import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Sent } from '../alternating-rounds.ts'
import { create, plain, sample } from '../automations.ts'
import { program } from '../processes.ts'

const execute = promisify(execFile)

const assistant = {
  name: 'Bench',
  voice_id: 1,
  language_id: 1,
  type: 'outbound',
  mode: 'pipeline',
  timezone: 'UTC',
  initial_message: 'Hello',
  system_prompt: 'You help.',
  llm_model_id: 2,
}

/** Creates accounts with a campaign each, leads, a tool and an automation, and returns the requests of the load. */
export async function prepareRequests(
  port: number,
  env: Readonly<Record<string, string | undefined>>,
  file: string = program,
) {
  const parley = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await execute(process.execPath, [file, ...args, '--json'], { env, maxBuffer: 1e8 })
    return JSON.parse(stdout)
  }
  const call = async (token: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const accounts: { token: string; campaign: number }[] = []
  for (let n = 0; n < 16; n++) {
    const made = (await parley('server', 'accounts', 'create', '--name', `Account ${n}`)) as { key: string }
    const assistant_id = idOf(await call(made.key, 'POST', '/user/assistant', assistant))
    const campaign = await call(made.key, 'POST', '/user/campaign', { name: 'Bench', assistant_id })
    accounts.push({ token: made.key, campaign: idOf(campaign) })
  }
  const [one] = accounts as [{ token: string; campaign: number }]
  const tool = await call(one.token, 'POST', '/user/tools', {
    name: 'look_up',
    description: 'Looks up an order.',
    endpoint: 'https://crm.example/orders',
    method: 'GET',
  })
  const headers = { authorization: `Bearer ${one.token}` }
  const webhook = await create(port, headers, 'Four steps', plain)
  const lead = ({ token, campaign }: { token: string; campaign: number }): Sent => ({
    what: 'POST lead',
    method: 'POST',
    path: '/api/user/lead',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ campaign_id: campaign, phone_number: '+15005550006', allow_dupplicate: true }),
  })
  const get = (what: string, path: string): Sent => ({ what, method: 'GET', path: `/api${path}`, headers })
  return {
    tool: get('GET one tool', `/user/tools/${idOf(tool)}`),
    leads: get('GET a page of leads', '/user/leads'),
    numbers: get('GET numbers', '/user/phone-numbers/search?country_code=US'),
    oneAccount: [lead(one)],
    allAccounts: accounts.map(lead),
    webhook: {
      what: 'webhook',
      method: 'POST',
      path: `${webhook}/sync`,
      headers: {},
      body: JSON.stringify(sample),
    },
  }
}

/** Returns the id in a response, at the top or in `data`. */
const idOf = (response: Record<string, unknown>): number =>
  Number(response.id ?? (response.data as Record<string, unknown> | undefined)?.id)
