import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isObject } from '../../../contract/values/json-object.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { parseYaml } from '../../../node/parse-yaml.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { yamlErrorMessage } from '../../program/input/read-yaml.ts'

/** Reads the file of `--file`. @throws ClientFailure `usage` with its position if it is not YAML or JSON */
export async function readSeedFile({ system }: Context, path: string): Promise<Record<string, unknown>> {
  const where = `--file ${path}`
  let text: string
  try {
    text = path === '-' ? await system.streams.stdin.text() : decodeText(readFileSync(resolve(system.cwd, path)))
  } catch (error) {
    throw usageError(`Could not read ${where}: ${describeFileError(error)}.`)
  }
  const data = await parseYaml(text).catch((error) => {
    throw usageError(`${where} is not valid JSON or YAML: ${yamlErrorMessage(error)}`)
  })
  if (!isObject(data))
    throw usageError(
      `${where} must contain an object with fields.`,
      'Write such a file: parley server export --file sample-data.yaml.',
    )
  return data
}
