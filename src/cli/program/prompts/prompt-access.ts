import type { GlobalOptions } from '../commandline/global-flags.ts'
import type { PromptAccess } from '../context.ts'
import { type Format, isMachine } from '../output/format.ts'
import type { System } from '../system.ts'
import { colorFor, isEnabled } from '../terminal/color.ts'
import { withoutProgress } from '../terminal/progress.ts'
import type { Prompts } from './prompts.ts'

/** Creates the prompts of a command. The prompt library is loaded with the first question. */
export function createPromptAccess(system: System, globals: GlobalOptions, format: Format): PromptAccess {
  const { env, streams } = system
  const interactive =
    globals.input !== false &&
    !isEnabled(env.PARLEY_NO_INPUT) &&
    !isMachine(format) &&
    streams.stdin.isTTY &&
    streams.stderr.isTTY
  let opened: Promise<Prompts> | undefined
  let pauses = 0
  const counted = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await withoutProgress(streams.stderr, ask)
    } finally {
      pauses += 1
    }
  }
  const open = async (): Promise<Prompts> => {
    const prompts = await system.prompts({
      streams,
      input: system.terminal.input,
      output: system.terminal.output,
      env,
      interactive,
      color: colorFor(streams.stderr, globals, env),
      signal: system.signal,
    })
    return {
      isAvailable: prompts.isAvailable,
      confirm: (...given) => counted(() => prompts.confirm(...given)),
      select: (...given) => counted(() => prompts.select(...given)),
      input: (...given) => counted(() => prompts.input(...given)),
      password: (...given) => counted(() => prompts.password(...given)),
      confirmName: (...given) => counted(() => prompts.confirmName(...given)),
    }
  }
  return { interactive, promptAnswers: [], pauses: () => pauses, prompts: () => (opened ??= open()) }
}
