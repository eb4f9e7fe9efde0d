import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { coerceDeep } from '../../../contract/endpoint/coerce.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import { toJsonSchema } from '../../../contract/openapi/item-types.ts'
import { simplify } from '../../../contract/openapi/schema-translation.ts'
import * as z from '../../../contract/schema/schema.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { readYaml, yamlErrorMessage } from '../../program/input/read-yaml.ts'
import { textLocations } from '../../program/input/source-locations.ts'
import type { System } from '../../program/system.ts'
import {
  addExpectationProblems,
  addTextProblems,
  expectationLists,
} from '../scenario-tests/assistants/read-scenarios.ts'
import {
  closed,
  expectations,
  type Json,
  oneOrMany,
  propertiesOf,
  stringSchema,
  TurnExpectations,
} from '../scenario-tests/assistants/scenario-schema.ts'
import type { JudgedSource } from './judged-sources.ts'

/** Version of the format. A later one is refused, because its criteria may mean something else. */
const version = 1

const Check = TurnExpectations.omit({ max_latency_ms: true }).extend({
  max_messages: z.int().min(1).optional().describe('Maximum messages of the assistant'),
})
export type Check = z.output<typeof Check>

const Criterion = z.object({
  id: z.string().min(1).max(60).describe('Name in results: small letters, digits and _'),
  question: z.string().min(1).max(2000).optional().describe('Question that a language model answers with a score'),
  scale: z.int().min(1).max(100).default(5).describe('Best score; 0 is the worst'),
  evidence: z
    .enum(['assistant', 'any'])
    .default('assistant')
    .describe('Whose words a score above 0 quotes: those of the assistant, or of anybody'),
  check: Check.optional().describe('What is checked without a model, instead of a question'),
  when: z.array(z.string().min(1)).optional().describe('Texts of the customer with which the criterion applies'),
  weight: z.number().min(0.01).max(100).default(1).describe('Weight in the score'),
  min: z.number().min(0).max(1).optional().describe('Score below which a conversation fails whatever the others are'),
})
export type Criterion = z.output<typeof Criterion>

const RubricFile = z.object({
  version: z.int().describe('Version of the format: 1'),
  name: z.string().min(1).max(100).describe('Name of the rubric; results are compared with earlier ones of this name'),
  pass: z.number().min(0).max(1).default(0.7).describe('Score below which a conversation fails'),
  criteria: z.array(Criterion).min(1).max(50),
})

/** What conversations are judged by. */
export interface Rubric extends z.output<typeof RubricFile> {
  /** Differs when something of the rubric does. It is saved with a run, and the next run says that the rubric has changed. */
  readonly hash: string
}

const formatHint = 'For the format: parley schema rubric.'

/** The row of all criteria together in results, so that no criterion has this id. */
export const totalId = 'total'

/** Returns whether a model answers a criterion. */
export const isAsked = ({ question }: Criterion): boolean => question !== undefined

/** Returns the JSON Schema of a rubric, for editors. */
export function createRubricSchema(): Json {
  const rubric = simplify(toJsonSchema(RubricFile, 'input')) as Json
  const criteria = propertiesOf(rubric).criteria ?? {}
  const criterion = propertiesOf(criteria.items as Json)
  const fields = {
    ...criterion,
    check: expectations(criterion.check ?? {}),
    when: oneOrMany(criterion.when, stringSchema),
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rubric of "parley conversations judge" and "parley calls judge"',
    ...closed(rubric, {
      ...propertiesOf(rubric),
      criteria: { ...criteria, items: closed(criteria.items as Json, fields) },
    }),
  }
}

/** Reads a rubric. @throws ClientFailure `usage` with the line and the field of every problem */
export async function readRubric(system: System, given: unknown, noun: JudgedSource['noun']): Promise<Rubric> {
  if (typeof given !== 'string') throw usageError('Missing --rubric. Pass a YAML file with the criteria.', formatHint)
  const name = given === '-' ? 'standard input' : given
  let text = ''
  try {
    text = given === '-' ? await system.streams.stdin.text() : decodeText(readFileSync(resolve(system.cwd, given)))
  } catch (error) {
    throw usageError(`Could not read --rubric ${given}: ${describeFileError(error)}.`)
  }
  const { value, asText } = await readYaml(text).catch((error: unknown) => {
    throw usageError(`${name}: ${yamlErrorMessage(error)}`)
  })
  if (!isObject(value)) throw usageError(`${name}:1: A rubric must be an object with version, name and criteria.`)
  const checked = validate(RubricFile, coerceDeep(RubricFile, withLists(value), asText))
  const problems = checked.ok ? ruleProblems(checked.value, noun) : checked.errors
  const locations = await textLocations(text, name)
  const lines = Object.entries(problems).flatMap(([at, messages]) => {
    const line = /:(\d+)$/.exec(locations(at) ?? '')?.[1]
    return messages.map((it) => `${name}${line === undefined ? '' : `:${line}`}: ${at}: ${it}`)
  })
  if (!checked.ok || lines.length > 0) throw usageError(lines.join('\n'), `Nothing was judged. ${formatHint}`)
  return { ...checked.value, hash: hashJson(checked.value) }
}

/** Replaces a single text by a list of one. */
function withLists(given: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(given.criteria)) return given
  const criteria = given.criteria.map((criterion: unknown) =>
    isObject(criterion)
      ? {
          ...criterion,
          ...(criterion.check !== undefined && { check: expectationLists(criterion.check) }),
          ...(typeof criterion.when === 'string' && { when: [criterion.when] }),
        }
      : criterion,
  )
  return { ...given, criteria }
}

function ruleProblems(rubric: z.output<typeof RubricFile>, noun: JudgedSource['noun']): Record<string, string[]> {
  const problems: Record<string, string[]> = {}
  if (rubric.version !== version)
    problems.version = [`Use version ${version}. This program reads no version ${rubric.version}.`]
  const ids = new Set<string>()
  for (const [n, { id, question, check, when }] of rubric.criteria.entries()) {
    const at = `criteria.${n}`
    if (!/^[a-z][a-z0-9_]*$/.test(id)) problems[`${at}.id`] = ['Use small letters, digits and _, such as said_price.']
    else if (id === totalId) problems[`${at}.id`] = [`Use another id: "${totalId}" is the row of all criteria.`]
    else if (ids.has(id)) problems[`${at}.id`] = [`Another criterion has the id "${id}" too.`]
    ids.add(id)
    if ((question === undefined) === (check === undefined))
      problems[at] = ['Write either a question or a check, and one of them.']
    if (check && Object.keys(check).length === 0) problems[`${at}.check`] = ['Write at least one condition.']
    addExpectationProblems(problems, `${at}.check`, check ?? {})
    addTextProblems(problems, `${at}.when`, when)
    for (const condition of ['called', 'not_called'] as const)
      if (noun === 'calls' && check?.[condition] !== undefined)
        problems[`${at}.check.${condition}`] = [
          `The criterion "${id}" cannot be judged: transcripts of calls do not contain the tools that the assistant called.`,
        ]
  }
  return problems
}
