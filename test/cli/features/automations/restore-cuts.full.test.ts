import { expect, test } from 'vitest'
import type { Handle, RunOptions } from '../../../support/operator.ts'
import { greet, greeting, lostAnswer, plain, running } from './deployments.ts'

type Through = NonNullable<RunOptions['through']>

const platforms: Readonly<Record<string, (around: Through) => RunOptions>> = {
  'a Parley server': (around) => ({ through: around }),
  'another deployment': (around) => plain(around),
}

/** What happens to a request. */
const cuts: Readonly<Record<string, (handle: Handle, request: Parameters<Through>[1]) => ReturnType<Through>>> = {
  'the request is lost': () => lostAnswer(),
  'the response is lost': async (handle, request) => {
    await handle(request)
    return lostAnswer()
  },
}

const maxRestoreMs = 3_600_000

/** "Greeting" with the versions Hello, Bye, Third; the last is live. */
async function three() {
  const by = await greeting({ 'third.json': greet('Third') })
  for (const file of ['bye.json', 'third.json']) await by.json(`automate update Greeting --file ${file}`)
  return by
}

const cases = Object.keys(platforms).flatMap((platform) =>
  Object.keys(cuts).flatMap((cut) =>
    ['once', 'from then on', 'and Ctrl-C'].map((how) => [platform, cut, how] as const),
  ),
)

test.each(cases)(
  'on %s, a restore where %s %s: exit 0 means restored, and running it again completes it',
  async (platform, cut, how) => {
    const isOn = platforms[platform] as (around: Through) => RunOptions
    const lose = cuts[cut] as (typeof cuts)[string]
    const untouched = await three()
    let requests = 0
    const counted = isOn((handle, request) => {
      requests++
      return handle(request)
    })
    expect(await untouched.run('automate restore Greeting --yes', counted)).toMatchObject({ exitCode: 0 })
    for (let at = 0; at < requests; at++) {
      const by = await three()
      const what = `request ${at} of ${requests}`
      const interrupt = new AbortController()
      let count = 0
      const broken = isOn(async (handle, request) => {
        const mine = count++
        const isCut = how === 'from then on' ? mine >= at : mine === at
        if (!isCut) return handle(request)
        if (how === 'and Ctrl-C') interrupt.abort(130)
        return lose(handle, request)
      })
      const first = await by.run('automate restore Greeting --yes', { ...broken, interrupt })
      if (first.exitCode === 0) expect(await running(by), what).toEqual(['enabled', 'Bye'])
      else {
        // The connection is up again: the same command must never undo a restore that was carried out. Without a version
        // guard, a restore that was not carried out may be in progress for some minutes.
        by.wait(maxRestoreMs)
        const again = await by.run(
          'automate restore Greeting --yes',
          isOn((handle, request) => handle(request)),
        )
        expect([again.exitCode, await running(by)], `${what}: ${first.stderr}\n${again.stderr}`).toEqual([
          0,
          ['enabled', 'Bye'],
        ])
      }
      expect(await by.json('ops list --open'), what).toEqual([])
    }
  },
)
