import { httpHeader } from '../../contract/values/http-header.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { findSecretsIn } from '../definition/secrets.ts'
import type { HttpRequest } from '../ports.ts'
import { fillVariables, type Variables } from './assistant-variables.ts'
import type { FunctionArguments } from './function-values.ts'

export { parseArguments } from './function-values.ts'

/** A stored tool, as far as its request needs it: headers and fixed fields are JSON. */
interface StoredRequest {
  readonly endpoint: string
  readonly method: string
  readonly body_format: string
  readonly timeout: number
  readonly headers: string
  readonly static_fields: string
}

type Field = readonly [name: string, value: unknown]

const toTextPairs = (pairs: readonly Field[]): [string, string][] =>
  pairs.map(([name, value]) => [name, typeof value === 'string' ? value : stringifyJson(value)])

/**
 * Returns the fields of a request outside the URL: the parameters that the URL does not contain, then the fixed fields,
 * which take precedence.
 */
function requestFields(
  { endpoint, static_fields }: Pick<StoredRequest, 'endpoint' | 'static_fields'>,
  args: FunctionArguments,
  variables: Variables,
): Field[] {
  const urlParameters = new Set([...endpoint.matchAll(parameterPattern)].map(([, name]) => name))
  const fixed = (parseJson(static_fields) as { key: string; value: string }[]).map(
    ({ key, value }) => [key, fillVariables(value, variables)] as const,
  )
  const ownFields = Object.entries(args).filter(
    ([name]) => !urlParameters.has(name) && !fixed.some(([key]) => key === name),
  )
  return [...ownFields, ...fixed]
}

/**
 * Returns the credentials that the request of a tool contains, as `hideSecretsIn` takes them. A server may repeat them in
 * its response, which is stored and shown.
 */
export const toolSecrets = (
  { endpoint, headers, static_fields }: Pick<StoredRequest, 'endpoint' | 'headers' | 'static_fields'>,
  variables: Variables,
): string[] =>
  findSecretsIn([
    fillUrlVariables(endpoint, variables),
    ...(parseJson(headers) as { name: string; value: string }[]).map((header) => ({
      ...header,
      value: fillVariables(header.value, variables),
    })),
    ...(parseJson(static_fields) as { key: string; value: string }[]).map((field) => ({
      ...field,
      value: fillVariables(field.value, variables),
    })),
  ])

/** Matches `{param}`, but not the inside of `{{variable}}`. Saved tools have such URLs, and the terminal warns by it. */
export const parameterPattern = /(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g

/** Encodes a value for any position in a URL, so that a value from the model cannot change the destination. */
const encodeForUrl = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : stringifyJson(value))

/** Returns the URL with parameters and variables filled in. @throws Error with a message for the model */
function buildUrl(endpoint: string, args: FunctionArguments, variables: Variables): URL {
  const filled = fillUrlVariables(endpoint, variables).replace(parameterPattern, (_, name: string) => {
    if (!Object.hasOwn(args, name)) throw new Error(`The parameter ${name} is required.`)
    return encodeForUrl(args[name])
  })
  if (!URL.canParse(filled)) throw new Error('The URL of the tool is invalid.')
  if (countDotSegments(filled) > countDotSegments(endpoint))
    throw new Error('A parameter must not be "." or "..": it would change the path of the URL.')
  return new URL(filled)
}

/** Counts segments "." and ".." of the path, which `encodeForUrl` cannot encode. */
const countDotSegments = (url: string): number =>
  url
    .replace(/[?#].*$/s, '')
    .split(/[\\/]/)
    .filter((it) => /^(?:\.|%2e){1,2}$/i.test(it)).length

/** Fills variables into a URL, encoded so that their values cannot change the destination. */
function fillUrlVariables(endpoint: string, variables: Variables): string {
  const encoded = Object.entries(variables).map(
    ([name, value]) => [name, value === null || value === undefined ? value : encodeForUrl(value)] as const,
  )
  return fillVariables(endpoint, Object.fromEntries(encoded))
}

/**
 * Builds the request of a mid-call tool (section 2.2). `{param}` in the URL is an argument of the model; `{{variable}}`
 * in the URL, headers and fixed fields is a variable. Methods that write send the other fields as JSON or as a form, the
 * others in the query. The platform and `parley tools test` send the same request. @throws Error with a message for the
 * model
 */
export function buildToolRequest(tool: StoredRequest, args: FunctionArguments, variables: Variables): HttpRequest {
  const url = buildUrl(tool.endpoint, args, variables)
  const fields = requestFields(tool, args, variables)
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const { name, value } of parseJson(tool.headers) as { name: string; value: string }[]) {
    const filled = fillVariables(value, variables)
    if (!httpHeader.name.test(name) || !httpHeader.value.test(filled))
      throw new Error(`The header ${name} of the tool is invalid.`)
    for (const given of Object.keys(headers)) if (given.toLowerCase() === name.toLowerCase()) delete headers[given]
    headers[name] = filled
  }
  const timeout = Math.min(30, Math.max(1, tool.timeout)) * 1000
  if (tool.method === 'GET' || tool.method === 'DELETE') {
    for (const [name, value] of toTextPairs(fields)) url.searchParams.append(name, value)
    return { method: tool.method, url: url.href, headers, timeout }
  }
  const hasContentType = Object.keys(headers).some((it) => it.toLowerCase() === 'content-type')
  const [type, body] =
    tool.body_format === 'form'
      ? ['application/x-www-form-urlencoded', new URLSearchParams(toTextPairs(fields)).toString()]
      : ['application/json', stringifyJson(Object.fromEntries(fields))]
  return {
    method: tool.method,
    url: url.href,
    headers: { ...headers, ...(!hasContentType && { 'content-type': type }) },
    body,
    timeout,
  }
}
