import { beforeAll } from 'vitest'
import type { PlainResponse } from '../../../src/contract/endpoint/http-message.ts'
import type { AutomationPorts } from '../../../src/engine/pieces/ports.ts'
import type { PlatformSettings } from '../../../src/platform/platform-settings.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import type { TestDatabase } from '../databases.ts'
import { addAssistant } from './chat-platform.ts'
import type { Answered, Api, Place, TestAccount } from './platform-api.ts'
import { fresh, tablesOf } from './test-platforms.ts'

type Headers = Readonly<Record<string, string>>

export type Owner = TestAccount & { readonly assistant: number }

/**
 * Starts a platform for the tests of a `describe`, with short functions for automations. Its clock is fixed until
 * `wait`.
 */
export function automationPlatform(database: TestDatabase, settings: Partial<PlatformSettings> = {}) {
  let api: Api & { readonly place: Place }
  let tables: Connection
  const requests: { method: string; url: string; headers: Readonly<Record<string, string>>; body: string }[] = []
  const answers = new Map<string, { status: number; body: unknown }>()
  const ports: Partial<AutomationPorts> = {
    http: {
      async send({ method, url, headers, body }) {
        requests.push({ method, url, headers, body: body === undefined ? '' : Buffer.from(body as string).toString() })
        const { status, body: answer } = answers.get(url) ?? { status: 200, body: { ok: true } }
        return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(answer)) }
      },
    },
  }
  const time = { ms: Date.UTC(2027, 2, 1, 12) }
  beforeAll(async () => {
    api = await fresh(database, {
      wall: () => time.ms,
      ...settings,
      automationPorts: { ...ports, ...settings.automationPorts },
    })
    tables = await tablesOf(api.place)
  })
  async function owner(assistant: object = {}): Promise<Owner> {
    const account = await api.account({ balance: 1 })
    return { ...account, assistant: (await addAssistant(tables, account.id, assistant)).id }
  }
  const flows = '/api/user/automate/flows'
  /** Sent by default, so that tests see all fields. */
  const details = { 'parley-details': 'full' }
  const create = ({ key }: TestAccount, body: object, headers: Headers = details): Promise<Answered> =>
    api.ask('POST', flows, { key, body: { name: 'Flow', ...body }, headers })
  const update = ({ key }: TestAccount, id: string, body: object, headers: Headers = details): Promise<Answered> =>
    api.ask('PUT', `${flows}/${id}`, { key, body, headers })
  const get = ({ key }: TestAccount, id: string, query = ''): Promise<Answered> =>
    api.ask('GET', `${flows}/${id}${query}`, { key })
  const list = ({ key }: TestAccount): Promise<Answered> => api.ask('GET', flows, { key })
  const restore = ({ key }: TestAccount, id: string, headers: Headers = details): Promise<Answered> =>
    api.ask('POST', `${flows}/${id}/restore`, { key, headers })
  const restoreVersion = (
    { key }: TestAccount,
    id: string,
    number: number | string,
    headers: Headers = details,
  ): Promise<Answered> => api.ask('POST', `${flows}/${id}/versions/${number}/restore`, { key, headers })
  const version = ({ key }: TestAccount, id: string, number: number | string, query = ''): Promise<Answered> =>
    api.ask('GET', `${flows}/${id}/versions/${number}${query}`, { key })
  const versions = ({ key }: TestAccount, id: string, query = ''): Promise<Answered> =>
    api.ask('GET', `${flows}/${id}/versions${query}`, { key })
  const remove = ({ key }: TestAccount, id: string): Promise<Answered> => api.ask('DELETE', `${flows}/${id}`, { key })
  const runs = async ({ key }: TestAccount, id: string, query = '', headers: Headers = details): Promise<Answered> =>
    api.ask('GET', `${flows}/${id}/runs${query}`, { key, headers })
  const retry = async ({ key }: TestAccount, id: string, run: string): Promise<Answered> =>
    api.ask('POST', `${flows}/${id}/runs/${run}/retry`, { key })
  const call = (
    id: string,
    suffix = '',
    body?: unknown,
    more: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<PlainResponse> =>
    api.platform.handle({
      method: more.method ?? 'POST',
      url: id.startsWith('/') ? id : `/automate/api/v1/webhooks/${id}${suffix}`,
      headers: {
        host: '127.0.0.1:1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const fire = ({ id }: TestAccount, kind: string, assistant: number, more: object = {}): Promise<Answered> =>
    api.control('POST', '/control/events', { account: id, kind, assistant_id: assistant, ...more })
  const fault = (endpoint: string, error: string): Promise<Answered> =>
    api.control('POST', '/control/faults', { endpoint, error, times: 1 })
  const connect = ({ id }: TestAccount, kind: string): Promise<Answered> =>
    api.control('POST', `/control/accounts/${id}/connections`, { kind, secret: { token: 't' } })
  const disconnect = ({ id }: TestAccount, connection: number): Promise<Answered> =>
    api.control('DELETE', `/control/accounts/${id}/connections/${connection}`)
  /** Advances the time and runs the jobs that become due. */
  async function wait(ms: number): Promise<void> {
    time.ms += ms
    await api.platform.due.drain()
  }
  return {
    time,
    requests,
    answers,
    owner,
    create,
    update,
    get,
    list,
    restore,
    restoreVersion,
    version,
    versions,
    remove,
    runs,
    retry,
    call,
    fire,
    fault,
    connect,
    disconnect,
    wait,
    api: () => api,
    tables: () => tables,
  }
}
