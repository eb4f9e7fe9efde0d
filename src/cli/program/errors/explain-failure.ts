import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Invocation } from '../commandline/command.ts'
import { commandNames, findChild } from '../commandline/command-names.ts'
import { describePlatform } from '../configuration/active-profile.ts'
import { localProfile } from '../configuration/profiles.ts'
import { settingSources } from '../configuration/setting-origins.ts'
import type { Settings } from '../configuration/settings.ts'
import type { Context } from '../context.ts'
import { undoUnavailableCode } from '../history/undo-unavailable.ts'
import type { OutputFailed } from '../terminal/streams.ts'

/** Explanation of a rejected key and how to fix it. */
interface AuthFailure {
  /** Message for people, instead of the platform's own. */
  readonly displayMessage: string
  readonly hint: string
}

/**
 * Explains a request that was rejected for its key (401 or 403): which platform, and the source of the key. Undefined
 * for other errors.
 */
export async function explainAuthFailure(error: unknown, context: Context): Promise<AuthFailure | undefined> {
  const {
    status,
    code,
    message = '',
    hint,
  } = error as { status?: number; code?: string; message?: string; hint?: string }
  // "login" checks a key that is not stored yet, and reports it itself.
  if (context.commandName === 'login') return undefined
  if (status !== 401 && status !== 403 && code !== 'no_key' && code !== 'invalid_key') return undefined
  const settings = await context.settings().catch(() => undefined)
  if (!settings || (code === 'no_key' && settings.baseUrl.value === localProfile.base_url)) return undefined
  const description = describePlatform(settings)
  const platform = /^https?:/.test(description) ? description : `the ${description}`
  const source = `The key comes from ${settings.key.from}.`
  if (code === 'no_key') return { displayMessage: `Missing API key for ${platform}.`, hint: replaceKeyHint(settings) }
  if (code === 'invalid_key') return { displayMessage: message, hint: [hint, source].filter(Boolean).join(' ') }
  if (status === 403)
    return {
      displayMessage: message,
      hint: [hint, `The request went to ${platform}. ${source}`].filter(Boolean).join(' '),
    }
  return { displayMessage: `The API key for ${platform} was rejected.`, hint: `${source} ${replaceKeyHint(settings)}` }
}

function replaceKeyHint({ key, profileName, baseUrl }: Settings): string {
  if (key.from === 'PARLEY_API_KEY') return 'Correct or unset PARLEY_API_KEY.'
  if (key.command !== undefined) return `Check the output of this command: ${key.command}`
  if (baseUrl.value === localProfile.base_url)
    // Only the key of the data folder is known to have been accepted before, and of which account it was.
    return key.value === undefined
      ? 'The key was deleted. Create another: parley server accounts key 1.'
      : `Create a key for the account: parley server accounts key <id>. Then save it: parley profile set ${profileName.value} --api-key-stdin.`
  if (profileName.value === baseUrl.value)
    return `Set PARLEY_API_KEY, or sign in: parley login <name> --url ${baseUrl.value}`
  return `Sign in: parley login ${profileName.value}. Or set PARLEY_API_KEY.`
}

/**
 * Returns the hint of a failed connection with the source of the URL: its profile and what selected it, a flag or the
 * environment. Undefined for other errors, and for the local platform.
 */
export async function connectionHint(error: unknown, context: Context): Promise<string | undefined> {
  const { hint = '' } = error as { readonly hint?: string }
  // The error of a read without which a write is not sent has the failed read as its cause.
  const { code } = ((error as ClientFailure).code === undoUnavailableCode ? (error as Error).cause : error) as {
    readonly code?: string
  }
  // "login" connects to a URL that is not stored yet.
  if ((code !== 'connection_refused' && code !== 'connection_dns') || context.commandName === 'login') return undefined
  const settings = await context.settings().catch(() => undefined)
  if (!settings || settings.baseUrl.value === localProfile.base_url) return undefined
  return `${describeSource(settings)} ${hint}`.trim()
}

