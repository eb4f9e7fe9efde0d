// The server of the tools. Each call runs a command line in this process, one after the other.

import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
import { exitCodes } from '../../../contract/errors/exit-codes.ts'
import { parseJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { realTime } from '../../../node/real-time.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { readLocalCredentials } from '../../program/connection/account-cache.ts'
import type { Context } from '../../program/context.ts'
import { type Access, type System, withParts } from '../../program/system.ts'
import type { Sink, Source } from '../../program/terminal/streams.ts'
import { findCommands } from './find-commands.ts'
import { requireReachable } from './reachable-commands.ts'
import {
  failureResult,
  type LineResult,
  pendingOf,
  runLine,
  type ToolResult,
  textResult,
  toResult,
} from './run-line.ts'
import { createSandbox } from './sandbox.ts'
import { type AllowedLevel, type LineInput, type LineTool, tools } from './tools.ts'

/** Milliseconds after which a command is interrupted, as by Ctrl-C. */
const maxRunMs = 5 * 60_000
/** Milliseconds between two notifications of progress, so that a client does not give up. */
const progressMs = 5000

/** What the requests of a tool may do. The gate of approval-access.ts compares each request with it, whatever its command is. */
const accesses: Readonly<Record<AllowedLevel, Access>> = { read: 'read', write: 'write', spend: 'approved' }

/** Serves the tools on the standard streams of the command, until the client closes them or the command is interrupted. */
export async function serveTools(context: Context, allowed: AllowedLevel): Promise<void> {
  const { system } = context
  const input = Readable.from(bytesOf(system.streams.stdin), { objectMode: false })
  const output = writableOf(system.streams.stdout)
  const runner = createRunner(context, allowed)
  try {
    await new Promise<void>((resolve) => {
      const handle = serveStdio(() => createServer(runner, system.version), {
        transport: new StdioServerTransport(input, output),
      })
      const end = (): void => void handle.close().then(resolve, resolve)
      for (const event of ['close', 'error']) {
        input.once(event, end)
        output.once(event, end)
      }
      system.signal.addEventListener('abort', end, { once: true })
      if (system.signal.aborted) end()
    })
  } finally {
    input.destroy()
    // A client may leave it open, and a read that waits would keep the process alive.
    if (system.signal.aborted) system.terminal.input.destroy?.()
    await runner.close()
  }
}

async function* bytesOf(source: Source): AsyncGenerator<Buffer> {
  for await (const text of source.read()) yield Buffer.from(text)
}

const writableOf = (sink: Sink): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      sink.write(String(chunk)).then(() => done(), done)
    },
  })

/** Creates a server of one connection. */
export function createServer(runner: Runner, version: string): McpServer {
  const server = new McpServer(
    { name: 'parley', title: 'Parley', version },
    {
      instructions: 'Find a command with "find", practise in "sandbox", then "read", "write" or "spend".',
      // The default validator is 150 kB of code. This one is a sixth of it.
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
    },
  )
  const { find, ...lines } = tools
  server.registerTool('find', find, ({ query }, ctx) => runner.find(query ?? '', callOf(server, ctx)))
  for (const [name, tool] of Object.entries(lines))
    server.registerTool(name, tool, (given: LineInput, ctx) => runner.run(name as LineTool, given, callOf(server, ctx)))
  return server
}

/** What a tool needs to know of the call and its client. */
interface Call {
  readonly client: string | undefined
  readonly signal: AbortSignal
  readonly canElicit: boolean
  /** What the client answered to the question of an earlier round of this call. */
  readonly answered: { readonly operation: string; readonly answer: string } | undefined
  readonly progress: ((progress: number, message: string) => Promise<void>) | undefined
}

function callOf(server: McpServer, { mcpReq }: ServerContext): Call {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()
  const info = envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()
  const { elicitation } = (capabilities ?? {}) as {
    readonly elicitation?: { readonly form?: object; readonly url?: object }
  }
  const response = inputResponse(mcpReq.inputResponses, 'approval')
  const operation = mcpReq.requestState()
  const token = mcpReq._meta?.progressToken
  return {
    client: (info as { readonly name?: string } | undefined)?.name,
    signal: mcpReq.signal,
    canElicit: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    answered:
      response.kind === 'elicit' && typeof operation === 'string' && /^[\w-]{8,64}$/.test(operation)
        ? { operation, answer: response.action }
        : undefined,
    progress:
      token === undefined
        ? undefined
        : (progress, message) =>
            mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }),
  }
}

/** Runs the calls of a client. */
export interface Runner {
  find(query: string, call: Call): Promise<ToolResult>
  run(tool: LineTool, given: LineInput, call: Call): Promise<ToolResult | ReturnType<typeof inputRequired>>
  /** Waits until the commands that run have ended, and deletes the sandbox. */
  close(): Promise<void>
}

