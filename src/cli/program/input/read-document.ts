// Documents that flags name: a file, standard input, or a value with `@file`. Scalars of YAML are text until the schema gives
// them a type, so that phone numbers and versions keep their digits.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type * as z from 'zod'
import { coerceDeep, type QuotedScalars } from '../../../contract/endpoint/coerce.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { parseJson } from '../../../node/json.ts'
import { parseYaml as parseValue } from '../../../node/parse-yaml.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'
import { InputTooLong, maxInputLength } from '../terminal/streams.ts'
import { type ParsedYaml, readYaml, yamlErrorMessage } from './read-yaml.ts'
import { withTexts } from './text-files.ts'

/**
 * Reads a document from a JSON or YAML file, with its texts in other files; `-` is standard input. `flag` names its source for messages. `isTop`
 * requires an object with fields and no list.
 */
export async function readDocument(
  system: System,
  path: string,
  schema: z.ZodType | undefined,
  flag = '--file',
  isTop = flag === '--file' || flag === path,
): Promise<unknown> {
  if (path === '-') {
    const document = await parseDocument(await system.streams.stdin.text(), `${flag} -`, schema, isTop)
    return withTexts(document, schema, resolve(system.cwd, '-'), `${flag} -`)
  }
  let text: string
  try {
    text = decodeText(readFileSync(resolve(system.cwd, path)))
  } catch (error) {
    throw usageError(`${flag === path ? '' : `${flag}: `}Could not read ${path}: ${describeFileError(error)}.`)
  }
  if (text.length > maxInputLength) throw new InputTooLong(path)
  const where = flag === path ? path : `${flag} ${path}`
  return withTexts(await parseDocument(text, where, schema, isTop), schema, resolve(system.cwd, path), where)
}

/** Parses JSON, or YAML in which every scalar is read as text, so that `+14155550123` and `0044` are unchanged. */
export async function parseDocument(
  text: string,
  where: string,
  schema: z.ZodType | undefined,
  isTop: boolean,
): Promise<unknown> {
  const trimmed = text.trim()
  if (trimmed === '') throw usageError(`${where} is empty.`, "Pass JSON or YAML, such as '{name: value}'.")
  let value: unknown
  let asText: QuotedScalars | undefined
  if (/^[[{]/.test(trimmed)) {
    try {
      value = parseJson(trimmed)
    } catch {
      value = undefined
    }
  }
  if (value === undefined) {
    ;({ value, asText } = await parseYaml(text, where))
  }
  if (typeof value !== 'object' || value === null || (isTop && Array.isArray(value)))
    throw usageError(
      `${where} must contain ${isTop ? 'an object with fields' : 'a list or an object'}.`,
      isTop
        ? "Pass JSON or YAML: '{name: value}'."
        : "Pass JSON or YAML, '[…]' for a list or '{name: value}' for an object, or @path.",
    )
  return schema && asText ? coerceDeep(schema, value, asText) : value
}

async function parseYaml(text: string, where: string): Promise<ParsedYaml> {
  try {
    return await readYaml(text)
  } catch (problem) {
    throw usageError(`${where} is not valid JSON or YAML: ${yamlErrorMessage(problem)}`)
  }
}

/** Parses JSON or YAML, given as text or as `@file`. @throws ClientFailure `usage` */
export async function readValue(system: System, text: string, flag: string): Promise<unknown> {
  const path = text.startsWith('@') ? text.slice(1) : undefined
  const content = path === undefined ? text : readFile(system, path, flag)
  try {
    return await parseValue(content)
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0]
    throw path === undefined
      ? usageError(`${flag}: ${reason}`, 'Pass JSON, YAML or @file.')
      : usageError(`${flag}: ${path} is not valid JSON or YAML: ${reason}`)
  }
}

function readFile({ cwd }: System, path: string, flag: string): string {
  try {
    return decodeText(readFileSync(resolve(cwd, path)))
  } catch (error) {
    throw usageError(`${flag}: Could not read ${path}: ${describeFileError(error)}.`)
  }
}
