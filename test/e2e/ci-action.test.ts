import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bin, newPlace, parley, run } from './support/built-program.ts'

const root = join(import.meta.dirname, '../..')
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>
  runs: { steps: { id?: string; uses?: string; env?: Record<string, string>; run?: string }[] }
}
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** A job that uses the action: its checkout has the built program, and `npm` only writes down how it is called. */
function newJob(inputs: Record<string, string> = {}) {
  const at = newPlace()
  const checkout = join(at.dir, 'checkout')
  const programs = join(at.dir, 'programs')
  for (const folder of [checkout, programs]) mkdirSync(folder)
  for (const file of ['package.json', 'package-lock.json']) symlinkSync(join(root, file), join(checkout, file))
  symlinkSync(dirname(bin), join(checkout, 'bin'))
  const calls = join(at.dir, 'npm-calls')
  writeFileSync(join(programs, 'npm'), `#!/bin/sh\necho "$PWD: $*" >> "${calls}"\n`)
  for (const name of ['npx', 'pnpm', 'yarn'])
    writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*" >> "${calls}"\nexit 1\n`)
  for (const name of ['npm', 'npx', 'pnpm', 'yarn']) chmodSync(join(programs, name), 0o755)
  const values: Record<string, string> = {
    'github.action_path': checkout,
    'github.action_repository': 'clinic/parley',
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [`inputs.${name}`, input.default])),
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
  }
  const files = Object.fromEntries(
    ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH'].map((name) => [name, join(at.dir, name)]),
  )
  return {
    at,
    checkout,
    written: (name: string) => (existsSync(join(at.dir, name)) ? readFileSync(join(at.dir, name), 'utf8') : ''),
    /** Runs the steps up to the first that fails. */
    async steps() {
      let last = { exitCode: 0, stdout: '', stderr: '' }
      for (const step of action.runs.steps.filter((it) => it.run !== undefined)) {
        const env = Object.fromEntries(
          Object.entries(step.env ?? {}).map(([name, value]) => [
            name,
            value.replace(/\$\{\{ ([\w.]+) \}\}/, (_, key: string) => values[key] ?? '(missing)'),
          ]),
        )
        last = await run('bash', ['-e', '-c', step.run ?? ''], {
          at,
          env: { ...env, ...files, PATH: `${programs}:${at.env.PATH}` },
        })
        if (last.exitCode !== 0) break
      }
      return last
    },
  }
}

test('the action of a CI job builds its own checkout, starts a platform, and gives address, key and program to the next steps', async () => {
  const job = newJob()
  expect(await job.steps()).toMatchObject({ exitCode: 0, stderr: '' })
  expect(job.written('npm-calls').split('\n').slice(1, -1)).toEqual([
    `${job.checkout}: ci --ignore-scripts --prefer-offline --no-audit --no-fund`,
    `${job.checkout}: run build --silent`,
  ])
  const [url, key] = /^url=(.+)\nkey=(.+)\n/m.exec(job.written('GITHUB_OUTPUT'))?.slice(1) ?? []
  const dataDir = /^PARLEY_DATA_DIR=(.+)$/m.exec(job.written('GITHUB_ENV'))?.[1] ?? ''
  const { status } = await fetch(`${url}/api/user/me`, { headers: { authorization: `Bearer ${key}` } })
  const found = await run(join(job.written('GITHUB_PATH').trim(), 'parley'), ['--version'], { at: job.at })
  expect(await parley('server stop', { at: job.at, env: { PARLEY_DATA_DIR: dataDir } })).toMatchObject({ exitCode: 0 })
  expect(status).toBe(200)
  expect(found).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
})

test.each(['', 'latest', version, `v${version}`])(
  'the action runs what was checked out for the version "%s"',
  async (asked) => {
    const job = newJob({ version: asked, port: 'nowhere' })
    await job.steps()
    expect(job.written('npm-calls')).toContain('run build')
  },
)

test('the action fails for a version that was not checked out, and names the tag to use', async () => {
  const job = newJob({ version: '9.9.9' })
  const { exitCode, stdout } = await job.steps()
  expect(exitCode).toBe(1)
  expect(stdout).toContain(
    `::error::This is version ${version} of the action, not 9.9.9. Write: uses: clinic/parley@v9.9.9`,
  )
  expect(job.written('npm-calls')).not.toContain('run build')
})

test('the action caches its downloads by the hash of its lockfile, and uses no other action but the cache', () => {
  const used = action.runs.steps.filter((it) => it.uses !== undefined)
  expect(used).toMatchObject([
    { uses: 'actions/cache@v4', with: { key: expect.stringContaining('steps.version.outputs.lock') } },
  ])
})
