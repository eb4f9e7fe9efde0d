import { inspectorHeaders } from '../../../contract/values/inspector-headers.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'

/** Response of a route through the inspector's gateway. gateway.ts of the inspector sends it. */
export interface Answer<T = unknown> {
  readonly status: number
  readonly body: T
  /** Formatted values by JSON pointer. */
  readonly shown: Readonly<Record<string, string>>
  /** Equivalent command; null if there is none. */
  readonly command: string | null
}

/** What the platform asks before a dangerous request. gateway.ts of the inspector sends it with status 202. */
export interface Confirmation {
  readonly question: string
  readonly details: readonly string[]
  readonly notes?: readonly string[]
  /** `yes`, or the name to type. */
  readonly expected: string
  /** Identifies the question and its details. The gateway asks again if they changed. */
  readonly agreement: string
}

/** A request that failed, with a text for people. `status` is 0 if the server was not reached. */
export class RequestFailure extends Error {
  readonly status: number
  /** Whether the request may have been carried out, or is not sent yet because it must be confirmed. */
  readonly isOpen: boolean
  readonly confirmation: Confirmation | undefined
  constructor(status: number, message: string, { confirmation, isOpen }: FailureDetails = {}) {
    super(message)
    this.status = status
    this.isOpen = isOpen ?? (status === 0 || status >= 500 || confirmation !== undefined)
    this.confirmation = confirmation
  }
}

interface FailureDetails {
  readonly confirmation?: Confirmation
  readonly isOpen?: boolean
}

/** A request of the page to its server. */
export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly account?: number | undefined
  /** The word or name that confirms a dangerous request, and what the user agreed to. */
  readonly confirm?: Pick<Confirmation, 'expected' | 'agreement'> | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the message of an error body, with the messages for its fields. */
export function errorText(status: number, body: unknown): string {
  const { message, error, errors } = (body ?? {}) as Record<string, unknown>
  const main = [message, error].find((it) => typeof it === 'string' && it !== '') as string | undefined
  const fields =
    typeof errors === 'object' && errors !== null
      ? Object.values(errors)
          .flat()
          .filter((it): it is string => typeof it === 'string')
      : []
  const texts = [...new Set([...(main ? [main] : []), ...fields])]
  return texts.join(' ') || `The request failed with HTTP status ${status}.`
}

/**
 * Sends a request to a path of the inspector. src/inspector/inspector.ts refuses a request without the header
 * Parley-Inspector, which a page of others cannot set. @throws RequestFailure if the server cannot be reached
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { [inspectorHeaders.page]: '1', ...init.headers } })
  } catch {
    throw new RequestFailure(0, 'The server cannot be reached. Check that it is running.')
  }
}

/** Calls a route of the platform through the gateway. @throws RequestFailure for every error status */
export async function call<T>({ method = 'GET', path, body, account, confirm, headers }: Call): Promise<Answer<T>> {
  const response = await send(`/_parley/api${path}`, {
    method,
    headers: {
      // Fields that the specification does not list, such as the customer of a conversation.
      ...(method === 'GET' && { 'Parley-Details': 'full' }),
      ...headers,
      ...(account !== undefined && { [inspectorHeaders.account]: String(account) }),
      ...(confirm !== undefined && {
        [inspectorHeaders.confirm]: encodeURIComponent(confirm.expected),
        [inspectorHeaders.agreement]: confirm.agreement,
      }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: stringifyJson(body) }),
  })
  const answer = (await response
    .text()
    .then(parseJson)
    .catch(() => ({}))) as Partial<Answer<T>> & {
    confirm?: Confirmation
    is_open?: boolean
  }
  // Not an error status, which the browser would report on its console.
  if (response.status === 202 && answer.confirm)
    throw new RequestFailure(202, answer.confirm.question, { confirmation: answer.confirm })
  if (!response.ok)
    throw new RequestFailure(response.status, errorText(response.status, answer.body ?? answer), {
      isOpen: answer.is_open === true || response.status >= 500,
    })
  return {
    status: response.status,
    body: answer.body as T,
    shown: answer.shown ?? {},
    command: answer.command ?? null,
  }
}