function createRunner(context: Context, allowed: AllowedLevel): Runner {
  const { system } = context
  const sandbox = createSandbox(system)
  let last: Promise<unknown> = Promise.resolve()

  /** Runs a body after those before it have ended. */
  const inTurn = <T>(body: () => Promise<T>): Promise<T> => {
    const turn = last.then(body)
    last = turn.catch(() => undefined)
    return turn
  }

  const execute = async (
    tool: LineTool,
    words: readonly string[],
    input: string | undefined,
    call: Call,
  ): Promise<LineResult> => {
    const line = await requireReachable(words, tool, allowed)
    const own = tool === 'sandbox' ? withParts(await sandbox.open(), {}) : systemOf(context, accesses[tool])
    const env = { ...own.env, ...agentVariables(call.client) }
    // The person has chosen the platform with flags of this command.
    const found =
      tool === 'sandbox' ? line.found : { ...line.found, rest: [...platformWords(context), ...line.found.rest] }
    return withSignal([call.signal, system.signal], async (signal) => {
      let steps = 0
      const tell = (message: string): void => {
        steps += 1
        call.progress?.(steps, message.trim().slice(0, 200)).catch(() => undefined)
      }
      tell(`Running parley ${line.found.path.join(' ')}`)
      const timer = realTime.setInterval(() => tell('Still running'), progressMs)
      try {
        return await runLine(
          withParts(own, { env }),
          { ...line, found },
          { input, signal, onMessage: () => tell('Working') },
        )
      } finally {
        realTime.clearInterval(timer)
      }
    })
  }

  const runIn = (
    tool: LineTool,
    words: readonly string[],
    input: string | undefined,
    call: Call,
  ): Promise<LineResult> =>
    // It only waits, and must not hold up other calls.
    words[0] === 'ops' && words[1] === 'wait'
      ? execute(tool, words, input, call)
      : inTurn(() => execute(tool, words, input, call))

  /** Continues a call whose client has answered. The answer decides nothing: the journal says what a person has decided. */
  const continueAfter = async (operation: string, answer: string, call: Call): Promise<ToolResult> => {
    const { stdout } = await runIn('read', ['ops', 'get', operation, '--fields', 'state'], undefined, call)
    const { state } = stdout === '' ? { state: 'not found' } : (parseJson(stdout) as { readonly state: string })
    if (state === 'approved')
      return toResult(await runIn('spend', ['ops', 'run', operation], undefined, call), secretsOf(context))
    const said =
      answer === 'accept'
        ? 'Your client answered yes, which approves nothing'
        : 'Declined, or your client showed nothing'
    return textResult([`Not done. ${said}. Operation ${operation.slice(0, 8)} is ${state}.`, nextSteps(operation)])
  }

  return {
    find: async (query, call) => {
      try {
        return await findCommands(query, (words) => runIn('read', words, undefined, call))
      } catch (error) {
        return failureResult(error)
      }
    },
    async run(tool, { command, input }, call) {
      try {
        if (tool === 'spend' && call.answered)
          return await continueAfter(call.answered.operation, call.answered.answer, call)
        const result = await runIn(tool, command, input, call)
        const pending = tool === 'sandbox' ? undefined : pendingOf(result)
        if (!pending) return toResult(result, secretsOf(context))
        if (!call.canElicit) return textResult([`Not done. ${pending.message}`, pending.hint, nextSteps(pending.id)])
        return inputRequired({
          requestState: pending.id,
          inputRequests: {
            approval: inputRequired.elicit({
              message: `${pending.message}\n${pending.hint}\n\nAccept here to continue after the decision. Your answer here approves nothing.`,
              requestedSchema: { type: 'object', properties: {} },
            }),
          },
        })
      } catch (error) {
        return failureResult(error)
      }
    },
    async close() {
      await last
      await sandbox.close()
    },
  }
}

const nextSteps = (operation: string): string =>
  `Tell the person about operation ${operation.slice(0, 8)}. After the approval call spend with ["ops","run","${operation.slice(0, 8)}"]. Do not ask for it again.`

/** Returns the system of commands on the platform of the user. Their working folder is empty, and so is the one above it. */
function systemOf({ system }: Context, access: Access): System {
  const cwd = join(dataDir(system), 'mcp', 'work')
  makeFolder(cwd)
  return withParts(system, { access, cwd })
}

/** Returns the variables that mark a coding agent, whatever the environment says. */
function agentVariables(client: string | undefined): Readonly<Record<string, string>> {
  const name = (client ?? '')
    .replaceAll(/[^\w .-]/g, '')
    .slice(0, 60)
    .trim()
  return { AI_AGENT: name === '' ? 'MCP client' : `${name} over MCP`, PARLEY_AGENT: '1', PARLEY_NO_INPUT: '1' }
}

function platformWords({ globals: { profile, baseUrl, insecure } }: Context): string[] {
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(insecure ? ['--insecure'] : []),
  ]
}

/** Returns the secrets that no result may contain. */
function secretsOf({ system }: Context): string[] {
  const { PARLEY_API_KEY: key, PARLEY_CONTROL_TOKEN: token, PARLEY_MODEL_KEY: model } = system.env
  const own = readLocalCredentials(dataDir(system))
  return [key, token, model, own?.key, own?.control].filter((it) => typeof it === 'string')
}

/** Runs `body` with a signal that interrupts it as Ctrl-C does, when one of `signals` aborts or after the longest time. */
async function withSignal<T>(signals: readonly AbortSignal[], body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = (): void => controller.abort(exitCodes.interrupted.code)
  for (const signal of signals) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  }
  const timer = realTime.setTimeout(abort, maxRunMs)
  try {
    return await body(controller.signal)
  } finally {
    realTime.clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', abort)
  }
}
