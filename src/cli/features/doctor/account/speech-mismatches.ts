import {
  type EngineMode,
  engineModes,
  isSettingOfMode,
  type ModeSetting,
  modeErrors,
  modelField,
} from '../../../../contract/assistants/engine-modes.ts'
import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import { synthesizers } from '../../../../contract/resources/synthesizers.ts'
import { transcribers } from '../../../../contract/resources/transcribers.ts'
import { voices } from '../../../../contract/resources/voices.ts'
import { isNumericId } from '../../../../contract/values/numeric-id.ts'
import { itemsWith, itemWith } from '../../../program/dependencies/item-index.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

type AddFinding = (check: string, detail: string, hint: string, status?: 'warning' | 'failed') => void

/** Checks whether language, voice, synthesizer, transcriber and model of every assistant are compatible in its mode. */
export async function speechFindings(scope: AccountScope): Promise<Finding[]> {
  const assistants = await scope.account.list('assistants')
  return (await Promise.all(assistants.map((it) => assistantFindings(scope, it)))).flat()
}

async function assistantFindings({ account }: AccountScope, assistant: LinkedItem): Promise<Finding[]> {
  const found: Finding[] = []
  const addFinding: AddFinding = (check, detail, hint, status = 'failed') =>
    void found.push(resourceFinding(status, check, ['assistants', assistant], detail, hint))
  const mode = assistant.mode as EngineMode
  if (!engineModes.includes(mode)) return []
  const update = `parley assistants update ${assistant.id}`
  for (const texts of Object.values(modeErrors(mode, assistant)))
    for (const text of texts) addFinding('mode', `does not match its mode: ${text}`, `${update} --edit`)
  await checkModel({ account }, assistant, addFinding)

  const [languages, everyVoice] = await Promise.all([account.list('languages'), account.list('voices')])
  const nameOf = (id: unknown): string => String(itemWith(languages, 'id', id)?.name ?? `language ${id}`)
  const voice = itemWith(everyVoice, 'id', assistant.voice_id)
  const inMode = await account.read(`voices of ${mode}`, voices.list, { mode })
  const fitting = itemsWith(inMode, 'language_id', assistant.language_id)
  const choose = (from: readonly LinkedItem[]): string =>
    from[0] ? `${update} --voice-id ${from[0].id}` : `parley voices list --mode ${mode}`
  if (voice && inMode.length > 0 && !itemWith(inMode, 'id', voice.id))
    addFinding('voice_mode', `uses the voice "${voice.name}", which mode ${mode} does not support.`, choose(fitting))
  // A language may have no voice; multilingual voices then speak it.
  else if (voice && voice.language_id !== assistant.language_id && fitting.length > 0)
    addFinding(
      'voice_language',
      `speaks ${nameOf(assistant.language_id)} but uses "${voice.name}", a voice for ${nameOf(voice.language_id)}.`,
      choose(fitting),
      'warning',
    )

  const speech = async (
    field: 'synthesizer_provider_id' | 'transcriber_provider_id',
    what: string,
    endpoint: typeof synthesizers.list | typeof transcribers.list,
  ): Promise<void> => {
    const id = assistant[field]
    if (!isNumericId(id) || !isSettingOfMode(field as ModeSetting, mode)) return
    const offered = await account.read(`${what}s of ${nameOf(assistant.language_id)}`, endpoint, {
      language_id: assistant.language_id,
    })
    const known = itemWith(await account.list(what === 'synthesizer' ? 'synthesizers' : 'transcribers'), 'id', id)
    if (known && offered.length > 0 && !itemWith(offered, 'id', id))
      addFinding(
        `${what}_language`,
        `uses the ${what} "${known.name}", which does not support ${nameOf(assistant.language_id)}.`,
        `${update} --unset ${field}`,
      )
  }
  await speech('synthesizer_provider_id', 'synthesizer', synthesizers.list)
  await speech('transcriber_provider_id', 'transcriber', transcribers.list)
  const synthesizer = assistant.synthesizer_provider_id
  if (
    voice &&
    isNumericId(synthesizer) &&
    isNumericId(voice.synthesizer_provider_id) &&
    voice.synthesizer_provider_id !== synthesizer
  ) {
    const all = await account.list('synthesizers')
    const called = (id: unknown): string => `"${itemWith(all, 'id', id)?.name ?? id}"`
    addFinding(
      'voice_synthesizer',
      `uses "${voice.name}", a voice of ${called(voice.synthesizer_provider_id)}, with the synthesizer ${called(synthesizer)}.`,
      `${update} --unset synthesizer_provider_id`,
    )
  }
  return found
}

async function checkModel(
  { account }: Pick<AccountScope, 'account'>,
  assistant: LinkedItem,
  addFinding: AddFinding,
): Promise<void> {
  const mode = assistant.mode as EngineMode
  const field = modelField[mode]
  const models = await account.list('models')
  const kind = mode === 'pipeline' ? 'llm' : mode
  const wanted: readonly (readonly [string, string])[] = [
    [field, kind],
    ...(mode === 'pipeline' ? [] : [['chat_llm_fallback_id', 'llm'] as const]),
  ]
  for (const [name, type] of wanted) {
    const known = itemsWith(models, 'id', assistant[name])
    const offered = itemsWith(models, 'type', type)
    if (known.length === 0 || offered.length === 0 || known.some((one) => one.type === type)) continue
    const flag = name.replaceAll('_', '-')
    addFinding(
      'model_mode',
      `uses the model "${known[0]?.name}", which does not support ${type === 'llm' ? 'text' : type}.`,
      `parley assistants update ${assistant.id} --${flag} ${offered[0]?.id}`,
    )
  }
}
