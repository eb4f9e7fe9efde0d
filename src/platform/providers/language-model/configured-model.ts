import type { LanguageModel } from '../../../engine/ports.ts'
import type { FaultInjector } from '../local/fault-injection.ts'
import { localModel } from './local-model.ts'
import { readScript } from './model-script.ts'
import { type ModelKeys, type ModelOptions, type ModelSettings, readModelSettings } from './model-settings.ts'
import { openAiModel } from './openai-model.ts'

/** What the configured model is created from. */
export interface ConfiguredOptions {
  readonly given: ModelOptions
  readonly dataDir: string
  /** Returns the keys of the credentials file. It is read when a model is first needed. */
  readonly keys: () => ModelKeys | undefined
  readonly log: (text: string, fields?: { readonly reason: string }) => void
  readonly gate?: FaultInjector | undefined
}

/** Creates the model that the operator configured, or the local one. @throws ModelConfigurationError */
export function configuredModel(options: ConfiguredOptions): LanguageModel {
  const settings = readModelSettings(options.given, options.dataDir, options.keys())
  return createModel(settings, options)
}

function createModel({ remote, script }: ModelSettings, { log, gate }: ConfiguredOptions): LanguageModel {
  if (!remote) return localModel({ gate, ...(script !== undefined && { script: () => readScript(script) }) })
  const { baseUrl, model, endpointOf } = remote
  return openAiModel({
    endpointOf,
    log,
    gate,
    description: `${model} at ${baseUrl}, over the chat-completions protocol.`,
  })
}

/** Checks whether the configured model can be used, before a platform opens. @throws ModelConfigurationError */
export async function requireValidModelSettings(
  options: Pick<ConfiguredOptions, 'given' | 'dataDir' | 'keys'>,
): Promise<void> {
  const { script } = readModelSettings(options.given, options.dataDir, options.keys())
  if (script !== undefined) await readScript(script)
}
