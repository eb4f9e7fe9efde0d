import * as z from '../../contract/schema/schema.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { stringifyJson } from '../../node/json.ts'
import { fields, fromJson, textList } from './input-fields.ts'
import { type Action, action, done, type Piece } from './piece.ts'
import { StepFailure } from './step-failure.ts'

const list = z.preprocess(fromJson, z.array(z.unknown()))

/** Returns the values as numbers, also those in texts. @throws StepFailure that names those that are none */
function toNumbers(values: readonly unknown[]): number[] {
  const numbers = values.map((it) =>
    (typeof it === 'string' && it.trim() !== '') || typeof it === 'bigint' ? Number(it) : it,
  )
  const wrong = numbers.findIndex((it) => typeof it !== 'number' || !Number.isFinite(it))
  if (wrong >= 0)
    throw new StepFailure(`values[${wrong}] is not a number: ${stringifyJson(values[wrong]) ?? 'nothing'}.`)
  return numbers as number[]
}

const calculation = (
  title: string,
  calculate: (numbers: readonly number[]) => object,
  isEmptyAllowed = false,
): Action<never> =>
  action({
    title,
    isInternal: true,
    input: fields({ values: list }),
    run: async ({ values }) => {
      if (values.length === 0 && !isEmptyAllowed) throw new StepFailure('values must have at least one number.')
      return done(calculate(toNumbers(values)))
    },
  })

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, it) => sum + it, 0)

/** Returns the fields of an object that are counted; other values have none. */
const pick = (value: unknown, names: readonly string[]): object =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) : {}

/** Calculates with the values of a list. */
export const dataSummarizer: Piece = {
  names: ['data-summarizer'],
  triggers: {},
  actions: {
    calculateAverage: calculation('Average of a list', (it) => ({ average: sumOf(it) / it.length })),
    calculateSum: calculation('Sum of a list', (it) => ({ sum: sumOf(it) }), true),
    getMinMax: calculation('Lowest and highest number of a list', (it) => ({
      max: it.reduce((max, value) => Math.max(max, value)),
      min: it.reduce((min, value) => Math.min(min, value)),
    })),
    countUniques: action({
      title: 'Number of different values of a list',
      isInternal: true,
      input: fields({
        values: list,
        fields: z.preprocess(
          (it) => (Array.isArray(it) && it.length === 0 ? undefined : (it ?? undefined)),
          textList.optional(),
        ),
      }),
      run: async ({ values, fields: names }) =>
        done({ numUniques: new Set(values.map((it) => stringifyJson(names ? pick(it, names) : it))).size }),
    }),
  },
}
