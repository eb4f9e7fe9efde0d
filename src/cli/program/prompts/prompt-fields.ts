import { allowedValues, coerce, descriptionOf, isRequired, unwrap } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import * as z from '../../../contract/schema/schema.ts'
import { isSecretName } from '../../../contract/values/redact.ts'
import { type FieldFlag, fieldFlags } from '../commandline/field-flags.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices as toChoices } from './choices.ts'
import { recordFlag, recordSecretFlag } from './equivalent-command.ts'
import type { Prompts } from './prompts.ts'

/** Prompts for a secret with hidden input until it is valid. */
export async function promptSecret(
  prompts: Prompts,
  question: string,
  check: (value: string) => true | string,
): Promise<string> {
  for (let prompt = question; ; ) {
    const value = await prompts.password(prompt)
    const verdict = check(value)
    if (verdict === true) return value
    prompt = `${verdict} ${question}`
  }
}

/** Creates a validator from the contract's rule for the field, with the message of the platform. */
export const fieldValidator =
  (field: string, schema: z.ZodType, read: (text: string) => unknown = (text) => coerce(schema, text)) =>
  (text: string): true | string => {
    const checked = validate(z.object({ [field]: schema }), { [field]: read(text) })
    return checked.ok || checked.first
  }

/** Prompts for every missing required field. @throws ClientFailure `usage` with the flags, without a terminal */
export async function promptMissingFields(
  context: Context,
  endpoint: Endpoint,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const shape = (endpoint.body?.shape ?? {}) as Record<string, z.ZodType>
  const missing = Object.entries(shape).filter(([field, schema]) => input[field] === undefined && isRequired(schema))
  if (missing.length === 0) return input
  const flags = fieldFlags(context.command)
  const flagOf = (field: string): string => flags.find((it) => it.field === field)?.long ?? field
  if (!context.interactive) {
    throw usageError(
      `Missing ${missing.map(([field]) => flagOf(field)).join(', ')}.`,
      `Pass ${missing.length === 1 ? 'it as a flag' : 'them as flags'} or with --file. See: parley ${context.commandName} --help.`,
    )
  }
  const answers: Record<string, unknown> = {}
  for (const [field, schema] of missing)
    answers[field] = await promptField(context, { field, schema, long: flagOf(field) })
  return { ...input, ...answers }
}

/** Prompts for a field until it is valid: a selection for enums, hidden input for secrets. */
export async function promptField(
  context: Context,
  { field, schema, long }: Pick<FieldFlag, 'field' | 'schema' | 'long'>,
): Promise<unknown> {
  const prompts = await context.prompts()
  const question = `${descriptionOf(schema) ?? field}:`
  if (unwrap(schema).kind === 'boolean') {
    const value = await prompts.select(
      question,
      toChoices([true, false], (it) => (it ? 'yes' : 'no')),
    )
    recordFlag(context, value ? long : long.replace(/^--/, '--no-'))
    return value
  }
  const values = allowedValues(schema)
  const check = fieldValidator(field, schema)
  if (!values && isSecretName(field)) {
    recordSecretFlag(context, long, field)
    return promptSecret(prompts, question, check)
  }
  const value = values
    ? await prompts.select(question, toChoices(values.map(String), String))
    : coerce(schema, await prompts.input(question, { validate: check }))
  recordFlag(context, long, value)
  return value
}
