import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LanguageModel } from '../../../engine/ports.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson } from '../../../node/json.ts'
import type { FaultInjector } from '../local/fault-injection.ts'
import type { ConfiguredOptions } from './configured-model.ts'

/**
 * Returns whether a remote model is configured, without checking that it can be used. This is called within
 * transactions. It says the same as `remote` of model-settings.ts, which also reads the URL from the option or the file.
 */
function hasConfiguredEndpoint({ given, dataDir }: Pick<ConfiguredOptions, 'given' | 'dataDir'>): boolean {
  if (given.url !== undefined) return true
  try {
    return typeof parseJson(readFileSync(join(dataDir, dataFiles.model), 'utf8')).base_url === 'string'
  } catch {
    return false
  }
}

const loadConfiguredModel = () => import('./configured-model.ts')

/** Returns whether there are settings of a model. Without them nothing can be wrong with it. */
const hasModelSettings = ({ given, dataDir }: Pick<ConfiguredOptions, 'given' | 'dataDir'>): boolean =>
  Object.values(given).some((it) => it !== undefined) || existsSync(join(dataDir, dataFiles.model))

/** Checks the settings of a model, if there are any. @throws ModelConfigurationError */
export async function requireValidModel(options: Pick<ConfiguredOptions, 'given' | 'dataDir' | 'keys'>): Promise<void> {
  if (hasModelSettings(options)) await (await loadConfiguredModel()).requireValidModelSettings(options)
}

/**
 * Creates a model that is loaded on first use, because most commands never chat: the configured model, or the local one
 * without a configuration. With an invalid configuration, replies fail.
 */
export function lazyModel(options: Omit<ConfiguredOptions, 'gate'> | undefined, gate?: FaultInjector): LanguageModel {
  let created: Promise<LanguageModel> | undefined
  const model = (): Promise<LanguageModel> => {
    created ??= options
      ? loadConfiguredModel().then((it) => it.configuredModel({ ...options, gate }))
      : import('./local-model.ts').then((it) => it.localModel({ gate }))
    // A failed load is not cached, so that corrected settings take effect without a restart.
    created.catch(() => {
      created = undefined
    })
    return created
  }
  return {
    name: 'configured',
    description: 'The language model configured for this platform.',
    describe: () => model().then((it) => it.description),
    canExtract: () => options !== undefined && hasConfiguredEndpoint(options),
    async extract(wanted) {
      const loaded = await model()
      return (
        loaded.extract?.(wanted) ?? { ok: false, reason: 'The local model cannot extract values from conversations.' }
      )
    },
    async reply(turn) {
      try {
        return await (await model()).reply(turn)
      } catch (error) {
        if ((error as Error).name !== 'ModelConfigurationError') throw error
        options?.log('language model: not configured correctly', { reason: (error as Error).message })
        return { ok: false, reason: 'The language model is not configured correctly.' }
      }
    },
  }
}
