import { type StartOptions, startPlatform, type TestPlatform } from 'parley-cli/platform'

const options: StartOptions = { seed: 7, clock: '2027-03-01T09:00:00Z' }
const started: Promise<TestPlatform> = startPlatform(options)

export const url: Promise<string> = started.then((it) => it.url)
// @ts-expect-error -- an option that does not exist
export const wrong = startPlatform({ sed: 7 })
