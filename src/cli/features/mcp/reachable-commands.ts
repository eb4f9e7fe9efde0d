// Which command lines a tool runs. A client has no terminal and no person behind it, so that everything here is refused by name
// before a command starts. The gate of requests is a second lock: it compares each request with what the tool may send.

import { closestMatch } from '../../program/commandline/closest-match.ts'
import { type Command, riskOf } from '../../program/commandline/command.ts'
import type { Verb } from '../../program/commandline/command-tree.ts'
import { type FoundCommand, findCommand } from '../../program/commandline/find-command.ts'
import { createParser } from '../../program/commandline/parser.ts'
import { consentError, usageError } from '../../program/errors/usage-error.ts'
import { type AllowedLevel, allowedLevels, type LineTool } from './tools.ts'

/** A command line that a tool may run. */
export interface ReachableLine {
  readonly found: FoundCommand
  readonly verb: Verb
}

const files = 'It reads or writes files of this computer, which the tools do not.'
const endless = 'It needs a terminal, a browser or a server that keeps running.'
const database = 'It connects to a database, which the tools do not.'
const computer = 'It changes this computer, not the platform.'

/**
 * Commands that no tool runs, and what is wrong with them. Any other command runs as its risk and `levels` say: one that reads
 * files without a path in its flags, or does not end, must be added here.
 */
export const unreachable: Readonly<Record<string, string>> = {
  ui: endless,
  open: endless,
  demo: endless,
  mcp: endless,
  'conversations chat': endless,
  'calls follow': endless,
  'events listen': endless,
  'server start': endless,
  'server stop': endless,
  'server drain': endless,
  pull: files,
  push: files,
  diff: files,
  promote: files,
  'automate pull': files,
  'automate push': files,
  'automate test': files,
  'automate runs save': files,
  'assistants test': files,
  'assistants chat': files,
  'conversations judge': files,
  'calls judge': files,
  audit: files,
  'events replay': files,
  'server backup': files,
  'server restore': files,
  'server migrate': files,
  'server database distribute': database,
  'server database status': database,
  completion: computer,
  'skill install': computer,
}

/** Commands that do more than their risk says, because they decide about operations or carry them out. */
const levels: Readonly<Record<string, AllowedLevel>> = {
  'ops run': 'spend',
  'ops decline': 'spend',
  'ops reconcile': 'spend',
  stop: 'write',
  resume: 'spend',
}

const confirmation =
  'No argument confirms anything: leave it out. What needs a person is approved outside of this client.'
const platform = 'The person who configured this server has chosen the platform: leave it out.'
const noEnd = 'It would not end: leave it out, and call the tool again later.'

/** Flags that are refused, and why. Those that confirm work in the sandbox. */
const refusedFlags: Readonly<Record<string, string>> = {
  '--yes': confirmation,
  '--confirm': confirmation,
  '--confirm-side-effects': confirmation,
  '--profile': platform,
  '--base-url': platform,
  '--insecure': platform,
  '--follow': noEnd,
  '--watch': noEnd,
  '--edit': endless,
}

/**
 * Placeholders of flags whose value is the path of a file or folder. `--unset <path>` names a field. Every flag of a
 * command that takes a path must be declared with one of these, or a tool could read files.
 */
const pathPlaceholder = /<(path|file|folder|path\|time)>/
const fieldPaths = new Set(['--unset', '--keep'])

/**
 * Returns the command that a line names, if the tool may run it.
 * @throws ClientFailure `usage` or `consent`, with what to do instead
 */
