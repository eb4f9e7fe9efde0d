import { type StartOptions, startPlatform, type TestPlatform } from '../platform.ts'

/** The functions of Jest that a platform needs. */
interface Hooks {
  readonly beforeAll: (body: () => Promise<void>) => void
  readonly beforeEach: (body: () => Promise<void>) => void
  readonly afterAll: (body: () => Promise<void>) => void
}

/**
 * Starts a platform for the tests of a file or of a `describe` block, and resets it before each of them. Uses the global
 * functions of Jest. It is published as `./jest` of the package: test suites of others call it. @throws TypeError outside
 * of a test file
 */
export function usePlatform(options: StartOptions = {}): TestPlatform {
  const { beforeAll, beforeEach, afterAll } = globalThis as Partial<Hooks>
  if (!beforeAll || !beforeEach || !afterAll)
    throw new TypeError('usePlatform needs the global functions of Jest. Call it in a test file, with "injectGlobals".')
  let platform: TestPlatform | undefined
  let isUsed = false
  beforeAll(async () => {
    platform = await startPlatform(options)
  })
  beforeEach(async () => {
    if (isUsed && !options.empty) await platform?.reset()
    isUsed = true
  })
  afterAll(async () => platform?.close())
  return new Proxy({} as TestPlatform, {
    get(_, name) {
      if (!platform) throw new Error('The platform starts before the first test. Use it in a test or a hook.')
      return platform[name as keyof TestPlatform]
    },
  })
}
