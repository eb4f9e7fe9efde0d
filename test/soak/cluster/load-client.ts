import { Agent, request } from 'node:http'

/** Response of a server; undefined if there was none, so that it is not known what happened. */
export type Answer =
  | {
      readonly status: number
      // biome-ignore lint/suspicious/noExplicitAny: the load reads the response and fails if it is not as expected.
      readonly body: any
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
    }
  | undefined

export interface Call {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly control?: string
  readonly body?: object
  readonly idempotencyKey?: string
}

/** Milliseconds after which a request has no response. */
const timeoutMs = 15_000

/** Sends requests over kept connections. */
export class LoadClient {
  readonly #agent = new Agent({ keepAlive: true })
  /** Number of responses by status; 0 is none. */
  readonly statuses = new Map<number, number>()
  readonly unexpected: string[] = []

  async send(url: string, call: Call): Promise<Answer> {
    const answer = await this.#send(url, call)
    const status = answer?.status ?? 0
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status === 500 && this.unexpected.length < 50)
      this.unexpected.push(`${call.method} ${call.path}: ${status} ${JSON.stringify(answer?.body)}`)
    return answer
  }

  #send(url: string, { method, path, token, control, body, idempotencyKey }: Call): Promise<Answer> {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(control !== undefined && { 'parley-control': control }),
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    return new Promise((resolve) => {
      const sent = request(url + path, { agent: this.#agent, method, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('error', () => resolve(undefined))
        response.on('end', () => {
          clearTimeout(timer)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) })
        })
      })
      const timer = setTimeout(() => sent.destroy(new Error('timeout')), timeoutMs)
      sent.on('error', () => {
        clearTimeout(timer)
        resolve(undefined)
      })
      sent.end(body && JSON.stringify(body))
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
