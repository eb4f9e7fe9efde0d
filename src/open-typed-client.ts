import { type CallMore, createClient } from './client/create-client.ts'
import { ClientFailure, usageFailure } from './client/failures/client-failure.ts'
import { paginate } from './client/paginate.ts'
import { remoteTransport } from './client/transport/remote-transport.ts'
import type { Endpoint } from './contract/endpoint/endpoint.ts'
import { endpoints } from './contract/resources/index.ts'
import { publicVocabulary } from './contract/vocabulary/public-vocabulary.ts'
import { createCodec } from './contract/vocabulary/vocabulary.ts'
import { realTime, sleep } from './node/real-time.ts'
import type { ClientOptions } from './typed-client.ts'

/** Calls endpoints by name, `<resource>.<verb>`. */
export interface TypedClient {
  call(name: string, input: object, options: object): Promise<unknown>
  /** Returns the items of all pages of a list, with one page in memory. */
  all(name: string, input: object, options: object): AsyncIterable<unknown>
  close(): Promise<void>
}

/** Throws an error whose message also has those of the invalid fields: test runners print only the message. */
function throwWithFields(error: unknown): never {
  if (error instanceof ClientFailure) {
    const more = error.details.map((it) => it.message).filter((it) => !error.message.includes(it))
    error.message = [error.message, ...more].join(' ')
  }
  throw error
}

/** Opens the client that applications use. @throws ClientFailure `usage` for an invalid URL */
export function openTypedClient(options: ClientOptions): TypedClient {
  const { url, key, vocabulary, retries, timeoutMs, insecure } = options
  const transport = remoteTransport(url, { env: process.env, ...(insecure !== undefined && { insecure }) })
  const words = vocabulary === 'public' ? publicVocabulary : vocabulary
  const client = createClient({
    transport,
    ...(key && { key }),
    ...(words && { codec: createCodec(words), vocabulary: vocabulary === 'public' ? 'public' : 'custom' }),
    ...(retries !== undefined && { retries }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    userAgent: 'parley-client',
    sleep,
    random: Math.random,
    now: realTime.now,
  })
  const byName = new Map<string, Endpoint>(endpoints.map((it) => [it.name, it]))
  const find = (name: string): Endpoint => {
    const endpoint = byName.get(name)
    if (endpoint) return endpoint
    const [resource] = name.split('.')
    const methods = endpoints.map((it) => it.name).filter((it) => it.startsWith(`${resource}.`))
    throw usageFailure(
      'unknown_endpoint',
      methods.length > 0
        ? `There is no method ${name}. Use one of: ${methods.join(', ')}.`
        : `There is no resource ${resource}. Use one of: ${[...new Set(endpoints.map((it) => it.name.split('.')[0]))].join(', ')}.`,
    )
  }
  return {
    call: async (name, input, options) => client(find(name), input, options as CallMore).catch(throwWithFields),
    async *all(name, input, options) {
      try {
        yield* paginate(client, find(name), input, { ...(options as CallMore), all: true })
      } catch (error) {
        throwWithFields(error)
      }
    },
    close: () => transport.close(),
  }
}
