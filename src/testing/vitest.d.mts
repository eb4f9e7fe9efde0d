import type { StartOptions, TestPlatform } from 'parley-cli/platform'
import type { TestAPI } from 'vitest'

/** Fixtures of a test. */
export interface PlatformFixtures {
  /** A platform with the sample data. The tests of a file share it, and each of them starts with the data of the start. */
  platform: TestPlatform
}

/** Returns vitest's `test` with a platform that starts with these options. */
export declare function createTest(options?: StartOptions): TestAPI<PlatformFixtures>

/** vitest's `test` with a platform: `test('...', async ({ platform }) => { ... })`. */
export declare const test: TestAPI<PlatformFixtures>
