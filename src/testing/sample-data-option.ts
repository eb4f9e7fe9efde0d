import { readFileSync } from 'node:fs'
import { decodeText } from '../node/decode-text.ts'
import { describeFileError } from '../node/file-error.ts'
import { parseYaml } from '../node/parse-yaml.ts'
import type { StartOptions } from '../platform.ts'

/** Returns the object of the option `data`, which may be the path of a file. @throws TypeError for an unreadable file */
export async function readDataOption(data: StartOptions['data']): Promise<object | undefined> {
  if (typeof data !== 'string') return data
  const fail = (reason: string): never => {
    throw new TypeError(`The file "${data}" of the option "data" ${reason}`)
  }
  let text = ''
  try {
    text = decodeText(readFileSync(data))
  } catch (error) {
    fail(`could not be read: ${describeFileError(error)}.`)
  }
  const value = await parseYaml(text).catch((error: Error) => fail(`is not valid YAML or JSON: ${error.message}`))
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : fail('must contain an object with fields.')
}

/** Returns the error for invalid sample data, with a line for each problem; other errors unchanged. */
export function dataOptionError(error: unknown): unknown {
  const { name, errors } = error as {
    readonly name?: string
    readonly errors?: Readonly<Record<string, readonly string[]>>
  }
  if (name !== 'Failure' || errors === undefined) return error
  return new TypeError(`The option "data" of startPlatform is invalid:\n${Object.values(errors).flat().join('\n')}`)
}
