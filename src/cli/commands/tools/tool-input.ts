import { isObject } from '../../../contract/values/json-object.ts'
import type { System } from '../../../system.ts'
import { usageError } from '../../errors/usage-error.ts'
import { readValue } from '../../flow-files/step-mocks.ts'

/**
 * Reads repeated `--input` flags, each `name=value`, or an object as JSON, YAML or `@file`, into one object. Values of
 * `name=value` are texts, which the platform converts to the type of the parameter. @throws ClientFailure `usage`
 */
export async function readToolInput(system: System, texts: readonly string[]): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const text of texts) {
    const pair = /^([^\s{@=:]+)=(.*)$/s.exec(text)
    if (pair) {
      input[String(pair[1])] = pair[2]
      continue
    }
    const value = await readValue(system, text, '--input')
    if (!isObject(value))
      throw usageError(
        `Invalid --input "${text}". Use name=value, or an object as JSON, YAML or @file.`,
        'Example: --input phone=+14155550142.',
      )
    Object.assign(input, value)
  }
  return input
}
