import type { PlainRequest, PlainResponse } from '../../../contract/endpoint/http-message.ts'
import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import {
  createResponseTranslator,
  type ResponseTranslator,
  type Vocabulary,
} from '../../../contract/vocabulary/vocabulary.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { RequestHandler } from '../app.ts'
import { createRouter, type Match, type Route, splitUrl } from '../http/router.ts'

/** A path without an endpoint, for paths that do not exist in the vocabulary. */
const unmatchedPath = '/-'

/**
 * Wraps a handler with a translation from a deployment's vocabulary to the neutral one. Only the platform's API is
 * translated; control routes, probes and the OpenAPI document have no other vocabulary.
 */
export function withVocabulary(
  handle: RequestHandler,
  vocabulary: Vocabulary,
  routes: readonly Route[],
): RequestHandler {
  const translator = createResponseTranslator(vocabulary)
  const find = createRouter(
    routes.map(([method, path, resource, verb]) => [method, translator.path(path), resource, verb]),
  )
  const templates = new Map(routes.map(([, path, resource, verb]) => [`${resource}.${verb}`, path]))
  const methods = [...new Set(routes.map(([method]) => method))]

  /** Returns the path in neutral vocabulary, with its parameters filled in. */
  function neutralPath(method: string, path: string): string {
    for (const candidate of [method, ...methods]) {
      const match = find(candidate, path)
      if ('resource' in match) return fillPath(match)
    }
    return unmatchedPath
  }

  const fillPath = ({ resource, verb, params }: Match): string =>
    (templates.get(`${resource}.${verb}`) ?? unmatchedPath).replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(translator.value(name, params[name]))),
    )

  return async (request) => {
    const [path = '', search] = splitUrl(request.url)
    if (!path.startsWith('/api/') || request.inspector) return handle(request)
    const query = search === undefined ? '' : `?${neutralQuery(translator, search)}`
    const answer = await handle({
      ...request,
      url: neutralPath(request.method, path) + query,
      ...translateRequestBody(translator, request),
    })
    return { ...answer, body: translateBody(translator, answer) }
  }
}

function neutralQuery(translator: ResponseTranslator, search: string): string {
  const pairs = [...new URLSearchParams(search)].map(([name, value]): [string, string] => {
    const key = translator.key(name)
    return [key, String(translator.value(key, value))]
  })
  return new URLSearchParams(pairs).toString()
}

/** Translates a request body. Invalid JSON, or JSON nested too deeply, passes unchanged and is refused later. */
function translateRequestBody(translator: ResponseTranslator, { body }: PlainRequest): { body?: string } {
  if (body === undefined) return {}
  try {
    return { body: stringifyJson(translator.incoming(parseJson(body))) }
  } catch {
    return { body }
  }
}

/** Translates a response body. A body that is not JSON on purpose stays unchanged. */
function translateBody(translator: ResponseTranslator, { status, body }: PlainResponse): string {
  let answer: unknown
  try {
    answer = parseJson(body)
  } catch {
    return body
  }
  return stringifyJson(status < 400 ? translator.outgoing(answer) : translator.refusal(answer))
}

/** Returns the vocabulary of an API; undefined if it is the neutral one. */
export const resolveVocabulary = (given: 'public' | Vocabulary | undefined): Vocabulary | undefined =>
  given === 'public' ? publicVocabulary : given

/** Returns the translator of webhook payloads to the vocabulary of the API. */
export const payloadTranslator = (vocabulary: Vocabulary | undefined): ((payload: unknown) => unknown) =>
  vocabulary ? createResponseTranslator(vocabulary).outgoing : (payload) => payload
