import { createClient } from 'parley-cli/client'
import { type StartOptions, startPlatform, type TestPlatform } from 'parley-cli/platform'

const options: StartOptions = { seed: 7, clock: '2027-03-01T09:00:00Z' }
const started: Promise<TestPlatform> = startPlatform(options)

export const url: Promise<string> = started.then((it) => it.url)
// @ts-expect-error -- an option that does not exist
export const wrong = startPlatform({ sed: 7 })

const client = createClient({ url: 'https://platform.example', key: '1|x' })
export const bought: Promise<string> = client.numbers
  .buy({ phone_number: '+14155550111' })
  .then((it) => it.data.phone_number)
// @ts-expect-error -- a field that does not exist
export const refused = client.numbers.buy({ phone: '+14155550111' })
