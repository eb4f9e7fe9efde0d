import { type EngineMode, engineModes, modelField } from '../../../contract/assistants/engine-modes.ts'
import { isRequired } from '../../../contract/mechanics/coerce.ts'
import { assistants } from '../../../contract/resources/assistants.ts'
import { languages } from '../../../contract/resources/languages.ts'
import { models } from '../../../contract/resources/models.ts'
import { voices } from '../../../contract/resources/voices.ts'
import type { Context } from '../../context.ts'
import { promptChoices } from '../../prompts/choices.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import type { Prompts } from '../../prompts/prompts.ts'

type Fields = Record<string, unknown>

const searchable = { searchable: true } as const

/**
 * Prompts for the missing fields of a new assistant; mode, language, voice and model are chosen from lists. @throws
 * ClientFailure `usage` with the flags, without a terminal
 */
export async function promptAssistant(context: Context, given: Fields): Promise<Fields> {
  const input = { ...given }
  const isComplete = Object.entries(assistants.create.body.shape).every(
    ([field, schema]) => input[field] !== undefined || !isRequired(schema),
  )
  if (isComplete || !context.interactive) return promptMissingFields(context, assistants.create, input)
  const promptIfMissing = async (field: string, ask: (prompts: Prompts) => Promise<unknown>): Promise<void> => {
    if (input[field] !== undefined) return
    input[field] = await ask(await context.prompts())
    recordFlag(context, `--${field.replaceAll('_', '-')}`, input[field])
  }
  const pick = async <T extends { readonly id: number }>(
    prompts: Prompts,
    question: string,
    offered: readonly T[],
    label: (it: T) => string,
  ): Promise<number> => (await prompts.select(question, promptChoices(offered, label), searchable)).id
  await promptIfMissing('mode', (it) => it.select('Which engine mode?', promptChoices(engineModes, String)))
  await promptIfMissing('language_id', async (it) =>
    pick(it, 'Which language?', await context.call(languages.list, {}), (one) => `${one.name} (${one.iso_2})`),
  )
  const mode = input.mode as EngineMode
  await promptIfMissing('voice_id', async (it) => {
    const speak = await context.call(voices.list, { mode, language_id: input.language_id as number })
    // A language may have no dedicated voice: multilingual voices speak it.
    const offered = speak.length > 0 ? speak : await context.call(voices.list, { mode })
    return pick(it, 'Which voice?', offered, ({ name, gender, accent }) =>
      [name, gender, accent].filter(Boolean).join(', '),
    )
  })
  const model = modelField[mode]
  if (model !== undefined)
    await promptIfMissing(model, async (it) =>
      pick(
        it,
        'Which model?',
        await context.call(models.list, { type: mode === 'pipeline' ? 'llm' : mode }),
        ({ name }) => name,
      ),
    )
  await promptIfMissing('timezone', (it) =>
    it.select('Which time zone?', promptChoices(['UTC', ...Intl.supportedValuesOf('timeZone')], String), searchable),
  )
  return promptMissingFields(context, assistants.create, input)
}
