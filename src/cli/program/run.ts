// One command from its words to its exit code. What every command has in common (input, settings, previews, hints, errors) is
// here and nowhere else; what is special to one is in its `run`.

import { shellQuote } from '../../client/requests/shell-quote.ts'
import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import type { ExitName } from '../../contract/errors/exit-codes.ts'
import { requirePerson } from './approvals/approval-access.ts'
import type { ApprovedRun } from './approvals/approvals.ts'
import { rememberInput } from './approvals/remember-input.ts'
import { acceptsPreview, type Command, type Invocation, riskOf } from './commandline/command.ts'
import { commandReference, type Verb } from './commandline/command-tree.ts'
import { type BodySources, camel, type FieldFlag } from './commandline/field-flags.ts'
import type { FoundCommand } from './commandline/find-command.ts'
import type { GlobalOptions } from './commandline/global-flags.ts'
import { HelpRequested, type ParsedCommand, parseCommandLine } from './commandline/parser.ts'
import { wantsJsonErrors } from './commandline/wants-json-errors.ts'
import { profileSuffix } from './configuration/active-profile.ts'
import { isForAgent } from './configuration/agent-mode.ts'
import { requireControlAccess } from './connection/require-control-access.ts'
import { guardCommand } from './consent/require-confirmation.ts'
import type { Context, WriteSettings } from './context.ts'
import { createContext } from './create-context.ts'
import { type FieldLocator, type FlagField, type ReportedError, toErrorReport } from './errors/error-report.ts'
import {
  connectionHint,
  explainAuthFailure,
  explainFileError,
  explainOutputFailure,
  explainUnexpectedResponse,
  fileErrorIn,
  notFoundHint,
} from './errors/explain-failure.ts'
import { interruptedExit, interruptionReport } from './errors/interrupted-exit.ts'
import { usageError } from './errors/usage-error.ts'
import { detectRows, type RowDetection } from './input/detect-rows.ts'
import { readFields, requireExplicitFields, resolveNames } from './input/read-fields.ts'
import { sourceLocations } from './input/source-locations.ts'
import { hasListFlag } from './lists/list-flags.ts'
import { budgetFlag } from './operations/billing-flags.ts'
import { platformFlagsOf } from './output/addressed-commands.ts'
import { isFieldHelp, parseFields, requireFields } from './output/fields.ts'
import type { ListCut } from './output/format.ts'
import { createNotes } from './output/notes.ts'
import { noteOnTerminal } from './output/terminal-notes.ts'
import { equivalentCommand } from './prompts/equivalent-command.ts'
import { type System, withParts } from './system.ts'
import { isEnabled } from './terminal/color.ts'
import type { OutputFailed, Source } from './terminal/streams.ts'
import { reportUnconfirmed } from './updates/write-tracker.ts'
import { waitRequest } from './waiting/waitable.ts'

/**
 * Runs one command: parses flags, reads its input, runs it and reports errors. With `approved`, it may send what a person has
 * approved.
 */
export async function runCommand(
  given: System,
  found: FoundCommand,
  verb: Verb,
  approved?: ApprovedRun,
): Promise<ExitName> {
  const words = found.path.join(' ')
  const { system, readInput } = rememberInput(given)
  const command = await verb.load()
  let fields: readonly FieldFlag[] = []
  let globals: GlobalOptions = {}
  let givenFlags: ParsedCommand['flags'] = {}
  let argument: string | undefined
  let context: Context | undefined
  try {
    const parsed = parseCommandLine(words, command, found.rest)
    argument = parsed.argument
    givenFlags = parsed.flags
    fields = parsed.fields
    globals = parsed.globals
    context = await createContext({
      system,
      globals,
      command: command,
      commandName: words,
      cut: isForAgent(system.env) ? listCut(found, command, parsed) : undefined,
      writeSettings: parseWriteSettings(givenFlags, fields, command),
      approval: { words: [...found.path, ...found.rest], approved, readInput },
    })
    await context.out.settings.jq?.check()
    if (globals.fields !== undefined && (await handleFieldsFlag(context, command))) return 'done'
    const exit = await executeCommand(
      context,
      command,
      { argument: parsed.argument, words: parsed.words, input: {}, flags: parsed.flags as Invocation['flags'] },
      fields,
    )
    const unconfirmed = await reportUnconfirmed(context)
    if (exit === undefined || exit === 'done') await noteProfile(context)
    if (system.streams.stderr.isTTY) await noteOnTerminal(context, argument)
    // After Ctrl-C it would do again what was done before, such as starting a call.
    const wouldRepeat = system.signal.aborted && riskOf(command) !== 'read'
    if (context.promptAnswers.length > 0 && !wouldRepeat) await noteEquivalentCommand(context, found.rest)
    await context.close()
    await context.notes.end()
    return exit === undefined || exit === 'done' ? (unconfirmed ?? 'done') : exit
  } catch (error) {
    if (error instanceof HelpRequested) {
      const { commandHelp } = await commandReference().loadHelp()
      await system.streams.stdout.write(commandHelp(words, command, system.streams.stdout.columns, found.node?.aliases))
      return 'done'
    }
    await context?.close().catch(() => {})
    const named = namedFields(command, fields)
    const explained = await explainKnownError(error, context)
    const reported = toErrorReport(explained, named, await fieldLocator(system, explained, named, givenFlags))
    return reportFailure(
      system,
      explained,
      await withHint(explained, reported, context, found.path, argument),
      globals,
      found.rest,
      context,
    )
  }
}

