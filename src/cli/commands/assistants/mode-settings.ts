import {
  type EngineMode,
  isSettingOfMode,
  type ModeSetting,
  modeSettings,
} from '../../../contract/assistants/engine-modes.ts'
import type { Assistant } from '../../../contract/resources/assistants.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../context.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the given settings that apply in a mode. */
export const applicableSettings = (given: Fields, mode: EngineMode): Fields =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => !Object.hasOwn(modeSettings, name) || isSettingOfMode(name as ModeSetting, mode),
    ),
  )

/** Settings of all modes that a change of mode may reset. */
const shared = ['allow_interruptions', 'knowledgebase_mode'] as const

/** Lists the settings that a change of mode reset although the request did not name them. */
export async function noteResetSettings(
  context: Context,
  before: Assistant,
  after: Assistant,
  given: Fields,
): Promise<void> {
  const names = [...(Object.keys(modeSettings) as ModeSetting[]), ...shared]
  const resetNames = names.filter(
    (name) =>
      before[name] !== null && given[name] === undefined && stringifyJson(before[name]) !== stringifyJson(after[name]),
  )
  const lines = resetNames.map(
    (name) =>
      `${name}: ${stringifyJson(before[name])} -> ${after[name] === null ? 'not set' : stringifyJson(after[name])}`,
  )
  if (lines.length > 0)
    await context.notes.note(`Changing the mode from ${before.mode} to ${after.mode} reset:\n${lines.join('\n')}`)
}