export async function requireReachable(
  words: readonly string[],
  tool: LineTool,
  allowed: AllowedLevel,
): Promise<ReachableLine> {
  const found = findCommand(words)
  const { node } = found
  const name = found.path.join(' ')
  if (!node?.load) {
    const guess = found.unknown === undefined ? undefined : closestMatch(found.unknown, Object.keys(found.siblings))
    throw usageError(
      `"${words.join(' ')}" is not a command.${guess === undefined ? '' : ` Did you mean "${[...found.path, guess].join(' ')}"?`}`,
      'Use the tool "find".',
    )
  }
  const command = await node.load()
  if (command.needsPerson)
    throw consentError(`A person must run "${name}" on a terminal. Nothing was done.`, 'Ask the person to do it.')
  const reason = unreachable[name]
  if (reason !== undefined) throw usageError(`No tool runs "${name}". ${reason}`, 'A person can run it on a terminal.')
  if (tool !== 'sandbox') {
    requireLevel(name, levelOf(name, command), tool, allowed)
    if (runsInSandboxOnly(found.path, command))
      throw usageError(`"${name}" runs in the tool "sandbox" only. Nothing was sent.`)
  }
  requireHarmlessFlags(name, command, found.rest, tool)
  return { found, verb: { ...node, load: node.load } }
}

/** Returns whether a command controls a local platform, or sends requests from this computer to addresses that a tool chose. */
const runsInSandboxOnly = (path: readonly string[], command: Command): boolean =>
  (path[0] === 'server' && riskOf(command) !== 'read') || path.join(' ') === 'tools test'

/** Returns the level that a command needs. What it sends is compared again, so that the risk of the command is enough. */
function levelOf(name: string, command: Command): AllowedLevel {
  const special = levels[name]
  if (special !== undefined) return special
  const risk = riskOf(command)
  if (risk === 'read' || risk === 'write') return risk
  return command.endpoint?.onlyStops ? 'write' : 'spend'
}

const isAtLeast = (level: AllowedLevel, needed: AllowedLevel): boolean =>
  allowedLevels.indexOf(level) >= allowedLevels.indexOf(needed)

function requireLevel(name: string, needed: AllowedLevel, tool: AllowedLevel, allowed: AllowedLevel): void {
  if (!isAtLeast(allowed, tool))
    throw consentError(
      `This server may not ${tool === 'write' ? 'write' : 'spend'}: it was started with --allow ${allowed}. Nothing was sent.`,
      `The person who configured it can start it with "parley mcp --allow ${tool}". To practise: the tool "sandbox".`,
    )
  if (!isAtLeast(tool, needed))
    throw usageError(`The tool "${tool}" does not run "${name}". Nothing was sent.`, `Use the tool "${needed}".`)
}

/** @throws ClientFailure `usage` for flags that confirm, choose a platform or do not end, and for paths of files */
function requireHarmlessFlags(name: string, command: Command, rest: readonly string[], tool: LineTool): void {
  const parser = createParser(name, command)
  try {
    parser.parse(rest as string[], { from: 'user' })
  } catch {
    return // The command reports what is wrong with its flags.
  }
  const values = parser.opts<Record<string, unknown>>()
  for (const option of parser.options) {
    const { long = option.flags } = option as { long?: string; flags: string }
    const key = option.attributeName()
    if (parser.getOptionValueSource(key) !== 'cli') continue
    const refusal = refusedFlags[long]
    if (refusal !== undefined && !(refusal === confirmation && tool === 'sandbox'))
      throw usageError(`${long} is refused. ${refusal}`)
    const given = [values[key]].flat().filter((it) => typeof it === 'string')
    const isPath = pathPlaceholder.test(option.flags) && !fieldPaths.has(long)
    const path = given.find((it) => (isPath ? it !== '-' && !isTime(long, it) : namesFile(option.flags, it)))
    if (path !== undefined)
      throw usageError(
        `${long} cannot name the file "${path}". ${files}`,
        'Pass the content as the argument "input", and "--file -"; or the value itself.',
      )
  }
}

const isTime = (long: string, text: string): boolean => long === '--if-unchanged' && /^\d{4}-\d{2}-\d{2}T/.test(text)

/** Returns whether a value is `@file`, also after a name: `--input address=@file`. Free text is never read from a file. */
const namesFile = (flags: string, text: string): boolean => !flags.includes('<text>') && /^\s*@|=\s*@/.test(text)
