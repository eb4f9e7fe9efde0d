import { type System, withParts } from '../system.ts'

/** Maximum length in characters of standard input that is remembered: it is stored with the plan, and shown to the person who decides. */
const maxLength = 1_000_000

/**
 * Returns the system with a standard input whose text is remembered, so that a command that waits for approval can be run
 * later. `readInput` returns what was read; undefined if it was too long: a part of it would be another command. Of `run.ts`, for every command.
 */
export function rememberInput(system: System): {
  readonly system: System
  readonly readInput: () => string | undefined
} {
  const { stdin } = system.streams
  // A terminal has no input of its own that a later run could read: its answers are in the command line.
  if (stdin.isTTY) return { system, readInput: () => '' }
  let text: string | undefined = ''
  const add = (chunk: string): string => {
    text = text === undefined || text.length + chunk.length > maxLength ? undefined : text + chunk
    return chunk
  }
  const remembered = {
    isTTY: false,
    async *read() {
      for await (const chunk of stdin.read()) yield add(chunk)
    },
    text: async () => add(await stdin.text()),
  }
  return {
    system: withParts(system, { streams: { ...system.streams, stdin: remembered } }),
    readInput: () => text,
  }
}
