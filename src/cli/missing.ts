import * as z from 'zod'
import { isSecretName } from '../client/redact.ts'
import { choices, coerce, isRequired, purposeOf } from '../contract/coerce.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { validate } from '../contract/validation.ts'
import { gaveFlag, gaveSecret } from './answered.ts'
import { choices as toChoices } from './choices.ts'
import type { Context } from './context.ts'
import { fieldFlags } from './options.ts'
import type { Prompts } from './prompts.ts'
import { usage } from './usage.ts'

/** Asks for a secret, which is not shown while it is typed, until it is one the platform takes. */
export async function askHidden(prompts: Prompts, question: string, check: (value: string) => true | string): Promise<string> {
  for (let asked = question; ; ) {
    const value = await prompts.password(asked)
    const verdict = check(value)
    if (verdict === true) return value
    asked = `${verdict} ${question}`
  }
}

/** What a question checks an answer with: the contract's own rule for the field, worded as the platform words it. */
export const ruleOf =
  (field: string, schema: z.ZodType, read: (text: string) => unknown = (text) => coerce(schema, text)) =>
  (text: string): true | string => {
    const checked = validate(z.object({ [field]: schema }), { [field]: read(text) })
    return checked.ok || checked.first
  }

/** Asks for every required field that was not given, on a terminal; elsewhere names their flags and exits 2. */
export async function askMissing(context: Context, endpoint: Endpoint, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const shape = (endpoint.body?.shape ?? {}) as Record<string, z.ZodType>
  const missing = Object.entries(shape).filter(([field, schema]) => input[field] === undefined && isRequired(schema))
  if (missing.length === 0) return input
  const flags = fieldFlags(context.command)
  const flagOf = (field: string): string => flags.find((it) => it.field === field)?.long ?? field
  if (!context.interactive) {
    throw usage(
      `Missing: ${missing.map(([field]) => flagOf(field)).join(', ')}.`,
      `Give ${missing.length === 1 ? 'it' : 'them'} as flags or with --file. See: parley ${context.words} --help.`,
    )
  }
  const prompts = await context.prompts()
  const answers: Record<string, unknown> = {}
  for (const [field, schema] of missing) {
    const question = `${purposeOf(schema) ?? field}:`
    const values = choices(schema)
    if (values) answers[field] = await prompts.select(question, toChoices(values.map(String), String))
    else {
      const check = ruleOf(field, schema)
      answers[field] = isSecretName(field) ? await askHidden(prompts, question, check) : coerce(schema, await prompts.input(question, { validate: check }))
    }
    if (isSecretName(field)) gaveSecret(context, flagOf(field), field)
    else gaveFlag(context, flagOf(field), answers[field])
  }
  return { ...input, ...answers }
}
