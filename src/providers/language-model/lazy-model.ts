import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FaultInjector } from '../local/fault-injection.ts'
import type { LanguageModel } from '../ports/providers.ts'
import type { ConfiguredOptions } from './configured-model.ts'

/** Whether another model than the local one is configured, without a look at whether it can be used: asked within transactions. */
function hasConfiguredEndpoint({ given, dataDir }: Pick<ConfiguredOptions, 'given' | 'dataDir'>): boolean {
  if (given.url !== undefined) return true
  try {
    return typeof JSON.parse(readFileSync(join(dataDir, 'language.json'), 'utf8')).base_url === 'string'
  } catch {
    return false
  }
}

/** The configured model, or the local one where nothing is configured; made when somebody first chats: most commands never do. Settings that cannot be used are why there is no reply. */
export function lazyModel(options: Omit<ConfiguredOptions, 'gate'> | undefined, gate?: FaultInjector): LanguageModel {
  let created: Promise<LanguageModel> | undefined
  const model = (): Promise<LanguageModel> => {
    created ??= options
      ? import('./configured-model.ts').then((it) => it.configuredModel({ ...options, gate }))
      : import('./local-model.ts').then((it) => it.localModel({ gate }))
    // Whoever mends the settings need not begin again.
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
      const it = await model()
      return it.extract?.(wanted) ?? { ok: false, reason: 'The local model cannot extract values from conversations.' }
    },
    async reply(turn) {
      try {
        return await (await model()).reply(turn)
      } catch (error) {
        if ((error as Error).name !== 'LanguageRefused') throw error
        options?.log(`language model: ${(error as Error).message}`)
        return { ok: false, reason: 'The language model is not configured correctly.' }
      }
    },
  }
}