/** Number of records of a list for a coding agent whose command line says nothing about it. src/generate/skill.ts names it, too. */
const agentListLength = 50

/** Returns how a list for a coding agent is cut; undefined if the command line chooses how much it prints. */
function listCut(
  { path, rest }: FoundCommand,
  command: Command,
  { globals, flags }: ParsedCommand,
): ListCut | undefined {
  const chosen = [globals.limit, globals.all, globals.page, globals.perPage, flags.limit, flags.most]
  if (!command.isList || chosen.some((it) => it !== undefined)) return undefined
  return { maxItems: agentListLength, commandLine: ['parley', ...path, ...rest].map(shellQuote).join(' ') }
}

/** Returns the fields that flags set: their own, and --set, --set-json and --unset. */
function explicitFields(
  given: ParsedCommand['flags'] & BodySources,
  fields: readonly FieldFlag[],
): ReadonlySet<string> {
  const paths = [given.set, given.setJson, given.unset].flatMap((it) => it ?? [])
  return new Set([
    ...fields.filter(({ key }) => given[key] !== undefined).map(({ field }) => field),
    ...paths.map((it) => it.split(/[.=[]/, 1)[0] as string),
  ])
}

/** Parses the flags of writes. @throws ClientFailure `usage` for an ambiguous entry of the journal or an invalid budget */
function parseWriteSettings(
  given: ParsedCommand['flags'],
  fields: readonly FieldFlag[],
  { flags = [] }: Pick<Command, 'flags'>,
): WriteSettings {
  const { idempotencyKey, ignoreOpen } = given
  // The budgets of keys and profiles have a flag with the same name, and a period.
  const budget = flags.some((it) => it.flags === budgetFlag) ? given.budget : undefined
  if (idempotencyKey === '')
    throw usageError('--idempotency-key is empty.', 'Pass a unique key, such as the id of the CI job.')
  if (ignoreOpen !== undefined && String(ignoreOpen).length < 4)
    throw usageError(
      `--ignore-open "${ignoreOpen}" is too short to identify one entry.`,
      'Pass the id of the entry, or at least its first 8 characters. List entries: parley ops list --open.',
    )
  const budgetUsd = budget === undefined ? undefined : Number(budget)
  if (budgetUsd !== undefined && !(Number.isFinite(budgetUsd) && budgetUsd >= 0 && budget !== ''))
    throw usageError(`Invalid --budget "${budget}". Use an amount in USD of at least 0.`)
  return {
    idempotencyKey: idempotencyKey as string | undefined,
    ignoreOpen: ignoreOpen as string | undefined,
    budgetUsd,
    ifUnchanged: given.ifUnchanged as string | undefined,
    sendsMasks: given.force === true,
    explicitFields: explicitFields(given, fields),
  }
}

/** Names the profile after a write whose result is a record or a list. A sentence about a write ends with it. */
async function noteProfile({ out, notes, responses, settings }: Context): Promise<void> {
  const isWrite = [...responses.keys()].some(({ risk }) => risk !== 'read')
  if (out.settings.format !== 'table' || out.hasSentence() || !isWrite) return
  const suffix = profileSuffix(await settings())
  if (suffix !== '') await notes.note(`Done.${suffix}`)
}

/** Notes the equivalent command without prompts. */
async function noteEquivalentCommand(
  { notes, commandName, promptAnswers }: Context,
  rest: readonly string[],
): Promise<void> {
  await notes.note(`Equivalent command: ${equivalentCommand(commandName, rest, promptAnswers)}`)
}

/**
 * Explains errors with known causes: an undocumented response that caused an unexpected error, output that could not be
 * written after a completed write, and files.
 */
async function explainKnownError(error: unknown, context: Context | undefined): Promise<unknown> {
  if (context && (error as Error).name === 'OutputFailed') return explainOutputFailure(context, error as OutputFailed)
  if ((error as { exit?: unknown }).exit === undefined && fileErrorIn(error))
    return explainFileError(error as Error, context)
  if (!context || !(error instanceof TypeError || error instanceof RangeError)) return error
  return explainUnexpectedResponse(context, error)
}

/**
 * Handles `--fields help`, which lists the fields; returns true then. Rejects unknown fields of a write before it is
 * sent.
 */
async function handleFieldsFlag({ out, globals, commandName }: Context, command: Command): Promise<boolean> {
  const { printedShape } = await commandReference().loadSchemas()
  if (isFieldHelp(parseFields(globals.fields ?? ''))) {
    await out.fields(printedShape(commandName, command))
    return true
  }
  if (riskOf(command) !== 'read') requireFields(out.settings.fields ?? [], printedShape(commandName, command))
  return false
}

/**
 * Runs a command after the checks that all have in common. Refusals that need no request come first. The input is read before
 * `guardCommand`, so that wrong input asks no person for a name; questions about the write itself are in `run` of the command.
 */
async function executeCommand(
  context: Context,
  command: Command,
  invocation: Invocation,
  fields: readonly FieldFlag[],
): Promise<ExitName | undefined | void> {
  const { endpoint } = command
  await requirePerson(context)
  if (!acceptsPreview(command)) requireNoPreview(context)
  if (endpoint?.auth === 'control') await requireControlAccess(context)
  const { holdsRows, stdin } = await detectRowFile(context.system, command, invocation.flags)
  const flags = holdsRows ? { ...invocation.flags, file: undefined } : invocation.flags
  const system = stdin ? withStdin(context.system, stdin) : context.system
  if (endpoint?.body && (flags.set || flags.setJson || flags.unset) && !command.allowedFields) {
    requireExplicitFields(context.commandName, endpoint, command.document ?? endpoint.body, flags as BodySources)
  }
  const read = endpoint ? await readInput(context, system, command, endpoint, flags, fields) : {}
  const input = await resolveNames(context, fields, read)
  const dropped = Object.keys(input).filter((name) => command.allowedFields && !command.allowedFields.includes(name))
  if (dropped.length > 0)
    throw usageError(
      `Unknown field ${dropped.map((name) => `"${name}"`).join(', ')} in "parley ${context.commandName}". Nothing was sent.`,
    )
  if (riskOf(command) !== 'read' && endpoint && !context.globals.dryRun && !context.globals.printCurl)
    await guardCommand(context, command, invocation.flags.confirm)
  const given = { ...invocation, input, holdsRows, stdin }
  const wait = command.waits && waitRequest(command.waits, given.flags)
  if (wait) return (await import('./waiting/run-and-wait.ts')).runAndWait(context, command, given, wait)
  if (command.isList && hasListFlag(given.flags))
    return (await import('./lists/run-list.ts')).runList(context, command, given)
  return command.run(context, given)
}

function readInput(
  context: Context,
  system: System,
  { document, documentParser, acceptsLists }: Command,
  endpoint: Endpoint,
  given: Invocation['flags'],
  fields: readonly FieldFlag[],
): Promise<Record<string, unknown>> {
  const documentEndpoint = document ? { ...endpoint, body: document } : endpoint
  const hasDocument = given.file !== undefined || given.data !== undefined
  // With a document, `--flow` may select a flow in it instead of being one.
  const chosen = documentParser && hasDocument && isFlowChoice(given.flow) ? given.flow : undefined
  const flags = chosen === undefined ? given : { ...given, flow: undefined }
  return readFields(
    system,
    documentEndpoint,
    fields,
    flags,
    given as BodySources,
    documentParser && ((it, where) => documentParser(context, it, where, chosen)),
    acceptsLists,
  )
}

/** Returns whether a value is a name or a number: not JSON, YAML or `@path`. */
const isFlowChoice = (value: unknown): value is string =>
  typeof value === 'string' && !/^\s*[@{[]|\n|^\s*(?:trigger|steps)\s*:/.test(value)

/** Returns whether `--file` holds rows; if it may also hold a document, its content decides. */
async function detectRowFile(system: System, { rows }: Command, flags: Invocation['flags']): Promise<RowDetection> {
  if (rows === undefined || typeof flags.file !== 'string') return { holdsRows: false }
  return rows === 'always' ? { holdsRows: true } : detectRows(system, flags)
}

const withStdin = (system: System, stdin: Source): System =>
  withParts(system, { streams: { ...system.streams, stdin } })

/** Adds a hint to reported errors: where to find a missing resource, which key was rejected, or which URL was used. */
async function withHint(
  error: unknown,
  reported: ReportedError,
  context: Context | undefined,
  path: readonly string[],
  argument: string | undefined,
): Promise<ReportedError> {
  if (reported.exit === 'auth' && reported.report && context) {
    const explained = await explainAuthFailure(error, context)
    return explained ? { ...reported, report: { ...reported.report, ...explained } } : reported
  }
  if (reported.exit === 'connection' && reported.report && context) {
    const hint = await connectionHint(error, context)
    return hint === undefined ? reported : { ...reported, report: { ...reported.report, hint } }
  }
  if ((reported.report?.status === 503 || reported.exit === 'platform') && reported.report && context) {
    const hint = (await context.connection()).problem()
    return hint === undefined ? reported : { ...reported, report: { ...reported.report, hint } }
  }
  if (reported.exit !== 'not_found' || !reported.report) return reported
  const hint = notFoundHint(error, path, { argument })
  return hint === undefined ? reported : { ...reported, report: { ...reported.report, hint } }
}

/** Rejects --dry-run and --print-curl for writes without a request, which must not be carried out instead. */
function requireNoPreview({ globals: { dryRun, printCurl } }: Context): void {
  if (dryRun || printCurl)
    throw usageError(
      `${dryRun ? '--dry-run' : '--print-curl'} requires a command that sends a request. Nothing was done.`,
    )
}

/** Returns the flags by field: those of the endpoint, and the command's own flags that set a field. */
const namedFields = (command: Command, fields: readonly FieldFlag[]): readonly FlagField[] => [
  ...fields,
  ...(command.flags ?? []).flatMap(({ field, flags }) => {
    const long = flags.replace(/^-\w, | <.*$/g, '')
    return field ? [{ field, long, key: camel(long.slice(2)) }] : []
  }),
]

/** Returns a function that finds the line of a field in the document, unless a flag set the field. */
async function fieldLocator(
  system: System,
  error: unknown,
  fields: readonly FlagField[],
  given: ParsedCommand['flags'],
): Promise<FieldLocator | undefined> {
  const { details = [] } = error as { details?: readonly unknown[] }
  const { file } = given
  if (
    details.length === 0 ||
    typeof file !== 'string' ||
    file === '-' ||
    details.every((it) => /^line \d/.test((it as { path: string }).path))
  )
    return undefined
  const placeOf = await sourceLocations(system, file)
  const byFlag = new Set(fields.filter(({ key }) => given[key] !== undefined).map((it) => it.field))
  return (path) => (byFlag.has(path.split('.', 1)[0] as string) ? undefined : placeOf(path))
}

/** Reports an error in the requested format, even if it occurred before the format was known. */
async function reportFailure(
  system: System,
  error: unknown,
  { exit, report }: ReportedError,
  globals: GlobalOptions,
  rest: readonly string[],
  context: Context | undefined,
): Promise<ExitName> {
  const isInterrupted = system.signal.aborted && exit !== 'unknown'
  // An interrupt needs no explanation, unless a write may have been carried out, or an operation billed.
  const isSilent = isInterrupted && (exit !== 'interrupted' || report?.hint === undefined)
  const shown = isSilent ? interruptionReport(system.signal) : report
  if (shown) {
    const notes = context?.notes ?? (await createEarlyNotes(system, rest))
    await notes.error(shown)
  }
  if (isInterrupted) return interruptedExit(system.signal)
  if (exit === 'internal' && (globals.debug || isEnabled(system.env.PARLEY_DEBUG)))
    await system.streams.stderr.write(`${(error as Error).stack}\n`).catch(() => {})
  return exit
}

async function createEarlyNotes(system: System, rest: readonly string[]): Promise<Context['notes']> {
  return createNotes(system.streams.stderr, {
    json: wantsJsonErrors(rest, system.env),
    quiet: false,
    platformFlags: platformFlagsOf(rest),
  })
}
