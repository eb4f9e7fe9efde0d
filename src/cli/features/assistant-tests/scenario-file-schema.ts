import { toJsonSchema } from '../../../contract/openapi/item-types.ts'
import { simplify } from '../../../contract/openapi/schema-translation.ts'
import { Scenario } from './scenario-schema.ts'

type Json = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Json>>

const text: Json = { type: 'string' }
const propertiesOf = (it: Json | undefined): Properties => (it?.properties ?? {}) as Properties
const closed = (it: Json, properties: Properties): Json => ({ ...it, properties, additionalProperties: false })

/** Returns the schema of a list that one item may stand for. */
const oneOrMany = (list: Json | undefined, items: Json): Json => ({
  ...(list?.description !== undefined && { description: list.description }),
  anyOf: [items, { type: 'array', items }],
})

/** Returns the schema of expectations with their short forms. */
function expectations(it: Json): Json {
  const properties = propertiesOf(it)
  const calls = (properties.called?.items ?? {}) as Json
  const short = Object.fromEntries(
    ['not_called', 'contains', 'matches', 'never'].map((name) => [name, oneOrMany(properties[name], text)]),
  )
  const called = oneOrMany(properties.called, { anyOf: [text, closed(calls, propertiesOf(calls))] })
  return closed(it, { ...properties, ...short, called })
}

/** Returns the JSON Schema of a file of scenarios, for editors. */
export function createScenarioSchema(): Json {
  const properties = propertiesOf(simplify(toJsonSchema(Scenario, 'input')) as Json)
  const { turns = {}, mocks = {}, expect = {} } = properties
  const turn = turns.items as Json
  const responses = (mocks.additionalProperties as Json).items as Json
  const fields: Properties = {
    ...properties,
    turns: {
      ...turns,
      items: {
        anyOf: [text, closed(turn, { ...propertiesOf(turn), expect: expectations(propertiesOf(turn).expect ?? {}) })],
      },
    },
    mocks: { ...mocks, additionalProperties: oneOrMany(undefined, closed(responses, propertiesOf(responses))) },
    expect: expectations(expect),
  }
  const scenario = { type: 'object', properties: fields, additionalProperties: false }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Scenarios of "parley assistants test"',
    ...scenario,
    properties: {
      ...fields,
      scenarios: {
        description: 'Scenarios; the other fields of the file apply to all of them',
        type: 'array',
        items: scenario,
      },
    },
  }
}
