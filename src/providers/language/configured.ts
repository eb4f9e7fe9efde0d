import type { LanguageModel } from '../../services/ports.ts'
import type { Gate } from '../gate.ts'
import { localLanguage } from './local.ts'
import { openAiLanguage } from './openai.ts'
import { readScript } from './script.ts'
import { type LanguageGiven, type LanguageSettings, type ModelKeys, readLanguage } from './settings.ts'

export interface ConfiguredOptions {
  readonly given: LanguageGiven
  readonly dataDir: string
  /** Keys of the credentials file, read when a model is first needed. */
  readonly keys: () => ModelKeys | undefined
  readonly log: (text: string) => void
  readonly gate?: Gate | undefined
}

/** The model the operator has configured, or the local one. @throws LanguageRefused */
export function configuredLanguage(options: ConfiguredOptions): LanguageModel {
  const settings = readLanguage(options.given, options.dataDir, options.keys())
  return modelOf(settings, options)
}

function modelOf({ remote, script }: LanguageSettings, { log, gate }: ConfiguredOptions): LanguageModel {
  if (!remote) return localLanguage({ gate, ...(script !== undefined && { script: () => readScript(script) }) })
  const { baseUrl, model, endpointOf } = remote
  return openAiLanguage({ endpointOf, log, gate, description: `${model} at ${baseUrl}, over the chat-completions protocol.` })
}

/** Looks whether what the operator has configured can be used, before anybody chats. @throws LanguageRefused */
export async function checkLanguage(options: Pick<ConfiguredOptions, 'given' | 'dataDir' | 'keys'>): Promise<void> {
  const { script } = readLanguage(options.given, options.dataDir, options.keys())
  if (script !== undefined) await readScript(script)
}
