import type { Client } from '../client/client.ts'
import { createClient } from '../client/create-client.ts'
import { localPlatform } from '../client/transport/platform-address.ts'
import type { PlainRequest, PlainResponse } from '../contract/endpoint/http-message.ts'
import { stringifyJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'

/** Creates a client for functions of the CLI that read the platform. `send` answers for one account. */
export const platformClient = (send: (request: PlainRequest) => Promise<PlainResponse>): Client =>
  createClient({
    transport: { base: localPlatform, send, close: async () => {} },
    // Never checked: the requests act for the account.
    key: 'inspector',
    retries: 0,
    sleep: async () => {},
    random: Math.random,
    now: realTime.now,
  })

/** Creates a client that reads for the account of a request. */
export const readingClient = (backend: InspectorBackend, request: InspectorRequest): Client =>
  platformClient(async ({ method, url, headers }) => {
    const found = method === 'GET' ? await backend.find(method, url.split('?')[0] as string) : undefined
    if (!found) return { status: 404, headers: {}, body: '{}' }
    const answer = await backend.send({ ...request, ...found, method, url, headers, body: undefined })
    return { status: answer.status, headers: {}, body: stringifyJson(answer.body) }
  })
