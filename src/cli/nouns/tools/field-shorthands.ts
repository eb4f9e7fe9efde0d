import type { Tool } from '../../../contract/resources/tools.ts'
import { parameterTypes } from '../../../contract/resources/tools.ts'
import { httpHeader } from '../../../contract/values/http-header.ts'
import { closestMatch } from '../../program/commandline/closest-match.ts'
import {
  type CommandFlag,
  type CommandInput,
  type Invocation,
  repeatedFlag,
} from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'

type Header = Tool['headers'][number]
type Parameter = Tool['schema'][number]

/** Flags that set one header or one parameter of a tool, without JSON. */
export const shorthandFlags: readonly CommandFlag[] = [
  {
    flags: '--header <text>',
    describe: "Set one header: 'Name: value'; repeatable, other headers are unchanged",
    repeatable: true,
    key: 'toolHeader',
  },
  {
    flags: '--param <name:type>',
    describe: 'Set one parameter, such as town:string; repeatable, other parameters are unchanged',
    repeatable: true,
  },
]

/** Returns whether a command line has flags for single headers or parameters. */
export const hasShorthands = (flags: Invocation['flags']): boolean =>
  flags.toolHeader !== undefined || flags.param !== undefined

/**
 * Returns the fields with the headers and parameters of the flags. They replace those of the same name in `fields`, or
 * in `before` if the fields have none. @throws ClientFailure `usage` for a flag that cannot be read
 */
export function withShorthands(
  fields: CommandInput,
  flags: Invocation['flags'],
  before?: Pick<Tool, 'headers' | 'schema'>,
): CommandInput {
  const headers = repeatedFlag(flags, 'toolHeader').map(parseHeader)
  const params = repeatedFlag(flags, 'param')
  const known = (fields.schema ?? before?.schema ?? []) as readonly Parameter[]
  return {
    ...fields,
    ...(headers.length > 0 && {
      headers: combine((fields.headers ?? before?.headers ?? []) as readonly Header[], headers, '--header', (name) =>
        name.toLowerCase(),
      ),
    }),
    ...(params.length > 0 && {
      schema: combine(
        known,
        params.map((it) => parseParameter(it, known)),
        '--param',
        (it) => it,
      ),
    }),
  }
}

/** Replaces items of the same name and appends the others. */
function combine<T extends { readonly name: string }>(
  before: readonly T[],
  given: readonly T[],
  flag: string,
  normalize: (name: string) => string,
): T[] {
  const byName = new Map(before.map((it) => [normalize(it.name), it]))
  const passed = new Set<string>()
  for (const header of given) {
    const name = normalize(header.name)
    if (passed.has(name)) throw usageError(`${flag} was passed twice for "${header.name}".`, 'Pass it once.')
    passed.add(name)
    byName.set(name, header)
  }
  return [...byName.values()]
}

/** Parses `Name: value`. Errors never contain the text, which may be a secret. */
function parseHeader(text: string): Header {
  const at = text.indexOf(':')
  const name = text.slice(0, Math.max(0, at)).trim()
  const example = "Use 'Name: value', such as --header 'X-Api-Key: your-key'."
  if (at < 0) throw usageError('Invalid --header: it has no colon.', example)
  if (!httpHeader.name.test(name))
    throw usageError('Invalid --header: the text before the colon is not the name of a header.', example)
  const value = text.slice(at + 1).trim()
  if (/[\r\n\0]/.test(value)) throw usageError(`Invalid --header: the value of ${name} has a line break.`, example)
  return { name, value }
}

const types: readonly string[] = parameterTypes

/**
 * Parses `name:type[:required][=description]`. A parameter that exists keeps its description. Scripts have such values: it
 * never accepts less.
 */
function parseParameter(text: string, known: readonly Parameter[]): Parameter {
  const at = text.indexOf('=')
  const [name = '', type, requirement, ...rest] = (at < 0 ? text : text.slice(0, at)).split(':').map((it) => it.trim())
  const example = 'Use name:type[:required][=description], such as --param town:string:required.'
  if (name === '' || type === undefined || rest.length > 0) throw usageError(`Invalid --param "${text}".`, example)
  if (!types.includes(type)) {
    const closest = closestMatch(type, types)
    throw usageError(
      `Invalid type "${type}" in --param "${text}".${closest ? ` Did you mean "${closest}"?` : ''}`,
      `Types: ${types.join(', ')}.`,
    )
  }
  if (requirement !== undefined && requirement !== 'required')
    throw usageError(`Invalid "${requirement}" in --param "${text}". Use "required", or omit it.`, example)
  if (!/^[A-Za-z_]\w{0,63}$/.test(name))
    throw usageError(
      `Invalid name "${name}" in --param "${text}".`,
      'Use letters, digits and underscores, at most 64, and no digit first.',
    )
  const description = at < 0 ? known.find((it) => it.name === name)?.description : text.slice(at + 1).trim()
  if (description !== undefined && (description.length < 3 || description.length > 255))
    throw usageError(`The description in --param "${name}" has ${description.length} characters.`, 'Use 3 to 255.')
  return { name, type, description: description ?? `Value of ${name}`, required: requirement === 'required' }
}