function describeSource({ profileName, baseUrl }: Settings): string {
  if (profileName.value === baseUrl.value) return `${baseUrl.value} comes from ${baseUrl.from}.`
  const selection = profileName.from === settingSources.profileUse ? 'parley profile use' : profileName.from
  return `${baseUrl.value} is the URL of profile "${profileName.value}", selected by ${selection}.`
}

/** What the calls of the system do with a path. Others write. */
const reads: Readonly<Record<string, string>> = {
  scandir: 'read the folder',
  stat: 'read',
  lstat: 'read',
  access: 'read',
  read: 'read',
  realpath: 'read',
}

const hints: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space, or pass another path.',
  EDQUOT: 'Free some space, or pass another path.',
  EROFS: 'Pass a path on a file system that can be written.',
  EACCES: 'Check the permissions of the path, or pass another one.',
  EPERM: 'Check the permissions of the path, or pass another one.',
}

/** Returns the error of the system about a path, which the error is or has as its cause. */
export function fileErrorIn(error: unknown): NodeJS.ErrnoException | undefined {
  // Its message names the data folder and the remedy.
  if ((error as Error | undefined)?.name === 'StoreError') return undefined
  for (const cause of [error, (error as Error | undefined)?.cause]) {
    const { code, syscall, path } = (cause ?? {}) as NodeJS.ErrnoException
    if (code !== undefined && syscall !== undefined && path !== undefined && /^E[A-Z0-9]+$/.test(code))
      return cause as NodeJS.ErrnoException
  }
  return undefined
}

/**
 * Explains a file that could not be read or written: its path, the reason and what to do. The exit code is that of
 * wrong usage, or of an internal error when the platform was already changed.
 */
export function explainFileError(error: Error, context: Context | undefined): ClientFailure {
  const found = fileErrorIn(error) as NodeJS.ErrnoException
  const { code = '', syscall = '', path = '' } = found
  // The error of a folder that cannot be created has a phrase of its own.
  const isNewFolder = error !== found
  // Text is written to a draft beside the file.
  const file = path.replace(/\.[a-z0-9]+\.draft$/, '')
  const isFolder = syscall === 'scandir' && code === 'ENOTDIR'
  const isRead = reads[syscall] !== undefined || (syscall === 'open' && file === path)
  const verb = isNewFolder ? 'create the folder' : (reads[syscall] ?? (isRead ? 'open' : 'write'))
  const reason = isFolder
    ? 'it is a file'
    : isNewFolder
      ? error.message
      : isRead && code !== 'ENOTDIR'
        ? describeFileError(error)
        : describeWriteError(error)
  const hasWritten = [...(context?.responses ?? [])].some(([{ risk }]) => risk !== 'read')
  return new ClientFailure({
    exit: hasWritten ? 'internal' : 'usage',
    code: 'file',
    message: `Could not ${verb} ${file}: ${reason}.${hasWritten ? ' The platform was already changed.' : ''}`,
    hint: hints[code] ?? (isFolder ? 'Pass a folder.' : 'Check the path, or pass another one.'),
    sent: hasWritten,
    cause: error,
  })
}

/** The list command next to a command whose resource was not found. Undefined for other failures. */
export function notFoundHint(
  error: unknown,
  path: readonly string[],
  { argument }: Pick<Invocation, 'argument'>,
): string | undefined {
  if (!(error instanceof ClientFailure) || error.status !== 404 || error.hint !== undefined) return undefined
  const listPath = [...path.slice(0, -1), 'list']
  return argument !== undefined && isCommand(listPath) ? `List them: parley ${listPath.join(' ')}.` : undefined
}

function isCommand(path: readonly string[]): boolean {
  let nodes: ReturnType<typeof commandNames> | undefined = commandNames()
  return path.every((word, n) => {
    const [, node] = (nodes && findChild(nodes, word)) ?? []
    nodes = node?.verbs
    return node !== undefined && (n < path.length - 1 ? node.verbs : node.load) !== undefined
  })
}

type Fields = Readonly<Record<string, never>>

