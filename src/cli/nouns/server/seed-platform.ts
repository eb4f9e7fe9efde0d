import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { platform } from '../../../contract/control/platform.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError } from '../../../node/file-error.ts'
import { parseYaml } from '../../../node/parse-yaml.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import { requireControlAccess } from '../../program/connection/require-control-access.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { yamlErrorMessage } from '../../program/input/read-yaml.ts'
import type { View } from '../../program/output/format.ts'
import { parseClock, parseSeed } from './start-settings.ts'

/** Reads the file of `--file`. @throws ClientFailure `usage` with its position if it is not YAML or JSON */
async function readSeedFile({ system }: Context, path: string): Promise<Record<string, unknown>> {
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

/** Flags of the commands that load sample data. */
export const seedFlags = [
  { flags: '--seed <n>', describe: 'Number that makes the sample data and its secrets reproducible' },
  {
    flags: '--file <path>',
    describe: 'Sample data as YAML or JSON instead of the built-in one (parley server export); - for standard input',
  },
] as const

/** Printed result. Scripts read it as JSON: fields and words are added, not renamed. */
interface SeedResult {
  readonly message: string
  readonly key: string
}

export const view: View<SeedResult> = {
  id: (it) => it.key,
  columns: [
    { key: 'message', title: 'Result', priority: 1 },
    { key: 'key', title: 'Key', priority: 1 },
  ],
  empty: '',
}

/**
 * Seeds or resets the local platform and prints the new key. A platform created by this command starts empty, so that
 * `--seed` takes effect.
 */
export async function seedPlatform(
  context: Context,
  endpoint: typeof platform.seed | typeof platform.reset,
  { seed, file, clock }: Invocation['flags'],
): Promise<void> {
  await requireControlAccess(context)
  const answer = await sendRequest(context, endpoint, {
    ...(seed !== undefined && { seed: parseSeed(seed) }),
    ...(clock !== undefined && { clock: parseClock(clock) }),
    ...(file !== undefined && { data: await readSeedFile(context, String(file)) }),
  })
  if (answer) await context.out.record({ message: answer.message, key: answer.token }, { view })
}
