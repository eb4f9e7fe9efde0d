import { type Env, isEnabled } from '../terminal/color.ts'
import type { Sink, Source, Streams } from '../terminal/streams.ts'

/**
 * Variables that coding agents set for the programs that they start, with the product; otherwise the value may name it. They
 * decide more than the output: approval-access.ts asks a person to approve what an agent sends, so an agent that is not detected
 * acts without that.
 */
const variables: Readonly<Record<string, string | undefined>> = {
  CLAUDECODE: 'Claude Code',
  CODEX_THREAD_ID: 'Codex',
  CODEX_SANDBOX: 'Codex',
  CURSOR_AGENT: 'Cursor',
  GEMINI_CLI: 'Gemini CLI',
  AI_AGENT: undefined,
  AGENT: undefined,
}

/** The names of the variables. */
export const agentVariables: readonly string[] = Object.keys(variables)

/** A coding agent that started the program. `whoami` prints it as `agent`, which scripts read: fields are added, not renamed. */
export interface Agent {
  /** The variable that says so. */
  readonly variable: string
  /** Its product; null if the variable does not name one. */
  readonly name: string | null
}

/** Returns the coding agent that started the program, whatever PARLEY_AGENT says about the output. */
export function detectAgent(env: Env): Agent | undefined {
  const variable = agentVariables.find((it) => isEnabled(env[it]))
  if (variable === undefined) return undefined
  const value = env[variable] ?? ''
  return { variable, name: variables[variable] ?? (/^(1|true|yes)$/i.test(value) ? null : value) }
}

/** Returns the agent as a phrase: `Claude Code (CLAUDECODE)`. Operations that wait for approval are stored with it, for people. */
export const describeAgent = ({ name, variable }: Agent): string =>
  name === null ? `a coding agent (${variable})` : `${name} (${variable})`

/**
 * Returns whether the output is for a coding agent: without questions, drawing and colors, and errors are JSON.
 * PARLEY_AGENT, 0 or 1, decides it; otherwise the agent is detected.
 */
export const isForAgent = (env: Env): boolean =>
  env.PARLEY_AGENT ? isEnabled(env.PARLEY_AGENT) : detectAgent(env) !== undefined

const withoutTerminal = (sink: Sink): Sink => ({ write: (text) => sink.write(text), isTTY: false, columns: 0, rows: 0 })

/** A terminal without input: a read would otherwise wait until the program is killed. */
const emptySource: Source = { isTTY: false, async *read() {}, text: async () => '' }

/** Returns the same streams as if none were a terminal, as in a pipe. */
export const pipedStreams = ({ stdin, stdout, stderr }: Streams): Streams => ({
  stdin: stdin.isTTY ? emptySource : stdin,
  stdout: withoutTerminal(stdout),
  stderr: withoutTerminal(stderr),
})
