import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { productionUrl, stagingUrl, twoPlatforms } from './two-platforms.ts'

/** Returns numbers from 0 to 1 that depend on the seed only (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const profiles = ['staging', 'production', 'absent', '']
const urls = [stagingUrl, productionUrl, 'https://other.example', '']

/**
 * Runs command lines with random environments, project files and flags. Each write must reach the platform that the
 * command has printed before it.
 */
export async function expectWritesWherePrinted(count: number, seed: number): Promise<void> {
  const on = await twoPlatforms()
  const random = randomFrom(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const often = <T>(value: T, other: T): T => (random() < 0.75 ? value : other)
  const project = join(on.by.cwd, '.parley.yaml')
  let written = 0
  for (let n = 0; n < count; n++) {
    const label = `seed ${seed}, invocation ${n}`
    const env = {
      PARLEY_PROFILE: pick(profiles),
      PARLEY_BASE_URL: often('', pick(urls)),
      PARLEY_API_KEY: often('', 'some-key'),
      WEATHER_AUTHORIZATION: 'Bearer x',
    }
    const profile = pick(profiles.slice(0, 2))
    if (random() < 0.5) writeFileSync(project, `profile: ${profile}\n`)
    else rmSync(project, { force: true })
    if (random() < 0.1) await on.run(`profile use ${pick(['staging', 'production', 'local'])}`)
    const global = [
      ...often([], ['--profile', pick(profiles.slice(0, 3))]),
      ...often([], ['--base-url', pick(urls.slice(0, 3))]),
    ]
    const [from, to] = often(['staging', 'production'], ['production', 'staging'])
    const name = often(to, pick(profiles.slice(0, 3)))
    const consent = [...often(['--confirm', name], []), ...often([], ['--yes'])]
    await on.run(`--profile ${pick(['staging', 'production'])} tools update 2 --tool-timeout ${5 + (n % 20)}`)
    on.takeWrites()
    const kind = pick(['promote', 'promote', 'undo', 'update'])
    const words =
      kind === 'promote'
        ? ['promote', 'tools/book_appointment', '--from', from, '--to', to, ...often([], ['--force']), ...consent]
        : kind === 'undo'
          ? ['promote', 'undo', '--to', to, '--force', ...consent]
          : ['labels', 'update', '1', '--color', pick(['red', 'green', 'blue']), ...consent]
    const argv = [...global, ...words]
    const printed =
      kind === 'update'
        ? (await on.run([...argv, '--print-curl'], { env })).stdout
        : (await on.run([...argv, '--dry-run'], { env })).stderr
    expect(on.takeWrites(), `${label}: a preview writes`).toEqual([])
    const run = await on.run(argv, { env })
    const named =
      kind === 'update'
        ? printed.includes(productionUrl)
          ? 'production'
          : printed.includes(stagingUrl)
            ? 'staging'
            : undefined
        : /(?:to|Undo in) profile "(\w+)" \(https:\/\/(\w+)\.example\)\./.exec(run.stderr)?.[1]
    const targets = [...new Set(on.takeWrites().map((it) => it.split(' ')[0]))]
    if (targets.length > 0) written++
    expect(
      targets.length === 0 || (targets.length === 1 && targets[0] === named),
      `${label}: parley ${argv.join(' ')} printed ${named} and wrote to ${targets.join(', ')}`,
    ).toBe(true)
    if (kind !== 'update' && targets.length > 0) expect(consent, label).toContain(to)
  }
  expect(written, `seed ${seed}: some invocations write`).toBeGreaterThan(count / 20)
}
