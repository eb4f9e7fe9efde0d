import type { Resources } from './generated/client-types.ts'
// Before a test can install fake timers.
import './node/real-time.ts'

export type * from './generated/client-types.ts'

/** The vocabulary of a deployment: neutral words on the left, the deployment's on the right. */
export interface Words {
  /** Whole path segments. */
  readonly paths: Readonly<Record<string, string>>
  /** JSON keys and query names. */
  readonly keys: Readonly<Record<string, string>>
  /** Enumerated values, by their key. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Prefixes of values, by key. Under `*`, prefixes of keys. */
  readonly prefixes: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Options of `createClient`. */
export interface ClientOptions {
  /** Base URL of the platform: `https://platform.example`. */
  readonly url: string
  /** API key, or a function that returns it for each request. */
  readonly key?: string | null | (() => Promise<string>)
  /** Vocabulary of its API: `public`, or a custom one (default: the one of the documentation). */
  readonly vocabulary?: 'public' | Words
  /** Maximum retries of requests that are safe to repeat (default: 3). */
  readonly retries?: number
  /** Timeout of one attempt in milliseconds (default: 30 000). */
  readonly timeoutMs?: number
  /** Allows http to another machine. */
  readonly insecure?: boolean
}

/** A failure of the platform, of the connection, or of the input. Every rejection of the client is one. */
export interface ClientError extends Error {
  readonly name: 'ClientFailure'
  /** Stable code of the failure, such as `validation_failed` or `outcome_unknown`. */
  readonly code: string
  /** HTTP status, if the platform answered. */
  readonly status?: number
  /** How to fix it. */
  readonly hint?: string
  /** Invalid fields, with the message of the platform for each. */
  readonly details: readonly { readonly path: string; readonly message: string }[]
  /** Id of the request in the log of the platform. */
  readonly requestId?: string
  /** Seconds after which the platform accepts another request. */
  readonly retryAfter?: number
  /** Whether the request may have reached the platform. */
  readonly sent?: boolean
}

/** A client of one platform: `client.numbers.buy({ phone_number })`. */
export interface Client extends Resources {
  /** Closes its connections. Further calls open new ones. */
  close(): Promise<void>
}

/** Returns whether an error comes from the client. */
export const isClientError = (error: unknown): error is ClientError =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'ClientFailure'

/**
 * Creates a client with a method for every endpoint of the platform. Reads are retried; a billable operation is sent
 * once, under an idempotency key. @throws ClientError for an invalid URL
 */
export function createClient(options: ClientOptions): Client {
  const opened = import('./open-typed-client.ts').then((it) => it.openTypedClient(options))
  // A rejection reaches the caller with the first call.
  opened.catch(() => {})
  return new Proxy({} as Client, {
    get: (_, resource) => {
      if (resource === 'close') return async () => (await opened).close()
      // A client is not a promise, also where it is awaited or returned from an async function.
      if (typeof resource !== 'string' || resource === 'then') return undefined
      return methodsOf(resource, opened)
    },
  })
}

type OpenedClient = Awaited<ReturnType<typeof import('./open-typed-client.ts')['openTypedClient']>>

function methodsOf(resource: string, opened: Promise<OpenedClient>): object {
  return new Proxy(
    {},
    {
      get: (_, verb) => {
        if (typeof verb !== 'string') return undefined
        const name = `${resource}.${verb}`
        const call = async (input: object = {}, options: object = {}): Promise<unknown> =>
          (await opened).call(name, input, options)
        const all = async function* (input: object = {}, options: object = {}): AsyncGenerator<unknown> {
          yield* (await opened).all(name, input, options)
        }
        return Object.assign(call, { all })
      },
    },
  )
}
