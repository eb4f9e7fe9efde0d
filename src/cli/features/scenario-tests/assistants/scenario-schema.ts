import { givenVariables, isE164 } from '../../../../contract/endpoint/field-schemas.ts'
import { toJsonSchema } from '../../../../contract/openapi/item-types.ts'
import { simplify } from '../../../../contract/openapi/schema-translation.ts'
import * as z from '../../../../contract/schema/schema.ts'
import { languages } from '../../../nouns/conversations/reply-content.ts'

const text = z.string().min(1)
const texts = z.array(text)
const values = z.record(z.string(), z.unknown())

/**
 * How a conversation or a call ends. Scenarios of users expect these words, and scenarios from transcripts have them: they are
 * never renamed.
 */
const endReasons = ['open', 'customer', 'assistant', 'busy', 'no-answer', 'failed'] as const

const ExpectedCall = z.object({
  tool: text.describe('Name of the tool or function'),
  with: values.optional().describe('Arguments, by name; /.../ is a regular expression. Others are ignored'),
  times: z.int().min(1).optional().describe('Number of calls (default: at least one)'),
})

const replyExpectations = {
  called: z.array(ExpectedCall).optional().describe('Tools that are called, by name or as {tool, with, times}'),
  not_called: texts.optional().describe('Tools that are not called'),
  contains: texts.optional().describe('Texts in the replies; upper and lower case are equal'),
  matches: texts.optional().describe('Regular expressions that match the replies'),
  never: texts.optional().describe('Texts that no reply contains; /.../ is a regular expression'),
  says_price: z.boolean().optional().describe('Whether the assistant says an amount of money'),
  offers_human: z.boolean().optional().describe('Whether the assistant offers a person'),
  language: z.enum(languages).optional().describe('Language of the replies'),
  max_latency_ms: z.int().min(1).optional().describe('Maximum milliseconds of each reply'),
}

/** Expectations about the replies of one turn. */
export const TurnExpectations = z.object(replyExpectations)
const Expectations = z.object({
  ...replyExpectations,
  variables: values.optional().describe('Variables that are extracted at the end; /.../ is a regular expression'),
  handover: text.optional().describe('Assistant that takes over the conversation, or "none"'),
  end_reason: z.enum(endReasons).optional().describe('How the conversation ends'),
  min_turns: z.int().min(0).optional().describe('Minimum messages of the customer'),
  max_turns: z.int().min(0).optional().describe('Maximum messages of the customer'),
  max_cost_usd: z.number().min(0).optional().describe('Maximum cost in USD'),
  judge: text.optional().describe('Rubric by which a language model judges the conversation'),
})

const Mock = z.object({
  when: values.optional().describe('Arguments for which this response is used; /.../ is a regular expression'),
  status: z.int().min(100).max(599).default(200).describe('HTTP status'),
  body: z.unknown().optional().describe('Response body'),
})

const Customer = z.object({
  goal: text.describe('What the customer wants; also the first message without "opening"'),
  opening: text.optional().describe('First message'),
  facts: z.record(z.string(), z.string()).default({}).describe('What the customer knows, by the word that asks for it'),
  answers: z
    .array(z.object({ when: text, say: text }))
    .default([])
    .describe('Replies to the assistant: whole words or /.../, and what the customer says'),
  max_turns: z.int().min(1).max(50).default(8).describe('Maximum messages of the customer'),
  by: z.enum(['rules', 'model']).default('rules').describe('Who writes the messages: these rules, or a language model'),
})

const Call = z.object({
  direction: z.enum(['inbound', 'outbound']).default('inbound').describe('Who calls'),
  ends: z.enum(['customer', 'busy', 'no-answer', 'failed']).default('customer').describe('How the call ends'),
})

/**
 * A test of an assistant (docs/testing-assistants.md). Users commit such files: fields and values are added, not renamed.
 */
export const Scenario = z.object({
  name: text.optional().describe('Name in reports (default: the file name)'),
  assistant: text.describe('Name of the assistant'),
  channel: z.enum(['chat', 'messaging', 'call']).default('chat').describe('Channel of the conversation'),
  type: z
    .enum(['test', 'widget'])
    .default('test')
    .describe('Type of a chat: test is free, widget costs 0.01 USD a message'),
  time: z.iso.datetime({ offset: true }).default('2027-03-01T09:00:00Z').describe('Time at which it happens, ISO 8601'),
  phone: z
    .string()
    .refine(isE164, { error: 'Use E.164, for example +14155550142.' })
    .default('+14155550142')
    .describe('Number of the customer, E.164'),
  variables: givenVariables.default({}).describe('Variables of the conversation'),
  data: values.default({}).describe('Further data of the account, in the format of sample data'),
  mocks: z.record(z.string(), z.array(Mock)).default({}).describe('Responses of tools, by name; the first that fits'),
  model: z
    .enum(['configured', 'local'])
    .default('configured')
    .describe('"local" always uses the local model, without recordings'),
  turns: z
    .array(z.object({ say: text.describe('Message of the customer'), expect: TurnExpectations.optional() }))
    .default([])
    .describe('Messages of the customer, in order'),
  customer: Customer.optional().describe('Simulated customer, instead of turns'),
  call: Call.default({ direction: 'inbound', ends: 'customer' }).describe('For the channel call'),
  expect: Expectations.default({}).describe('Expectations about the whole conversation'),
})

/** The responses of tools alone. */
export const MocksFile = z.object({ mocks: Scenario.shape.mocks })

/** Expectations that cannot be checked on a remote deployment. */
export const remoteUnknown = ['variables', 'max_cost_usd'] as const

type ScenarioFields = z.output<typeof Scenario>
export type ScenarioExpectations = z.output<typeof Expectations>
export type TurnExpected = z.output<typeof TurnExpectations>
export type SimulatedCustomer = z.output<typeof Customer>

/** A scenario and where it is written. */
export interface TestScenario extends ScenarioFields {
  readonly name: string
  /** Path relative to the folder of the tests. */
  readonly file: string
  /** Returns `file:line` of a field. */
  readonly locate: (path: string) => string
}

/** A part of a JSON Schema. */
export type Json = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Json>>

export const stringSchema: Json = { type: 'string' }
/** Returns the fields of the schema of an object. */
export const propertiesOf = (it: Json | undefined): Properties => (it?.properties ?? {}) as Properties
/** Returns the schema of an object with these fields and no others. */
export const closed = (it: Json, properties: Properties): Json => ({ ...it, properties, additionalProperties: false })

/** Returns the schema of a list; a single item is accepted in place of a list of one. */
export const oneOrMany = (list: Json | undefined, items: Json): Json => ({
  ...(list?.description !== undefined && { description: list.description }),
  anyOf: [items, { type: 'array', items }],
})

/** Returns the schema of expectations with their short forms. */
export function expectations(json: Json): Json {
  const properties = propertiesOf(json)
  const calls = (properties.called?.items ?? {}) as Json
  const short = Object.fromEntries(
    ['not_called', 'contains', 'matches', 'never'].map((name) => [name, oneOrMany(properties[name], stringSchema)]),
  )
  const called = oneOrMany(properties.called, { anyOf: [stringSchema, closed(calls, propertiesOf(calls))] })
  return closed(json, { ...properties, ...short, called })
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
        anyOf: [
          stringSchema,
          closed(turn, { ...propertiesOf(turn), expect: expectations(propertiesOf(turn).expect ?? {}) }),
        ],
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
