// Fixtures for vitest. An ES module, because vitest cannot be loaded by `require`.
import { startPlatform } from 'parley-cli/platform'
import { test as base } from 'vitest'

/** Returns vitest's `test` with a platform that starts with these options. */
export const createTest = (options = {}) =>
  base.extend({
    startedPlatform: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that a fixture needs
      async ({}, use) => {
        const platform = await startPlatform(options)
        let isUsed = false
        await use({
          async fresh() {
            if (isUsed) await platform.reset()
            isUsed = true
            return platform
          },
        })
        await platform.close()
      },
      { scope: 'file' },
    ],
    platform: async ({ startedPlatform }, use) => use(await startedPlatform.fresh()),
  })

export const test = createTest()
