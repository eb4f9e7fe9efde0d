import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeFileError } from '../../../node/file-error.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { closestMatch } from '../commandline/closest-match.ts'
import type { CommandFlag, Invocation } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import { yamlErrorMessage } from '../input/read-yaml.ts'
import type { System } from '../system.ts'

type Flags = Invocation['flags']

/** A flag by its name without dashes, its variable and its values. */
interface Setting {
  /** `drain-delay` */
  readonly name: string
  /** `drainDelay` */
  readonly key: string
  readonly env: string | undefined
  readonly isBoolean: boolean
  readonly choices: readonly string[] | undefined
}

const toSetting = ({ flags, env, choices }: CommandFlag): Setting => {
  const [name = '', value] = flags.slice(2).split(' ')
  const key = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { name, key, env, isBoolean: value === undefined, choices }
}

/**
 * Returns the flags of a command, with those that were not given from its environment variables and then from the file
 * of `--config`. Files of users have the names of these flags as keys, so a renamed flag stays declared. @throws ClientFailure `usage`
 * for unknown keys and invalid values
 */
export async function withConfiguration(
  system: Pick<System, 'env' | 'cwd'>,
  flags: Flags,
  declared: readonly CommandFlag[],
): Promise<Flags> {
  const settings = declared.map(toSetting)
  const fromEnvironment = Object.fromEntries(
    settings.flatMap((setting) => {
      const value = setting.env === undefined ? undefined : system.env[setting.env]
      return value === undefined || value === '' ? [] : [[setting.key, parseValue(setting, value, String(setting.env))]]
    }),
  )
  const given = { ...fromEnvironment, ...flags }
  const { config } = given
  if (config === undefined) return given
  return { ...(await readConfiguration(system, String(config), settings)), ...given }
}

async function readConfiguration(
  { cwd }: Pick<System, 'cwd'>,
  path: string,
  settings: readonly Setting[],
): Promise<Flags> {
  const { parse } = await loadYaml()
  let content: unknown
  try {
    content = parse(readText(cwd, path), { schema: 'failsafe' })
  } catch (error) {
    if ((error as Error).name !== 'YAMLParseError') throw error
    throw usageError(`--config ${path} is not valid YAML: ${yamlErrorMessage(error)}`)
  }
  if (content === null || content === undefined || content === '') return {}
  if (typeof content !== 'object' || Array.isArray(content))
    throw usageError(`--config ${path} must contain keys and values, such as "port: 4010".`)
  const names = settings.filter((it) => it.name !== 'config').map((it) => it.name)
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const setting = settings.find((it) => it.name === name && names.includes(name))
      if (!setting) {
        const guess = closestMatch(name, names)
        throw usageError(
          `Unknown key "${name}" in --config ${path}.${guess ? ` Did you mean "${guess}"?` : ''}`,
          `Keys: ${names.join(', ')}.`,
        )
      }
      if (typeof value !== 'string' || value === '')
        throw usageError(`"${name}" in --config ${path} must have one value.`)
      return [setting.key, parseValue(setting, value, `"${name}" in --config ${path}`)]
    }),
  )
}

function readText(cwd: string, path: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (error) {
    throw usageError(`Could not read --config ${path}: ${describeFileError(error)}.`)
  }
}

/** Checks a value that the parser of the command line has not seen. */
function parseValue({ isBoolean, choices }: Setting, value: string, source: string): string | boolean {
  if (isBoolean) {
    if (/^(1|true)$/i.test(value)) return true
    if (/^(0|false)$/i.test(value)) return false
    throw usageError(`Invalid value "${value}" for ${source}. Allowed values: true, false.`)
  }
  if (choices && !choices.includes(value))
    throw usageError(`Invalid value "${value}" for ${source}. Allowed values: ${choices.join(', ')}.`)
  return value
}
