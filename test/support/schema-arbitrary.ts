import fc from 'fast-check'
import type * as z from 'zod'
import { allowedValues, isNullable, isRequired, schemaDefinition, unwrap } from '../../src/contract/endpoint/coerce.ts'
import { freeFormKeys } from '../../src/contract/vocabulary/vocabulary.ts'

/**
 * Texts. User-chosen texts include vocabulary words of Parley and of deployments, which must not be translated there.
 */
const texts = (isOwn: boolean): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      'Ärger & Söhne',
      '{{trigger}}',
      ...(isOwn ? ['messaging', 'whatsapp', 'cal_a', '@engine/piece-http'] : []),
    ),
  )
const names = (isOwn: boolean): fc.Arbitrary<string> =>
  fc.constantFrom(
    'messaging_sender_id',
    'cal_a_api_key',
    'data',
    'a b',
    '1',
    'x.y',
    ...(isOwn ? ['whatsapp_sender_id', 'calcom_api_key', 'channel', 'type'] : []),
  )

/**
 * Returns values that a schema describes. Their structure is valid; rules over texts and several fields may be
 * violated.
 */
export function arbitraryOf(schema: z.ZodType, depth = 0, isOwn = false): fc.Arbitrary<unknown> {
  const { base, kind } = unwrap(schema)
  const of = bare(base, kind, depth, isOwn)
  return isNullable(schema) ? fc.oneof({ weight: 5, arbitrary: of }, { weight: 1, arbitrary: fc.constant(null) }) : of
}

function bare(
  base: z.ZodType,
  kind: ReturnType<typeof unwrap>['kind'],
  depth: number,
  isOwn: boolean,
): fc.Arbitrary<unknown> {
  const def = schemaDefinition(base)
  const words = allowedValues(base)
  if (words && words.length > 0) return fc.constantFrom(...words)
  if (kind === 'string') return texts(isOwn)
  if (kind === 'integer') return fc.integer({ min: 0, max: 100_000 })
  if (kind === 'number') return fc.integer({ min: 0, max: 10_000 }).map((it) => it / 100)
  if (kind === 'boolean') return fc.boolean()
  if (kind === 'array')
    return def.element && depth < 6
      ? fc.array(arbitraryOf(def.element, depth + 1, isOwn), { maxLength: 3 })
      : fc.constant([])
  if (kind === 'record')
    return fc.dictionary(names(isOwn), def.valueType ? arbitraryOf(def.valueType, depth + 1, isOwn) : texts(isOwn), {
      maxKeys: 3,
      noNullPrototype: true,
    })
  if (kind === 'union') return fc.oneof(...(def.options ?? []).map((it) => arbitraryOf(it, depth + 1, isOwn)))
  if (kind === 'object') return fieldsOf(def.shape ?? {}, depth)
  return texts(isOwn)
}

function fieldsOf(shape: Readonly<Record<string, z.ZodType>>, depth: number): fc.Arbitrary<unknown> {
  const entries = Object.entries(shape).filter(([, schema]) => depth < 6 || isRequired(schema))
  return fc.record(
    Object.fromEntries(entries.map(([name, schema]) => [name, arbitraryOf(schema, depth + 1, freeFormKeys.has(name))])),
    {
      requiredKeys: entries.filter(([, schema]) => isRequired(schema)).map(([name]) => name),
      noNullPrototype: true,
    },
  )
}
