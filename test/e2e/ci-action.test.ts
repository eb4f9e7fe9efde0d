import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { bin, newPlace, parley, run } from './support/built-program.ts'

const action = parse(readFileSync(join(import.meta.dirname, '../../action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>
  outputs: Record<string, { value: string }>
  runs: { steps: { id: string; env: Record<string, string>; run: string }[] }
}

test('the action of a CI job starts a platform, and gives its address and key to the next steps', async () => {
  const [step] = action.runs.steps
  const at = newPlace()
  const programs = join(at.dir, 'programs')
  mkdirSync(programs)
  // Stands for the published package: the built program, with the words after the name of the package.
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift 2\nexec "${execPath}" "${bin}" "$@"\n`)
  chmodSync(join(programs, 'npx'), 0o755)
  const inputs = Object.entries(step?.env ?? {}).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input: string) => action.inputs[input]?.default ?? '(missing)'),
  ])
  const files = { GITHUB_OUTPUT: join(at.dir, 'output'), GITHUB_ENV: join(at.dir, 'env') }
  const env = { ...Object.fromEntries(inputs), ...files, PATH: `${programs}:${at.env.PATH}` }
  const { exitCode, stderr } = await run('bash', ['-e', '-c', step?.run ?? ''], { at, env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const [url, key] = /^url=(.+)\nkey=(.+)\n$/.exec(readFileSync(files.GITHUB_OUTPUT, 'utf8'))?.slice(1) ?? []
  const [, dataDir] = /^PARLEY_DATA_DIR=(.+)$/m.exec(readFileSync(files.GITHUB_ENV, 'utf8')) ?? []
  const { status } = await fetch(`${url}/api/user/me`, { headers: { authorization: `Bearer ${key}` } })
  expect(await parley('server stop', { at, env: { PARLEY_DATA_DIR: dataDir ?? '' } })).toMatchObject({ exitCode: 0 })
  expect(status).toBe(200)
})
