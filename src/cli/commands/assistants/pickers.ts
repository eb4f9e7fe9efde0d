import { type Mode, modelField, modes } from '../../../contract/assistant-modes.ts'
import { assistants } from '../../../contract/assistants.ts'
import { isRequired } from '../../../contract/coerce.ts'
import { languages } from '../../../contract/languages.ts'
import { models } from '../../../contract/models.ts'
import { voices } from '../../../contract/voices.ts'
import { choices } from '../../choices.ts'
import type { Context } from '../../context.ts'
import { askMissing } from '../../missing.ts'

type Fields = Record<string, unknown>

const searchable = { searchable: true } as const

/** Asks for what a new assistant needs and was not given: mode, language, voice and model are picked from what the platform offers. Without a terminal the flags are named, exit 2. */
export async function askAssistant(context: Context, given: Fields): Promise<Fields> {
  const input = { ...given }
  const isComplete = Object.entries(assistants.create.body.shape).every(([field, schema]) => input[field] !== undefined || !isRequired(schema))
  if (isComplete || !context.interactive) return askMissing(context, assistants.create, input)
  const prompts = await context.prompts()
  input.mode ??= await prompts.select('Engine mode:', choices(modes, String))
  input.language_id ??= (
    await prompts.select(
      'Language:',
      choices(await context.call(languages.list, {}), (it) => `${it.name} (${it.iso_2})`),
      searchable,
    )
  ).id
  const mode = input.mode as Mode
  if (input.voice_id === undefined) {
    const speak = await context.call(voices.list, { mode, language_id: input.language_id as number })
    // A language may have no voice of its own: multilingual ones speak it.
    const offered = speak.length > 0 ? speak : await context.call(voices.list, { mode })
    input.voice_id = (
      await prompts.select(
        'Voice:',
        choices(offered, (it) => [it.name, it.gender, it.accent].filter(Boolean).join(', ')),
        searchable,
      )
    ).id
  }
  const model = modelField[mode]
  if (model !== undefined && input[model] === undefined) {
    const offered = await context.call(models.list, { type: mode === 'pipeline' ? 'llm' : mode })
    input[model] = (
      await prompts.select(
        'Model:',
        choices(offered, (it) => it.name),
        searchable,
      )
    ).id
  }
  input.timezone ??= await prompts.select('Time zone:', choices(['UTC', ...Intl.supportedValuesOf('timeZone')], String), searchable)
  return askMissing(context, assistants.create, input)
}
