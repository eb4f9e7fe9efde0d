import type { PlainResponse } from '../../../src/contract/endpoint/http-message.ts'
import { stringifyJson } from '../../../src/node/json.ts'
import { openPlatform } from '../../../src/platform/compose.ts'
import type { Platform, PlatformSettings } from '../../../src/platform/platform-settings.ts'

/** Location of a platform's data: its folder and, on PostgreSQL, its database. */
export interface Place {
  readonly dataDir: string
  readonly database?: string
}

export interface Asked {
  readonly body?: unknown
  /** Raw body, for bodies that are not valid JSON. */
  readonly raw?: string
  /** API key (default: that of the platform); null for none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read the response and fail if it is not as expected.
  readonly body: any
  readonly text: string
}

export interface TestAccount {
  readonly id: number
  readonly key: string
}

/** Platform in this process with short functions for requests. */
export interface Api {
  readonly platform: Platform
  ask(method: string, url: string, asked?: Asked): Promise<Answered>
  /** Sends a request with the control token. */
  control(method: string, url: string, body?: unknown): Promise<Answered>
  /** Creates an account. */
  account(fields?: object): Promise<TestAccount>
  /** Sends a request to buy the number. */
  buy(number: string, asked?: Asked): Promise<Answered>
}

/** Returns whether a process exists. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const answered = ({ status, headers, body }: PlainResponse): Answered => ({
  status,
  headers,
  body: JSON.parse(body),
  text: body,
})

/** Opens the platform at a place. The caller closes it. */
export async function openApi(place: Place, settings: Partial<PlatformSettings> = {}): Promise<Api> {
  const platform = await openPlatform({ ...place, durable: false, pid: process.pid, isAlive, ...settings })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= platform.close())

  const ask: Api['ask'] = async (method, url, { body, raw, key = platform.credentials().key, headers = {} } = {}) => {
    const text = raw ?? (body === undefined ? undefined : stringifyJson(body))
    return answered(
      await platform.handle({
        method,
        url,
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(text !== undefined && { body: text }),
      }),
    )
  }
  const control: Api['control'] = (method, url, body) =>
    ask(method, url, {
      key: null,
      headers: { 'parley-control': platform.credentials().control },
      ...(body !== undefined && { body }),
    })
  return {
    platform: { ...platform, close },
    ask,
    control,
    async account(fields = {}) {
      const { body } = await control('POST', '/control/accounts', {
        name: 'Somebody',
        payment_method: 'pm_card_visa',
        ...fields,
      })
      return { id: body.data.id, key: body.token }
    },
    buy: (number, asked) =>
      ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number: number }, ...asked }),
  }
}
