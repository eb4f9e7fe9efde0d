import type { LanguageModel } from '../../services/ports.ts'
import type { Gate } from '../gate.ts'
import type { ConfiguredOptions } from './configured.ts'

/** The configured model, or the local one where nothing is configured; made when somebody first chats: most commands never do. Settings that cannot be used are why there is no reply. */
export function lateLanguage(options: Omit<ConfiguredOptions, 'gate'> | undefined, gate?: Gate): LanguageModel {
  let made: Promise<LanguageModel> | undefined
  const model = (): Promise<LanguageModel> => {
    made ??= options
      ? import('./configured.ts').then((it) => it.configuredLanguage({ ...options, gate }))
      : import('./local.ts').then((it) => it.localLanguage({ gate }))
    // Whoever mends the settings need not begin again.
    made.catch(() => {
      made = undefined
    })
    return made
  }
  return {
    name: 'configured',
    description: 'The language model the operator has configured.',
    told: () => model().then((it) => it.description),
    async reply(turn) {
      try {
        return await (await model()).reply(turn)
      } catch (error) {
        if ((error as Error).name !== 'LanguageRefused') throw error
        options?.log(`language model: ${(error as Error).message}`)
        return { ok: false, reason: 'The language model is not set up as it should be.' }
      }
    },
  }
}
