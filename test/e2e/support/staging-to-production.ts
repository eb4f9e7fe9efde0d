import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleScenarios } from '../../../src/cli/reference/help/sample-scenarios.ts'
import { addProgram, type Finished, filledPlace, newPlace, type Place, parley, run } from './built-program.ts'
import { type Served, serve } from './server-process.ts'

const script = join(import.meta.dirname, '../staging-to-production.sh')
const scenarios = sampleScenarios['front-desk.yaml'] as string

/** Two deployments, and an operator with a profile for each. */
interface Deployments {
  readonly at: Place
  readonly staging: Served
  readonly production: Served
  /** Runs the script. */
  readonly script: () => Promise<Finished>
}

/** Something that goes wrong once while the script runs. */
interface InjectedFault {
  readonly name: string
  /** Fault rule of a deployment: arguments of `server faults create`. */
  readonly rule?: readonly [where: 'staging' | 'production', args: string]
  readonly before?: (on: Deployments) => Promise<unknown>
  readonly after?: (on: Deployments) => Promise<unknown>
  /** Exit code of the script. */
  readonly exitCode: number
  readonly message?: RegExp
}

const promote = 'promote assistants/front-desk tools/lookup-patient --from staging --to production'
const lock = (at: Place): string => join(at.data, 'promotions/production/promotion.lock')

export const injectedFaults: readonly InjectedFault[] = [
  {
    name: 'an update that the platform did and whose answer is lost',
    rule: ['production', 'assistants.update --socket drop --times 1'],
    exitCode: 0,
  },
  {
    name: 'an update that fails for good',
    rule: ['production', 'assistants.update --status 500'],
    exitCode: 11,
    message: /retry 3 of: promote/,
  },
  {
    name: 'an update that is cut before it arrives',
    rule: ['production', 'assistants.update --socket cut --times 1'],
    exitCode: 0,
  },
  {
    name: 'an update whose answer is torn',
    rule: ['production', 'assistants.update --socket truncate --times 1'],
    exitCode: 0,
  },
  { name: 'a target that is busy', rule: ['production', 'assistants.update --status 503 --times 2'], exitCode: 0 },
  {
    name: 'a target that limits requests',
    rule: ['production', 'assistants.list --status 429 --times 2'],
    exitCode: 0,
  },
  { name: 'a source that fails once', rule: ['staging', 'assistants.update --socket drop --times 1'], exitCode: 0 },
  { name: 'a source that fails for good', rule: ['staging', 'assistants.list --status 500'], exitCode: 8 },
  { name: 'a key that the target rejects', rule: ['production', 'assistants.list --status 401'], exitCode: 3 },
  {
    name: 'a target that was changed since the last promotion',
    before: async ({ at }) => {
      for (const line of [
        `${promote} --confirm production`,
        'assistants update 1 --max-duration 111 --profile production',
      ])
        expect(await parley(line, { at })).toMatchObject({ exitCode: 0 })
    },
    after: ({ at }) => parley(`${promote} --confirm production --force`, { at }),
    exitCode: 5,
    message:
      /Changed in profile "production"[\s\S]*max_duration: was 600; profile "production": 111; profile "staging": 112/,
  },
  {
    name: 'another promotion that runs',
    before: async ({ at }) => {
      mkdirSync(join(lock(at), '..'), { recursive: true, mode: 0o700 })
      writeFileSync(lock(at), String(process.pid))
    },
    after: async ({ at }) => rmSync(lock(at)),
    exitCode: 5,
    message: /is changing profile "production" with promote/,
  },
  {
    name: 'a scenario that fails',
    before: async ({ at }) =>
      writeFileSync(
        join(at.dir, 'practice/tests/broken.yaml'),
        'assistant: Front desk\nscenarios:\n  - name: Broken\n    turns:\n      - say: Hello\n        expect: {contains: never said}\n',
      ),
    after: async ({ at }) => rmSync(join(at.dir, 'practice/tests/broken.yaml')),
    exitCode: 20,
  },
]

/** Starts two deployments with the same data, and an operator who has a profile for each. */
async function deployments(): Promise<Deployments> {
  const [staging, production] = await Promise.all([serve(await filledPlace(7)), serve(await filledPlace(7))])
  const at = newPlace()
  addProgram(join(at.dir, 'bin'))
  for (const [name, { url, key }] of [
    ['staging', staging],
    ['production', production],
  ] as const)
    expect(await parley(`profile set ${name} --url ${url} --api-key-stdin`, { at, input: key })).toMatchObject({
      exitCode: 0,
    })
  mkdirSync(join(at.dir, 'practice/tests'), { recursive: true })
  writeFileSync(join(at.dir, 'practice/tests/front-desk.yaml'), scenarios)
  const env = { PATH: `${join(at.dir, 'bin')}:${at.env.PATH}`, PARLEY_RETRIES: '0' }
  return { at, staging, production, script: () => run('sh', [script], { at, env }) }
}

async function readProduction({ at }: Deployments): Promise<unknown> {
  const read = async (line: string): Promise<unknown> =>
    JSON.parse((await parley(`${line} --profile production --json`, { at })).stdout)
  const { updated_at: _, ...assistant } = (await read('assistants get 1')) as Record<string, unknown>
  return [assistant, await read('tools list')]
}

/**
 * For each fault: the script ends with the right exit code, and the next run without the fault succeeds. Production is
 * as before afterwards.
 */
export function testFaults(faults: readonly InjectedFault[]): void {
  for (const { name, rule, before, after, exitCode, message } of faults)
    test(`${name}: exit code ${exitCode}, and nothing is half done`, async () => {
      const on = await deployments()
      await before?.(on)
      const first = await readProduction(on)
      const owner = rule && on[rule[0]].at
      if (rule && owner)
        expect(await parley(`server faults create ${rule[1]}`, { at: owner })).toMatchObject({ exitCode: 0 })
      const faulty = await on.script()
      expect(faulty.exitCode, faulty.stderr).toBe(exitCode)
      if (message) expect(faulty.stderr).toMatch(message)
      if (owner) await parley('server faults clear --yes', { at: owner })
      // What was refused has changed nothing.
      expect(await readProduction(on)).toEqual(first)
      await after?.(on)
      const then = await readProduction(on)
      const clean = await on.script()
      expect(clean.exitCode, clean.stderr).toBe(0)
      expect(await readProduction(on)).toEqual(then)
    })
}
