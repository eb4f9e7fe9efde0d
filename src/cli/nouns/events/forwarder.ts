import type { Context } from '../../program/context.ts'

/** Timeout of a webhook receiver in milliseconds. */
const timeoutMs = 10_000

/** Result of forwarding one event. Scripts read it as JSON: fields are added, not renamed. */
export interface ForwardedEvent {
  readonly id: number | string
  readonly kind: string
  readonly genuine: boolean
  readonly status: number | null
  readonly error: string | null
  readonly payload: unknown
}

/** Sends a signed event. The status is null if there was no answer. */
export type Forwarder = (message: {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}) => Promise<{ readonly status: number | null; readonly error: string | null }>

/** Returns a function that forwards an event to a URL. */
export async function createForwarder({ system, globals }: Context, target: string): Promise<Forwarder> {
  const { origin, pathname, search } = new URL(target)
  const transport = await system.connect(origin, { env: system.env, insecure: globals.insecure === true })
  return async ({ headers, body }) => {
    try {
      const { status } = await transport.send(
        { method: 'POST', url: pathname + search, headers, body },
        { timeoutMs, signal: system.signal },
      )
      return { status, error: null }
    } catch (error) {
      return { status: null, error: (error as Error).message }
    }
  }
}
