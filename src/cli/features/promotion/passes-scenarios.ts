import type { Context } from '../../program/context.ts'
import { createContext } from '../../program/create-context.ts'
import type { System } from '../../program/system.ts'
import { test } from '../assistant-tests/test-command.ts'

/** Runs the scenarios of a project folder on temporary local platforms. Prints their results on stderr. */
export async function passesScenarios({ system, globals, notes }: Context, folder: string): Promise<boolean> {
  const { stderr } = system.streams
  const own: System = Object.create(system, {
    streams: { value: { ...system.streams, stdout: stderr }, enumerable: true },
  })
  const { json: _, output: __, fields: ___, profile: ____, ...rest } = globals
  const context = await createContext({ system: own, globals: rest, command: test, commandName: 'assistants test' })
  try {
    const result = await test.run(context, { argument: folder, words: [folder], input: {}, flags: {} })
    if (result === undefined || result === 'done') return true
    await notes.warn('A scenario failed, so nothing was promoted.')
    return false
  } finally {
    await context.close()
  }
}