interface CompletedWrite {
  /** What was done, as a clause. */
  readonly description: string
  readonly hint?: string
  /** Commands that show the result or replace what was lost. */
  readonly next: readonly string[]
}

const sentWrite = (what: string) => (): CompletedWrite => ({
  description: `${what} was sent`,
  next: ['parley ops list'],
})
const paidHint = { hint: 'Do not repeat the command. You would pay twice.' }

/** Descriptions of completed writes whose output matters, by endpoint: what is shown once or costs money must be here. */
const completedWrites: Readonly<Record<string, (answer: Fields) => CompletedWrite>> = {
  'numbers.buy': ({ data }) => ({
    description: `${field(data, 'phone_number')} was bought`,
    next: ['parley numbers list', 'parley ops list'],
  }),
  'messaging.send': sentWrite('The message'),
  'messaging.sendFreeform': sentWrite('The message'),
  'conversations.send': sentWrite('The message'),
  'sms.send': sentWrite('The SMS'),
  'calls.start': () => ({ description: 'The call was started', next: ['parley ops list'] }),
  'replies.generate': () => ({ description: 'The reply was generated', next: ['parley ops list'] }),
  'keys.create': ({ api_key }) => {
    const name = stringifyJson(field(api_key, 'name'))
    return {
      description: `The key ${name} was created, but its token is lost`,
      hint: 'A token is shown only once. Delete this key and create another one.',
      next: ['parley keys list', `parley keys delete ${name}`, `parley keys create --name ${name}`],
    }
  },
  'accounts.create': ({ data }) => ({
    description: `The account ${field(data, 'id')} was created, but its key is lost`,
    hint: 'A key is shown only once. Create another key for the account.',
    next: ['parley server accounts list', `parley server accounts key ${field(data, 'id')}`],
  }),
  'accounts.key': () => ({
    description: 'The key was created, but it is lost',
    hint: 'A key is shown only once. Create another key.',
    next: ['parley server accounts list'],
  }),
}

/** Explains a failed output. If this run completed a write, the error says so and names commands that show it. */
export function explainOutputFailure({ responses, commandName }: Context, error: OutputFailed): Error {
  const [last] = [...responses].filter(([{ risk }]) => risk !== 'read').reverse()
  if (!last) return error
  const [endpoint, answer] = last
  const { description, hint, next } = describeWrite(endpoint, answer, commandName)
  return new ClientFailure({
    exit: error.exit,
    code: 'output_failed',
    message: `${description}. The output could not be written: ${error.reason}.`,
    ...(hint !== undefined && { hint }),
    next,
    sent: true,
    cause: error,
  })
}

function describeWrite({ name, risk }: Endpoint, answer: unknown, words: string): CompletedWrite {
  const known = completedWrites[name]?.(answer as Fields)
  if (known) return risk === 'spends' ? { ...paidHint, ...known } : known
  return { description: `"parley ${words}" succeeded`, hint: 'Do not run the command again.', next: [] }
}

const field = (it: unknown, name: string): unknown => (it as Readonly<Record<string, unknown>>)[name]

/**
 * Returns an error about an undocumented response, if this run received one. Otherwise returns the error itself, which
 * is an internal one.
 */
export function explainUnexpectedResponse(context: Context, error: Error): Error {
  for (const [endpoint, output] of [...context.responses].reverse()) {
    const checked = endpoint.output.safeParse(output)
    if (checked.success) continue
    const [{ path, message } = { path: [], message: '' }] = checked.error.issues
    return Object.assign(
      new ClientFailure({
        exit: 'platform',
        code: 'unexpected_answer',
        message: `Invalid response to ${endpoint.name}: ${path.join('.') || 'whole response'}: ${message.replace(/^Invalid input: /, '').replace('undefined', 'nothing')}.`,
        hint: `${endpoint.risk === 'read' ? '' : 'The request was processed. '}Compare the platform with the documentation: parley doctor --conformance.`,
        sent: true,
      }),
      { cause: error },
    )
  }
  return error
}
