import { isError } from '../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import type { RunOptions } from '../expressions/sandbox.ts'

/** Request from the thread of the code: `request` is JSON with the body in base64. */
export interface FetchCall {
  readonly id: number
  readonly request: string
}

/** Performs a request of code. Returns the response as JSON with its body in base64, or `error`. Never throws. */
export async function performFetch(
  { request }: FetchCall,
  fetch: RunOptions['fetch'],
  maxLength: number,
): Promise<string> {
  try {
    if (!fetch) throw new Error('Requests cannot be sent in this sandbox.')
    const { method, url, headers, body } = parseJson(request) as {
      method: string
      url: string
      headers: Record<string, string>
      body: string
    }
    if (!/^https?:/i.test(url)) throw new Error(`${url} is not an http or https address.`)
    const reply = await fetch({ method, url, headers, body: Buffer.from(body, 'base64') })
    if (reply.body.length > maxLength) throw new Error(`The response is larger than ${maxLength / 1024 / 1024} MB.`)
    return stringifyJson({
      url: reply.url ?? url,
      status: reply.status,
      headers: reply.headers,
      body: Buffer.from(reply.body).toString('base64'),
    })
  } catch (error) {
    return stringifyJson({ error: isError(error) ? error.message : String(error) })
  }
}
