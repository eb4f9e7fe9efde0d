import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildRequest } from '../../../src/client/requests/build-request.ts'
import type { Endpoint } from '../../../src/contract/endpoint/endpoint.ts'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { normalizeResponse } from '../../../src/contract/endpoint/normalize-response.ts'
import { endpoints } from '../../../src/contract/resources/index.ts'
import { publicVocabulary } from '../../../src/contract/vocabulary/public-vocabulary.ts'
import { createCodec, createResponseTranslator, type Vocabulary } from '../../../src/contract/vocabulary/vocabulary.ts'
import { collectContractWords } from '../../../src/contract/vocabulary/vocabulary-conflicts.ts'
import { routes } from '../../../src/generated/routes.ts'
import { withVocabulary } from '../../../src/platform/server/middleware/vocabulary-codec.ts'
import { arbitraryOf } from '../../support/schema-arbitrary.ts'

const words = collectContractWords()

/** Some of the contract's words, each spelled otherwise. */
const renamed = (from: Iterable<string>, as: string) =>
  fc.subarray([...from]).map((some) => Object.fromEntries(some.map((it, n) => [it, `${as}${n}_${it.slice(0, 3)}`])))

/** Vocabularies that no deployment uses. */
export const invented: fc.Arbitrary<Vocabulary> = fc.record({
  paths: renamed(
    [...words.paths].filter((it) => it !== 'api'),
    'p',
  ),
  keys: renamed(words.keys, 'k'),
  values: fc.record(Object.fromEntries([...words.values].map(([key, values]) => [key, renamed(values, 'v')]))),
  prefixes: fc.constant({ pieceName: { '@engine/': '@other/' } }),
})

/** The request a neutral server behind a speaking one is given. */
async function received(request: PlainRequest, vocabulary: Vocabulary): Promise<PlainRequest> {
  let seen: PlainRequest | undefined
  const behind = async (request: PlainRequest) => {
    seen = request
    return { status: 200, headers: {}, body: '{}' }
  }
  await withVocabulary(behind, vocabulary, routes)(request)
  return seen as PlainRequest
}

const inputOf = (endpoint: Endpoint): fc.Arbitrary<object> =>
  fc
    .tuple(
      ...[endpoint.params, endpoint.query, endpoint.body].flatMap((part) =>
        part ? [arbitraryOf(part) as fc.Arbitrary<object>] : [],
      ),
    )
    .map((parts) => Object.assign({}, ...parts))
    // A path parameter that is empty or a dot is refused before it is sent.
    .map((input) =>
      Object.fromEntries(
        Object.entries(input).map(([name, value]) => [
          name,
          endpoint.path.includes(`{${name}}`) && /^\.{0,2}$/.test(String(value)) ? 'x' : value,
        ]),
      ),
    )

const parsed = ({ url, body, method }: PlainRequest) => {
  const [path, search] = url.split('?')
  return {
    method,
    path,
    query: [...new URLSearchParams(search)],
    body: body === undefined ? undefined : JSON.parse(body),
  }
}

/** Each endpoint, spoken to in other words: as often as `numRuns` says, with other values and words each time. */
export function roundTrips(numRuns: number): void {
  describe.each(endpoints.map((it) => [it.name, it] as const))('%s', (_name, endpoint) => {
    const vocabularies = fc.oneof(fc.constant(publicVocabulary), invented)

    test('has the same meaning on a platform with another vocabulary', async () => {
      await fc.assert(
        fc.asyncProperty(inputOf(endpoint), vocabularies, async (input, vocabulary) => {
          const sent = buildRequest(endpoint, input, { codec: createCodec(vocabulary) })
          expect(parsed(await received(sent, vocabulary))).toEqual(parsed(buildRequest(endpoint, input)))
        }),
        { numRuns },
      )
    })

    test('has a response with the same meaning', () => {
      fc.assert(
        fc.property(arbitraryOf(endpoint.output), vocabularies, (answer, vocabulary) => {
          const wire = JSON.parse(JSON.stringify(createResponseTranslator(vocabulary).outgoing(answer)))
          expect(normalizeResponse(endpoint.output, createCodec(vocabulary).incoming(wire))).toEqual(
            JSON.parse(JSON.stringify(answer)),
          )
        }),
        { numRuns },
      )
    })
  })
}
